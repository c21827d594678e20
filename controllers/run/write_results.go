package run

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/quantity"
)

// storeGroupResult writes what was measured and judged of a group.
func (w *writer) storeGroupResult(ctx context.Context, g assess.ResultWrite) error {
	refused, err := w.store(ctx, g)
	if refused && err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.written.GroupRefused = true
	}
	return err
}

// storeNodeResult writes what was measured and judged of a node. A conflict means that what was read was old: the next pass has it new.
func (w *writer) storeNodeResult(ctx context.Context, n assess.ResultWrite) error {
	refused, err := w.store(ctx, n)
	switch node := n.Result.Node.Name; {
	case err != nil:
		w.note(node, func(n *assess.NodeWritten) { n.Unstored = err })
		return err
	case refused:
		w.note(node, func(n *assess.NodeWritten) { n.Refused = true })
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written.Stored++
	return nil
}

func (w *writer) store(ctx context.Context, result assess.ResultWrite) (refused bool, err error) {
	next, refused, err := w.writeResult(ctx, result.Stored, result.Result)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.unstored[result.Result.Name] = true
		return refused, fmt.Errorf("storing the result of %s: %w", result.About, err)
	}
	w.stored[result.Result.Name] = next
	return refused, nil
}

// writeResult stores a result. One that the API server will never take is stored without what is new in it, or one node's
// odd output would keep the run from its end; then refused is true, and the verdict that was based on it counts for nothing.
func (r *Reconciler) writeResult(ctx context.Context, stored, judged *v1alpha1.ValidationResult) (next *v1alpha1.ValidationResult, refused bool, err error) {
	next = judged.DeepCopy()
	err = r.putResult(ctx, stored, next)
	if refused = isRefused(err); refused {
		next = result.Refused(stored, judged, quantity.Clip(err.Error(), 1000))
		err = r.putResult(ctx, stored, next)
	}
	if err != nil {
		r.recent.Results.Refused(judged.Run.UID, err)
		return nil, refused, err
	}
	r.recent.Results.Wrote(r.recent.Pack(next))
	r.countAttempts(stored, next)
	return next, refused, nil
}

// countAttempts tells the metrics of the attempts that a write has added.
func (r *Reconciler) countAttempts(before, after *v1alpha1.ValidationResult) {
	stored := map[string]int{}
	if before != nil {
		for _, b := range before.Benchmarks {
			stored[b.Name] = len(b.Attempts)
		}
	}
	for i := range after.Benchmarks {
		b := &after.Benchmarks[i]
		for a := stored[b.Name]; a < len(b.Attempts); a++ {
			if b.Attempts[a].Pod != "" { // not the extract of a group's attempt, which counts there
				r.Metrics.AttemptStored(b.Name, &b.Attempts[a])
			}
		}
	}
}

func (r *Reconciler) putResult(ctx context.Context, stored, next *v1alpha1.ValidationResult) error {
	if stored == nil {
		return r.Create(ctx, next, client.FieldOwner(fieldOwner))
	}
	return r.Update(ctx, next, client.FieldOwner(fieldOwner))
}

// isRefused: what was to be written is invalid or too large, so that trying again is of no use. The API server passes on in
// words only what etcd, or its own connection to etcd, finds too large.
func isRefused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) ||
		err != nil && (strings.Contains(err.Error(), "etcdserver: request is too large") ||
			strings.Contains(err.Error(), "trying to send message larger than max"))
}
