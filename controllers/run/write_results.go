package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
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

// sawOld looks, live, at the nodes of which new attempts say that devices are missing. No pod vouches for such an attempt, and a leader that was stalled may
// have seen the node minutes ago: where it is not as it was seen, or another leader has started a pod for the attempt, nothing is written by what was judged,
// as that is judged of other nodes, too.
func (r *Reconciler) sawOld(ctx context.Context, p *pass, results []assess.ResultWrite) (old bool, err error) {
	var found atomic.Bool
	err = controllers.Each(results, func(w assess.ResultWrite) error {
		for i := range p.in.Tasks {
			name := p.in.Tasks[i].Name()
			made := collect.MissedDevices(attemptsOf(w.Result, name))
			if made == nil || len(attemptsOf(w.Stored, name)) >= int(made.Number) {
				continue
			}
			same, err := r.asSeenLive(ctx, p, w.Result.Node.Name)
			if err != nil {
				return err
			}
			pod := workload.PodName(p.run.UID, w.Result.Node.UID, name, made.Number)
			started, err := r.hasStarted(ctx, p.run, pod)
			if err != nil {
				return err
			}
			if !same || started {
				found.Store(true)
			}
		}
		return nil
	})
	return found.Load(), err
}

// asSeenLive: a node has not changed since the cache saw it.
func (r *Reconciler) asSeenLive(ctx context.Context, p *pass, name string) (bool, error) {
	live := &corev1.Node{}
	if err := r.Live.Get(ctx, client.ObjectKey{Name: name}, live); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	shown, err := r.Devices.ShowLive(ctx, live)
	if err != nil {
		return false, err
	}
	seen := slices.IndexFunc(p.in.Nodes, func(n *corev1.Node) bool { return n.Name == name })
	return seen >= 0 && !controllers.NodeChanged(p.in.Nodes[seen], shown), nil
}

// hasStarted: there is a pod of this name that is the run's.
func (r *Reconciler) hasStarted(ctx context.Context, run *v1alpha1.ValidationRun, name string) (bool, error) {
	var pods corev1.PodList
	named := client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector(metav1.ObjectNameField, name)}
	if err := r.Live.List(ctx, &pods, client.InNamespace(r.Settings.Namespace), named); err != nil {
		return false, fmt.Errorf("looking for pod %s: %w", name, err)
	}
	return slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return metav1.IsControlledBy(&p, run) }), nil
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
	err = w.put(ctx, r.Stored != nil, next)
	if refused = isRefused(err); refused {
		next = result.Refused(r.Stored, r.Result, quantity.Clip(err.Error(), 1000))
		err = w.put(ctx, r.Stored != nil, next)
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

// put an object, in place of one that exists.
func (r *Reconciler) put(ctx context.Context, exists bool, next client.Object) error {
	if exists {
		return r.Update(ctx, next, client.FieldOwner(fieldOwner))
	}
	return r.Create(ctx, next, client.FieldOwner(fieldOwner))
}

// isRefused: what was to be written is invalid or too large, so that trying again is of no use. The API server passes on in
// words only what etcd, or its own connection to etcd, finds too large.
func isRefused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) ||
		err != nil && (strings.Contains(err.Error(), "etcdserver: request is too large") ||
			strings.Contains(err.Error(), "trying to send message larger than max"))
}

// NodeHistory and NodeValidation of a node are two objects, and two writes. The history goes first; the NodeValidation, which says of which state
// of the history it knows, is the one that counts. Both are refused where somebody has written since they were read, and each write of a history is
// followed by one of the NodeValidation: so whoever writes by an older history, or an older NodeValidation, is refused, reads both again and
// decides again. Where the process stops between the two, the run finds its own measurements in the history, and goes on from there.

// storeHistory writes what was measured on the node, if that changed, and returns the state that goes with it. Where the API server will
// never take it, the state says that measurements are missing: an unfit node is tainted all the same.
func (n *nodeWriter) storeHistory(ctx context.Context, v *v1alpha1.NodeValidation, next *v1alpha1.NodeHistory) (*v1alpha1.NodeValidation, error) {
	before := n.current.History
	if next == nil || sameHistory(before, next) {
		return referring(v, before), nil
	}
	next = next.DeepCopy()
	if err := controllerutil.SetOwnerReference(n.current.Node, next, n.Scheme()); err != nil {
		return nil, fmt.Errorf("owning the NodeHistory: %w", err)
	}
	err := n.putHistory(ctx, before, next)
	if isRefused(err) {
		n.refused = quantity.Clip(err.Error(), 300)
		return referring(nodevalidation.Unstored(v), before), nil
	}
	if err != nil {
		return nil, fmt.Errorf("storing the NodeHistory: %w", err)
	}
	n.current.History = next
	return referring(v, next), nil
}

// sameHistory: two histories say the same. Where there is none, one that says nothing is the same.
func sameHistory(before, next *v1alpha1.NodeHistory) bool {
	if before == nil {
		return len(next.Benchmarks) == 0
	}
	return before.NodeUID == next.NodeUID && before.OffenceCount == next.OffenceCount && equality.Semantic.DeepEqual(before.Benchmarks, next.Benchmarks)
}

func (r *Reconciler) putHistory(ctx context.Context, before, next *v1alpha1.NodeHistory) error {
	err := r.put(ctx, before != nil, next)
	if err == nil {
		next.SetManagedFields(nil)
		r.KnownFleet.Take(next)
	}
	return err
}

// referring is the state of a node that goes with a history; nil for none.
func referring(v *v1alpha1.NodeValidation, h *v1alpha1.NodeHistory) *v1alpha1.NodeValidation {
	is := v1alpha1.HistoryReference{}
	if v.NodeHistory != nil {
		is.IncompleteUntil = v.NodeHistory.IncompleteUntil
	}
	if h != nil {
		is.UID, is.Generation = h.UID, h.Generation
	}
	if v.NodeHistory != nil && *v.NodeHistory == is {
		return v
	}
	v = v.DeepCopy()
	v.NodeHistory = &is
	return v
}
