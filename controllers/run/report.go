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
		return nil
	case err != nil:
		return fmt.Errorf("writing the status of run %s: %w", run.Name, err)
	}
	r.recent.Wrote(changed)
	return nil
}

// announce tells of the run's beginning and end by an event, after the status says so.
func (r *Reconciler) announce(p *pass, report assess.Report) {
	next := report.Status
	c := meta.FindStatusCondition(next.Conditions, v1alpha1.ConditionFinished)
	switch {
	case report.Over:
		kind := corev1.EventTypeNormal
		if next.Verdict != v1alpha1.VerdictPass {
			kind = corev1.EventTypeWarning
		}
		r.Recorder.Eventf(p.run, nil, kind, c.Reason, "Finish", "%s", quantity.Clip(c.Message, 1000))
		r.Metrics.RunFinished(next.Verdict)
		r.Webhook.RunFinished(p.run, &next)
	case !observe.Started(p.run) && next.StartTime != nil:
		r.Recorder.Eventf(p.run, nil, corev1.EventTypeNormal, v1alpha1.ReasonStarted, "Start", "%s", runStarted(next.Summary.Nodes, len(p.in.Tasks)))
		if p.badProfiles != nil {
			r.Recorder.Eventf(p.run, nil, corev1.EventTypeWarning, v1alpha1.ReasonProfileUnreadable, "Start", "%s", quantity.Clip(p.badProfiles.Error(), 1000))
		}
	}
}

func conditionsEqual(a, b []metav1.Condition) bool {
	return slices.EqualFunc(a, b, func(x, y metav1.Condition) bool {
		return x.Type == y.Type && x.Status == y.Status && x.Reason == y.Reason
	})
}
