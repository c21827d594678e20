package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/quantity"
)

// report writes the run's status, once.
func (r *Reconciler) report(ctx context.Context, p *pass, report assess.Report) (reconcile.Result, error) {
	next, wait := report.Status, report.Recheck
	if equality.Semantic.DeepEqual(p.run.Status, next) {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	// Progress is written at most once a second; what a script waits for, at once.
	since := r.recent.SinceReport(p.run.UID, p.in.Now)
	if !report.Over && observe.Started(p.run) && since < statusInterval && conditionsEqual(p.run.Status.Conditions, next.Conditions) {
		return reconcile.Result{RequeueAfter: min(cmp.Or(wait, statusInterval), statusInterval-since)}, nil
	}
	if err := r.patchStatus(ctx, p.run, next); err != nil {
		return reconcile.Result{}, err
	}
	r.recent.Reported(p.run.UID, p.in.Now)
	r.announce(p, report)
	return reconcile.Result{RequeueAfter: wait}, nil
}

// patchStatus writes a status. Where the API server will never take it, as other parts of the run leave it too little room, what results and
// NodeValidations say as well is left out: the run ends all the same.
func (r *Reconciler) patchStatus(ctx context.Context, run *v1alpha1.ValidationRun, next v1alpha1.ValidationRunStatus) error {
	changed := run.DeepCopy()
	changed.Status = next
	lock := client.MergeFromWithOptions(run, client.MergeFromWithOptimisticLock{})
	err := r.Status().Patch(ctx, changed, lock)
	if controllers.IsRefused(err) {
		changed = run.DeepCopy()
		changed.Status = next
		changed.Status.Nodes, changed.Status.Findings, changed.Status.Benchmarks = nil, nil, nil
		err = r.Status().Patch(ctx, changed, lock)
	}
	switch {
	case apierrors.IsNotFound(err):
		r.recent.Gone(run.UID)
		return nil
	case apierrors.IsConflict(err):
		r.memoryOf(run).overtaken(run, r.Clock.Now())
		return fmt.Errorf("writing the status of run %s: %w", run.Name, err)
	case err != nil:
		if changed.Finished() && !run.Finished() {
			r.memoryOf(run).end = &changed.Status
		}
		return fmt.Errorf("writing the status of run %s: %w", run.Name, err)
	}
	r.recent.Wrote(changed)
	return nil
}

// announce tells of the run's beginning and end by an event, after the status says so.
func (r *Reconciler) announce(p *pass, report assess.Report) {
	switch {
	case report.Over:
		r.announceEnd(p.run, &report.Status)
	case !observe.Started(p.run) && report.Status.StartTime != nil:
		r.Recorder.Eventf(p.run, nil, corev1.EventTypeNormal, v1alpha1.ReasonStarted, "Start", "%s", runStarted(report.Status.Summary.Nodes, len(p.in.Tasks)))
		if p.badProfiles != nil {
			r.Recorder.Eventf(p.run, nil, corev1.EventTypeWarning, v1alpha1.ReasonProfileUnreadable, "Start", "%s", quantity.Clip(p.badProfiles.Error(), 1000))
		}
	}
}

// announceEnd of a run, after its status says so.
func (r *Reconciler) announceEnd(run *v1alpha1.ValidationRun, status *v1alpha1.ValidationRunStatus) {
	kind := corev1.EventTypeNormal
	if status.Verdict != v1alpha1.VerdictPass {
		kind = corev1.EventTypeWarning
	}
	c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionFinished)
	r.Recorder.Eventf(run, nil, kind, c.Reason, "Finish", "%s", quantity.Clip(c.Message, 1000))
	r.Metrics.RunFinished(status.Verdict)
	r.Webhook.RunFinished(run, status)
}

// leave a run that is over, or on its way out. The write of its end may have come through although it failed, as far as anybody knew: then the end is told now. The
// cache has less of a run that is over than what was written.
func (r *Reconciler) leave(run *v1alpha1.ValidationRun) {
	if m, known := r.memories.Get(run.Name); known && m.run == run.UID && m.end != nil {
		is := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
		was := meta.FindStatusCondition(m.end.Conditions, v1alpha1.ConditionFinished)
		if is != nil && is.Status == was.Status && is.Message == was.Message {
			r.announceEnd(run, m.end)
		}
	}
	r.forget(run.Name)
}

func conditionsEqual(a, b []metav1.Condition) bool {
	return slices.EqualFunc(a, b, func(x, y metav1.Condition) bool {
		return x.Type == y.Type && x.Status == y.Status && x.Reason == y.Reason
	})
}
