package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
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

// actOnNode does nothing where it has done all before and nothing has changed since: in a large run most nodes are settled in most
// passes, and each would cost a copy of all that is known of it.
func (r *RunReconciler) actOnNode(ctx context.Context, s *scope, n *nodeScope) error {
	if r.settled.is(s.run.UID, n.name, s.standing(n)) {
		return nil
	}
	err := r.draw(ctx, s, n)
	if err == nil && n.remark == "" { // a remark is said anew in every pass
		r.settled.put(s.run.UID, n.name, s.standing(n))
	}
	return err
}

// standing is all that decides what is done about a node.
func (s *scope) standing(n *nodeScope) standing {
	now := standing{node: n.node.ResourceVersion, result: n.stored.ResourceVersion, verdict: n.verdict, breaker: s.breaker.open}
	if n.validation != nil {
		now.validation = n.validation.ResourceVersion
	}
	return now
}

// nextValidation is what is known of the node after this run, but for what follows from it.
func (s *scope) nextValidation(n *nodeScope) *v1alpha1.NodeValidation {
	out := taint.Outcome{Node: n.node, Run: s.reference(), Result: n.stored, Time: metav1.NewTime(s.now),
		Held: map[string][]v1alpha1.HeldRule{}, OwnParameters: map[string]bool{}}
	for i, d := range n.decisions {
		t := &s.tasks[i]
		out.OwnParameters[t.name()] = t.parameters
		for _, h := range d.Terms.Held {
			out.Held[t.name()] = append(out.Held[t.name()], v1alpha1.HeldRule{Metric: h.Metric, Rule: h.Rule, Limit: h.Limit, Value: h.Value,
				Parts: h.Parts, AsCatalogued: t.asCatalogued(h.Metric)})
		}
	}
	return taint.NextValidation(n.validation, out)
}

func (s *scope) reference() v1alpha1.ObjectReference {
	return v1alpha1.ObjectReference{Name: s.run.Name, UID: s.run.UID}
}

// draw from a run's judgement what follows for the node. Convictions that any later measurement refutes go, whatever else
// came of that run; with the last of them, the taint. What this run failed convicts, and within the budgets taints. While the
// breaker is open the node is neither tainted nor told to be unfit.
func (r *RunReconciler) draw(ctx context.Context, s *scope, n *nodeScope) error {
	next := s.nextValidation(n)
	standing, own := s.convictions(n, next)
	n.remark = s.outstanding(n, next, standing)
	silent := s.breaker.open && !n.tainted()
	if silent {
		own = nil
	}
	convicted := taint.Convict(standing, own)
	wanted := s.run.Spec.OnFailure != nil && s.run.Spec.OnFailure.Taint != nil
	switch {
	case len(convicted) == 0 && len(next.Convictions) > 0:
		return r.lift(ctx, s, n)
	case n.verdict == v1alpha1.VerdictFail && len(own) == 0:
		if !silent {
			n.remark = "a later measurement supersedes this one"
		}
		next.Convictions = standing
		return r.storeValidation(ctx, s, n, next)
	case len(own) > 0 && wanted && (!n.tainted() || !equality.Semantic.DeepEqual(convicted, next.Convictions)):
		return r.quarantine(ctx, s, n)
	}
	next.Convictions = convicted
	return r.storeAndSpeak(ctx, s, n, next)
}

// convictions of a node: those that stand, and this run's own, of rules that it failed and that no later measurement has refuted.
func (s *scope) convictions(n *nodeScope, next *v1alpha1.NodeValidation) (standing, own []v1alpha1.Conviction) {
	for i, d := range n.decisions {
		row := n.benchmark(s.tasks[i].name())
		if d.Verdict != v1alpha1.VerdictFail || row == nil {
			continue
		}
		for _, t := range d.Terms.Broken {
			c := v1alpha1.Conviction{Benchmark: row.Name, Metric: t.Metric, Rule: t.Rule, At: t.At, Unit: t.Unit, Value: t.Value, Bound: t.Bound,
				Limit: t.Limit, Parts: t.Parts, Configuration: taint.Configuration(row), AsCatalogued: s.tasks[i].asCatalogued(t.Metric),
				Run: s.reference(), MeasuredAt: taint.MeasuredAt(row)}
			if refuted, _ := taint.Refuted(next, &c); !refuted {
				own = append(own, c)
			}
		}
	}
	return taint.Standing(next, s.run.UID, own), own
}

