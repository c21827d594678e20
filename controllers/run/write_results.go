package run

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
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

// attemptsOf a benchmark, by a result; none of nil.
func attemptsOf(r *v1alpha1.ValidationResult, benchmark string) []v1alpha1.Attempt {
	if r == nil {
		return nil
	}
	if b := r.Benchmark(benchmark); b != nil {
		return b.Attempts
	}
	return nil
}

// store a result. One that the API server will never take is stored without what is new in it, or one node's odd output would keep the run
// from its end; then refused is true, and the verdict that was based on it counts for nothing.
func (w *writer) store(ctx context.Context, r assess.ResultWrite) (refused bool, err error) {
	next := r.Result.DeepCopy()
	err = controllers.Put(ctx, w, r.Stored != nil, next)
	if refused = controllers.IsRefused(err); refused {
		next = result.Refused(r.Stored, r.Result, quantity.Clip(err.Error(), 1000))
		err = controllers.Put(ctx, w, r.Stored != nil, next)
	}
	if err == nil {
		w.recent.Results.Wrote(w.recent.Pack(next))
		w.countAttempts(r.Stored, next)
	} else {
		w.recent.Results.Refused(r.Result.Run.UID, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.unstored[r.Result.Name] = true
		return refused, fmt.Errorf("storing the result of %s: %w", r.About, err)
	}
	w.stored[r.Result.Name] = next
	return refused, nil
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
