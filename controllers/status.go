package controllers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/plan"
	"github.com/assay-dev/assay/internal/verdict"
)

const (
	maxRows       = 100
	maxRowMessage = 512
)

// report writes the run's status, once. Where a write of this pass failed nothing is final, until the run has had its time.
func (r *RunReconciler) report(ctx context.Context, s *scope) (reconcile.Result, error) {
	over := s.over() && (s.failed == nil || s.pastCleanup())
	if over {
		s.writeOff()
	}
	next := s.status()
	s.conclude(&next, over)
	verdict.FitStatus(&next)
	wait := s.lookAgain()
	if equality.Semantic.DeepEqual(s.run.Status, next) {
		return reconcile.Result{RequeueAfter: wait}, nil
	}
	// Progress is written at most once a second; what a script waits for, at once.
	since := r.memory.sinceReport(s.run.UID, s.now)
	if !over && started(s.run) && since < statusInterval && conditionsEqual(s.run.Status.Conditions, next.Conditions) {
		return reconcile.Result{RequeueAfter: min(wait, statusInterval-since)}, nil
	}
	if err := r.patchStatus(ctx, s.run, next); err != nil {
		return reconcile.Result{}, err
	}
	r.memory.reported(s.run.UID, s.now)
	r.announce(s, next, over)
	return reconcile.Result{RequeueAfter: wait}, nil
}