// outstanding says what a node that this run did not fail still has to prove.
func (s *scope) outstanding(n *nodeScope, next *v1alpha1.NodeValidation, standing []v1alpha1.Conviction) string {
	if len(standing) == 0 || n.verdict == v1alpha1.VerdictFail {
		return ""
	}
	c := &standing[0]
	i := s.taskNamed(c.Benchmark)
	if i < 0 || n.benchmark(c.Benchmark) == nil {
		return taint.Outstanding(standing, "this run did not measure it by "+c.Benchmark)
	}
	_, why := taint.Refuted(next, c)
	if why == "" {
		why = verdict.Unjudged(c, n.decisions[i].Findings)
	}
	return taint.Outstanding(standing, why)
}

// storeAndSpeak stores what is known of the node, and lets its condition and label say so where this run's word counts.
func (r *RunReconciler) storeAndSpeak(ctx context.Context, s *scope, n *nodeScope, next *v1alpha1.NodeValidation) error {
	if err := r.storeValidation(ctx, s, n, next); err != nil {
		return err
	}
	if taint.Speaker(next) != s.run.UID {
		return nil
	}
	return r.applyNode(ctx, s, n, n.word())
}

// storeValidation writes what is known of the node, if that changed.
func (r *RunReconciler) storeValidation(ctx context.Context, s *scope, n *nodeScope, next *v1alpha1.NodeValidation) error {
	if n.validation != nil && equality.Semantic.DeepEqual(n.validation, next) {
		return nil
	}
	next = next.DeepCopy()
	next.Name = n.name
	delete(next.Labels, v1alpha1.LabelQuarantined)
	if next.Quarantine != nil {
		metav1.SetMetaDataLabel(&next.ObjectMeta, v1alpha1.LabelQuarantined, "true")
	}
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
	if n.verdict == v1alpha1.VerdictFail && (n.validation == nil || n.validation.OffenceCount < next.OffenceCount) {
		r.Recorder.Eventf(n.node, s.run, corev1.EventTypeWarning, v1alpha1.ReasonNodeFailed, "Validate",
			"run %s: %s", s.run.Name, verdict.Clip(n.message, 900))
	}
	n.validation = next
	return nil
}

// word is what a node's condition and label say.
type word struct {
	verdict         v1alpha1.Verdict
	reason, message string
}

func (n *nodeScope) word() word { return word{n.verdict, n.reason, n.message} }

// freed is what is said of a node once its last conviction is refuted: condition and label still say what is refuted, and the run of the
// newest proof may be over and silent. Where this run failed the node, and a later measurement has superseded that, the
// newest proof speaks.
func (n *nodeScope) freed(next *v1alpha1.NodeValidation) (w word, ok bool) {
	p := next.Proof
	switch {
	case n.verdict != v1alpha1.VerdictFail:
		return n.word(), true
	case p == nil || p.Verdict != v1alpha1.VerdictPass:
		return word{}, false
	case next.LastRun.UID == p.Run.UID:
		return word{p.Verdict, v1alpha1.ReasonPassed, next.Message}, true
	}
	return word{p.Verdict, v1alpha1.ReasonPassed, "run " + p.Run.Name + " passed"}, true
}

// applyNode sets the node's condition and verdict label in one server-side apply: the status endpoint of a Node takes
// its labels along.
func (r *RunReconciler) applyNode(ctx context.Context, s *scope, n *nodeScope, w word) error {
	previous := condition(n.node)
	next := taint.Condition(w.verdict, w.reason, w.message, metav1.NewTime(s.now), previous)
	label := taint.VerdictLabel(w.verdict)
	if previous != nil && previous.Status == next.Status && previous.Reason == next.Reason && previous.Message == next.Message &&
		n.node.Labels[v1alpha1.LabelVerdict] == label {
		return nil
	}
	what := fmt.Sprint(s.run.UID, next.Status, next.Reason, next.Message, label)
	if r.memory.justApplied(n.node.UID, what) {
		return nil
	}
	apply := corev1ac.Node(n.name).WithUID(n.node.UID).
		WithStatus(corev1ac.NodeStatus().WithConditions(corev1ac.NodeCondition().
			WithType(next.Type).WithStatus(next.Status).WithReason(next.Reason).WithMessage(next.Message).
			WithLastTransitionTime(next.LastTransitionTime).WithLastHeartbeatTime(next.LastHeartbeatTime)))
	if label != "" { // without it, the one that was applied before goes
		apply.WithLabels(map[string]string{v1alpha1.LabelVerdict: label})
	}
	if err := r.Status().Apply(ctx, apply, client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
		if apierrors.IsNotFound(err) {
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
