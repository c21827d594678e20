package run

import (
	"context"
	"errors"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/quarantine"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/quantity"
)

// writer carries out one assess.Output, and notes what it finds out.
type writer struct {
	*Reconciler
	*pass
	out *assess.Output

	mu      sync.Mutex
	written assess.Written
	// stored are the results that this pass has written, by name; unstored are those that it could not write.
	stored   map[string]*v1alpha1.ValidationResult
	unstored map[string]bool
}

// write does all writes of a pass but the run's status, and says what came of them.
func (r *Reconciler) write(ctx context.Context, p *pass, out *assess.Output) assess.Written {
	w := &writer{Reconciler: r, pass: p, out: out, stored: map[string]*v1alpha1.ValidationResult{}, unstored: map[string]bool{},
		written: assess.Written{Nodes: map[string]assess.NodeWritten{}}}
	w.written.Err = w.all(ctx)
	if p.pin.stored {
		w.written.Catalogue = p.pin.reference(p.run, p.in.Tasks)
	}
	return w.written
}

// all stores what the run is started with before anything else. The start time bounds the run: its status has it before the first pod
// exists. A run that was never let go starts with what there is then.
func (w *writer) all(ctx context.Context) error {
	started := observe.Started(w.run)
	if !started && (w.run.Spec.Suspend || w.out.NodeCount() == 0) {
		return nil
	}
	if err := w.storePin(ctx, w.pass); err != nil || !started {
		return err
	}
	return w.act(ctx)
}

// act writes in an order that is safe to break off anywhere: results before the pods that hold them are deleted, node actions after
// the results that justify them, launches last. Errors of single nodes do not stop the others.
func (w *writer) act(ctx context.Context) error {
	w.memory.take(w.out)
	grouped := controllers.Each(w.out.Groups, func(g assess.ResultWrite) error { return w.storeGroupResult(ctx, g) })
	if w.written.GroupRefused {
		return grouped
	}
	stored := controllers.Each(w.out.Nodes, func(n assess.ResultWrite) error { return w.storeNodeResult(ctx, n) })
	deleted := controllers.Each(w.out.DeletePods, func(d assess.PodDeletion) error { return w.deletePod(ctx, d) })
	ended := controllers.Each(w.out.DeleteJobs, func(d assess.JobDeletion) error { return w.deleteJob(ctx, d) })
	swept := controllers.Each(w.out.Leftovers, func(p *corev1.Pod) error { return w.own.DeleteLeftover(ctx, p) })
	noded := w.actOnNodes(ctx)
	launched := errors.Join(
		controllers.Each(w.out.LaunchPods, func(l assess.PodLaunch) error { return w.launchPod(ctx, l) }),
		w.launchJobs(ctx))
	if launched != nil { // a quota or an admission policy, mostly: nobody would look for it in the operator's log
		w.Recorder.Eventf(w.run, nil, corev1.EventTypeWarning, v1alpha1.ReasonLaunchFailed, "Launch", launchFailed, quantity.Clip(launched.Error(), 800))
	}
	return errors.Join(grouped, stored, deleted, ended, swept, noded, launched)
}

// actOnNodes does to nodes what was judged of them, where their results are stored.
func (w *writer) actOnNodes(ctx context.Context) error {
	return w.nodes.Act(ctx, quarantine.Pass{Run: w.run, Now: w.in.Now, Nodes: w.in.Nodes, Quarantined: w.quarantined, Out: w.out,
		Memory: &w.memory.nodes, Stored: w.whole, Note: w.note})
}

// note what was found out about a node.
func (w *writer) note(node string, change func(*assess.NodeWritten)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.written.Nodes[node]
	change(&n)
	w.written.Nodes[node] = n
}

// recheckSoon makes the next pass follow this one, as something is not as it was read.
func (w *writer) recheckSoon() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at := w.in.Now.Add(assess.BatchDelay); w.written.Recheck.IsZero() || at.Before(w.written.Recheck) {
		w.written.Recheck = at
	}
}

// unlessConflict is an error but where something is not as it was seen: another pass follows soon.
func (w *writer) unlessConflict(err error) error {
	if apierrors.IsConflict(err) {
		w.recheckSoon()
		return nil
	}
	return err
}

// known is a result as the cluster has it: as this pass has written it, or else as it was read.
func (w *writer) known(name string, read *v1alpha1.ValidationResult) *v1alpha1.ValidationResult {
	w.mu.Lock()
	defer w.mu.Unlock()
	if v := w.stored[name]; v != nil {
		return v
	}
	return read
}

// isUnstored: a result could not be written in this pass.
func (w *writer) isUnstored(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unstored[name]
}

// whole is a result as the cluster has it; false: it could not be written in this pass, or was stored without what its verdict rests on.
func (w *writer) whole(judged *v1alpha1.ValidationResult) (*v1alpha1.ValidationResult, bool) {
	if w.isUnstored(judged.Name) {
		return nil, false
	}
	w.mu.Lock()
	refused := w.written.Nodes[judged.Node.Name].Refused
	w.mu.Unlock()
	return w.known(judged.Name, judged), !refused
}