func (r *RunReconciler) patchStatus(ctx context.Context, run *v1alpha1.ValidationRun, next v1alpha1.ValidationRunStatus) error {
	changed := run.DeepCopy()
	changed.Status = next
	if err := r.Status().Patch(ctx, changed, client.MergeFromWithOptions(run, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("writing the status of run %s: %w", run.Name, client.IgnoreNotFound(err))
	}
	r.memory.wrote(changed)
	return nil
}

// announce tells of the run's beginning and end by an event, after the status says so.
func (r *RunReconciler) announce(s *scope, next v1alpha1.ValidationRunStatus, over bool) {
	c := meta.FindStatusCondition(next.Conditions, v1alpha1.ConditionFinished)
	switch {
	case over:
		kind := corev1.EventTypeNormal
		if next.Verdict != v1alpha1.VerdictPass {
			kind = corev1.EventTypeWarning
		}
		r.Recorder.Eventf(s.run, nil, kind, c.Reason, "Finish", "%s", verdict.Clip(c.Message, 1000))
		r.Metrics.RunFinished(next.Verdict)
	case !started(s.run) && next.StartTime != nil:
		r.Recorder.Eventf(s.run, nil, corev1.EventTypeNormal, v1alpha1.ReasonStarted, "Start", "measuring %d nodes by %d benchmarks", len(s.nodes), len(s.tasks))
		if s.badProfiles != nil {
			r.Recorder.Eventf(s.run, nil, corev1.EventTypeWarning, v1alpha1.ReasonProfileUnreadable, "Start", "%s", verdict.Clip(s.badProfiles.Error(), 1000))
		}
	}
}

// writeOff nodes whose result the API server would not store to the end: what nobody can look up is no verdict.
func (s *scope) writeOff() {
	for _, n := range s.nodes {
		if n.stored != n.result && n.unstored != nil {
			n.verdict, n.reason = v1alpha1.VerdictError, v1alpha1.ReasonNotStored
			n.message = verdict.Clip("measured, but the result could not be stored: "+n.unstored.Error(), maxRowMessage)
		}
	}
}

// over: every node has its verdict and no pod is left, or the last pods had their time to go.
func (s *scope) over() bool {
	if s.run.Spec.Suspend || !started(s.run) && len(s.nodes) > 0 {
		return false
	}
	for _, n := range s.nodes {
		if !n.final() || len(n.pods) > 0 && !s.pastCleanup() {
			return false
		}
	}
	return !s.busyJobs() || s.pastCleanup()
}

// lookAgain is how long the run can be left alone when nothing changes.
func (s *scope) lookAgain() time.Duration {
	at := s.plan.LookAgain
	if s.overdue() {
		at = s.deadline.Add(cleanupGrace)
		if soon := s.now.Add(plan.BusyRecheck); s.busyJobs() && soon.Before(at) { // MPIJobs are not watched
			at = soon
		}
	}
	for _, n := range s.nodes {
		if !n.lookAgain.IsZero() && n.lookAgain.Before(at) {
			at = n.lookAgain
		}
	}
	if !s.woken.IsZero() && s.woken.Before(at) {
		at = s.woken
	}
	if s.run.Spec.Suspend {
		// A pod on a node whose kubelet is gone is removed by force once the node is given up.
		if s.podsLeft() != "" {
			return recheck
		}
		return 0
	}
	return max(at.Sub(s.now), batchDelay)
}

// status is what the run found so far, without the conditions.
func (s *scope) status() v1alpha1.ValidationRunStatus {
	next := *s.run.Status.DeepCopy()
	next.ObservedGeneration = s.run.Generation
	if s.pin != nil && s.pin.stored {
		next.Catalogue = s.pin.snapshot.Reference(pinName(s.run), s.pin.hash, s.configurations())
	}
	if !s.run.Spec.Suspend {
		next.StartTime = &metav1.Time{Time: s.started.Truncate(time.Second)}
	}
	switch {
	case s.failed != nil:
		next.LastWriteError = verdict.Clip(s.failed.Error(), 1024)
	case !s.overdue(): // after the deadline nothing is tried any more that could show it mended
		next.LastWriteError = ""
	}
	sum := s.summary()
	next.Summary = &sum
	done := sum.Nodes - sum.Pending - sum.Running
	next.Progress = fmt.Sprintf("%d/%d", done, sum.Nodes)
	next.Nodes = s.rows()
	next.Findings = s.findings
	next.Worst = ""
	if len(next.Nodes) > 0 && verdict.Severity(next.Nodes[0].Verdict) > verdict.Severity(v1alpha1.VerdictPass) {
		next.Worst = verdict.Clip(next.Nodes[0].Name+": "+next.Nodes[0].Message, 512)
	}
	next.Benchmarks = nil
	for i, t := range s.tasks {
		var values [][]v1alpha1.HeadlineValue
		for _, n := range s.nodes {
			values = append(values, n.decisions[i].Headline)
		}
		next.Benchmarks = append(next.Benchmarks, verdict.Summarise(t.metrics, t.name(), values)...)
	}
	return next
}

func (s *scope) configurations() map[string]string {
	out := map[string]string{}
	for _, t := range s.tasks {
		out[t.name()] = t.configuration
	}
	return out
}

func (s *scope) summary() v1alpha1.RunSummary {
	sum := v1alpha1.RunSummary{Nodes: int32(len(s.nodes))}
	for _, n := range s.nodes {
		if n.tainted() {
			sum.Tainted++
		}
		switch n.verdict {
		case v1alpha1.VerdictPass:
			sum.Passed++
		case v1alpha1.VerdictFail:
			sum.Failed++
		case v1alpha1.VerdictSkipped:
			sum.Skipped++
		case v1alpha1.VerdictPending:
			if len(n.pods) > 0 || n.result != nil || len(s.index.nodes[n.name]) > 0 {
				sum.Running++
			} else {
				sum.Pending++
			}
		default:
			sum.Errored++
		}
	}
	return sum
}

// rows are the nodes, worst first, as many as the API shows.
func (s *scope) rows() []v1alpha1.NodeRow {
	ordered := slices.Clone(s.nodes)
	slices.SortFunc(ordered, func(a, b *nodeScope) int {
		return cmp.Or(cmp.Compare(verdict.Severity(b.verdict), verdict.Severity(a.verdict)), cmp.Compare(a.name, b.name))
	})
	var rows []v1alpha1.NodeRow
	for _, n := range ordered[:min(len(ordered), maxRows)] {
		rows = append(rows, s.row(n))
	}
	return rows
}

func (s *scope) row(n *nodeScope) v1alpha1.NodeRow {
	row := v1alpha1.NodeRow{Name: n.name, Verdict: n.verdict, Reason: n.reason, Tainted: n.tainted(),
		Message: verdict.Clip(n.message, maxRowMessage)}
	if n.remark != "" {
		remark := verdict.Clip(n.remark, maxRowMessage/2)
		row.Message = verdict.Clip(n.message, maxRowMessage-len(remark)-2) + "; " + remark
	}
	for _, d := range n.decisions {
		row.Metrics = append(row.Metrics, d.Headline...)
	}
	row.Metrics = row.Metrics[:min(len(row.Metrics), 32)]
	if n.final() {
		return row
	}
	row.Reason, row.Message = v1alpha1.ReasonRunning, "waits for the rest of the fleet to be compared with"
	if why := s.groupMessage(n.name); why != "" {
		row.Message = verdict.Clip(why, maxRowMessage)
	}
	if why, ok := s.plan.Waiting[n.name]; ok {
		row.Reason, row.Message = v1alpha1.ReasonWaiting, why
	}
	for _, p := range n.pods {
		row.Reason, row.Message = v1alpha1.ReasonRunning, verdict.Clip(podMessage(p), maxRowMessage)
	}
	return row
}

func conditionsEqual(a, b []metav1.Condition) bool {
	return slices.EqualFunc(a, b, func(x, y metav1.Condition) bool {
		return x.Type == y.Type && x.Status == y.Status && x.Reason == y.Reason
	})
}
