package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/taint"
	"github.com/assay-dev/assay/internal/verdict"
)

// actOnNodes brings every judged node to the state its verdict asks for: what is remembered of it, its taint, its
// condition and label. The taint comes after the record that explains it; the record is cleared after the taint.
func (r *RunReconciler) actOnNodes(ctx context.Context, s *scope) error {
	var judged []*nodeScope
	for _, n := range s.nodes {
		if actionable(n) {
			judged = append(judged, n)
		}
	}
	return each(judged, func(n *nodeScope) error {
		if err := r.actOnNode(ctx, s, n); err != nil {
			return fmt.Errorf("acting on node %s: %w", n.name, err)
		}
		return nil
	})
}

// actionable: the node was measured and judged, the result is stored, and the node is still the one that was measured.
func actionable(n *nodeScope) bool {
	return n.final() && n.verdict != v1alpha1.VerdictSkipped && n.node != nil && n.stored != nil && n.stored == n.result &&
		n.node.DeletionTimestamp.IsZero() && n.stored.Node.UID == n.node.UID
}

func (r *RunReconciler) actOnNode(ctx context.Context, s *scope, n *nodeScope) error {
	next := r.nextValidation(s, n)
	switch n.verdict {
	case v1alpha1.VerdictFail:
		return r.actOnFailure(ctx, s, n, next)
	case v1alpha1.VerdictPass:
		return r.actOnPass(ctx, s, n, next)
	}
	// What could not be measured proves nothing: the node's taint, condition and label stay.
	return r.storeValidation(ctx, s, n, next)
}

func (r *RunReconciler) nextValidation(s *scope, n *nodeScope) *v1alpha1.NodeValidation {
	at := metav1.NewTime(s.now)
	if v := n.validation; v != nil && v.LastRun.UID == s.run.UID {
		at = v.ValidatedAt
	}
	configurations := map[string]string{}
	for _, t := range s.tasks {
		configurations[t.name()] = t.configuration
	}
	return taint.NextValidation(n.validation, taint.Outcome{
		Node: n.node, Run: v1alpha1.ObjectReference{Name: s.run.Name, UID: s.run.UID}, Result: n.stored,
		Configurations: configurations, Time: at,
	})
}

// actOnFailure taints within the budget. While the breaker is open the node is neither tainted nor told to be unfit.
func (r *RunReconciler) actOnFailure(ctx context.Context, s *scope, n *nodeScope, next *v1alpha1.NodeValidation) error {
	want := s.run.Spec.OnFailure
	if want == nil || want.Taint == nil {
		if err := r.storeValidation(ctx, s, n, next); err != nil {
			return err
		}
		return r.applyNode(ctx, s, n)
	}
	r.taints.Lock()
	defer r.taints.Unlock()
	allowed, _ := taint.MayTaint(s.breaker.input)
	if !n.tainted(s.run) && (s.breaker.open || !allowed) {
		return r.storeValidation(ctx, s, n, next)
	}
	t := corev1.Taint{Key: want.Taint.Key, Value: want.Taint.Value, Effect: want.Taint.Effect}
	var failed []string
	for i, d := range n.decisions {
		if d.Verdict == v1alpha1.VerdictFail {
			failed = append(failed, s.tasks[i].name())
		}
	}
	next.Quarantine = taint.NextQuarantine(next.Quarantine, t, v1alpha1.ObjectReference{Name: s.run.Name, UID: s.run.UID}, failed, next.ValidatedAt)
	if err := r.storeValidation(ctx, s, n, next); err != nil {
		return err
	}
	q := next.Quarantine
	changed, err := r.writeTaints(ctx, n, func(live []corev1.Taint) ([]corev1.Taint, bool) {
		return taint.With(live, corev1.Taint{Key: q.Key, Value: q.Value, Effect: q.Effect})
	})
	if err != nil {
		return fmt.Errorf("tainting: %w", err)
	}
	s.markTainted(n.name)
	if changed {
		r.Recorder.Eventf(n.node, s.run, corev1.EventTypeWarning, v1alpha1.ReasonTaintAdded, "Taint",
			"run %s put taint %s=%s:%s on the node: %s", s.run.Name, q.Key, q.Value, q.Effect, verdict.Clip(n.message, 900))
		r.Metrics.TaintAdded()
	}
	return r.applyNode(ctx, s, n)
}

// markTainted keeps the budget of this pass right.
func (s *scope) markTainted(name string) {
	for i := range s.breaker.input.Judged {
		if s.breaker.input.Judged[i].Name == name {
			s.breaker.input.Judged[i].Tainted = true
		}
	}
}

