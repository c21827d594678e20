package run

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
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
	return seen >= 0 && !controllers.NodeChanged(controllers.AsCached(p.in.Nodes[seen]), controllers.AsCached(shown)), nil
}

// hasStarted: there is a pod of this name that is the run's.
func (r *Reconciler) hasStarted(ctx context.Context, run *v1alpha1.ValidationRun, name string) (bool, error) {
	var pods corev1.PodList
	if err := r.Live.List(ctx, &pods, client.InNamespace(r.Settings.Namespace), named(name)); err != nil {
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