// actOnPass lifts the taint where everything that failed before has passed now.
func (r *RunReconciler) actOnPass(ctx context.Context, s *scope, n *nodeScope, next *v1alpha1.NodeValidation) error {
	if q := next.Quarantine; q != nil && q.Run.UID != s.run.UID {
		passed := map[string]bool{}
		for i, d := range n.decisions {
			passed[s.tasks[i].name()] = d.Verdict == v1alpha1.VerdictPass
		}
		recovered, message := taint.Recovered(q, passed)
		if !recovered {
			// The node passed these benchmarks, but not yet what it was tainted for.
			return r.storeValidation(ctx, s, n, next)
		}
		changed, err := r.writeTaints(ctx, n, func(live []corev1.Taint) ([]corev1.Taint, bool) {
			return taint.Without(live, q.Key, q.Effect)
		})
		if err != nil {
			return fmt.Errorf("lifting the taint: %w", err)
		}
		if changed {
			r.Recorder.Eventf(n.node, s.run, corev1.EventTypeNormal, v1alpha1.ReasonTaintRemoved, "Untaint",
				"run %s lifted taint %s:%s: %s", s.run.Name, q.Key, q.Effect, message)
			r.Metrics.TaintRemoved()
		}
		next.Quarantine = nil
	}
	if err := r.storeValidation(ctx, s, n, next); err != nil {
		return err
	}
	return r.applyNode(ctx, s, n)
}

// storeValidation writes what is known of the node, if that changed.
func (r *RunReconciler) storeValidation(ctx context.Context, s *scope, n *nodeScope, next *v1alpha1.NodeValidation) error {
	if n.validation != nil && equality.Semantic.DeepEqual(n.validation, next) {
		return nil
	}
	next = next.DeepCopy()
	next.Name = n.name
	if err := controllerutil.SetOwnerReference(n.node, next, r.Scheme()); err != nil {
		return fmt.Errorf("owning the NodeValidation: %w", err)
	}
	var err error
	if n.validation == nil {
		err = r.Create(ctx, next, client.FieldOwner(fieldOwner))
	} else {
		err = r.Update(ctx, next, client.FieldOwner(fieldOwner))
	}
	if err != nil {
		return fmt.Errorf("storing the NodeValidation: %w", err)
	}
	r.memory.wrote(next)
	if n.verdict == v1alpha1.VerdictFail && (n.validation == nil || n.validation.LastRun.UID != s.run.UID) {
		r.Recorder.Eventf(n.node, s.run, corev1.EventTypeWarning, v1alpha1.ReasonNodeFailed, "Validate",
			"run %s: %s", s.run.Name, verdict.Clip(n.message, 900))
	}
	n.validation = next
	return nil
}

// writeTaints changes the taints that the node carries at this moment, under its resourceVersion; only what change does differs.
func (r *RunReconciler) writeTaints(ctx context.Context, n *nodeScope, change func([]corev1.Taint) ([]corev1.Taint, bool)) (bool, error) {
	if _, changed := change(n.node.Spec.Taints); !changed {
		return false, nil
	}
	var wrote bool
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live := &corev1.Node{}
		if err := r.Live.Get(ctx, client.ObjectKey{Name: n.name}, live); err != nil {
			return err
		}
		if live.UID != n.node.UID {
			return errReplaced
		}
		taints, changed := change(live.Spec.Taints)
		if wrote = changed; !changed {
			return nil
		}
		live.Spec.Taints = taints
		if err := r.Update(ctx, live, client.FieldOwner(fieldOwner)); err != nil {
			return err
		}
		r.memory.wrote(live)
		n.node = live
		return nil
	})
	if errors.Is(err, errReplaced) || apierrors.IsNotFound(err) {
		return false, nil
	}
	return wrote, err
}

// errReplaced: the node that was measured is not there any more; there is nothing to act on.
var errReplaced = errors.New("the node was replaced")

// applyNode sets the node's condition and verdict label in one server-side apply: the status endpoint of a Node takes
// its labels along.
func (r *RunReconciler) applyNode(ctx context.Context, s *scope, n *nodeScope) error {
	previous := condition(n.node)
	next := taint.Condition(n.verdict, n.reason, n.message, metav1.NewTime(s.now), previous)
	label := taint.VerdictLabel(n.verdict)
	if previous != nil && previous.Status == next.Status && previous.Reason == next.Reason && previous.Message == next.Message &&
		n.node.Labels[v1alpha1.LabelVerdict] == label {
		return nil
	}
	what := fmt.Sprint(s.run.UID, next.Status, next.Reason, next.Message, label)
	if r.memory.justApplied(n.node.UID, what) {
		return nil
	}
	apply := corev1ac.Node(n.name).WithUID(n.node.UID).
		WithLabels(map[string]string{v1alpha1.LabelVerdict: label}).
		WithStatus(corev1ac.NodeStatus().WithConditions(corev1ac.NodeCondition().
			WithType(next.Type).WithStatus(next.Status).WithReason(next.Reason).WithMessage(next.Message).
			WithLastTransitionTime(next.LastTransitionTime).WithLastHeartbeatTime(next.LastHeartbeatTime)))
	if err := r.Status().Apply(ctx, apply, client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
		if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return nil
		}
		return fmt.Errorf("applying the node's condition: %w", err)
	}
	r.memory.markApplied(n.node.UID, what)
	return nil
}

func condition(node *corev1.Node) *corev1.NodeCondition {
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == v1alpha1.NodeConditionValidated {
			return &node.Status.Conditions[i]
		}
	}
	return nil
}
