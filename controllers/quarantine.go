package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/taint"
	"github.com/assay-dev/assay/internal/verdict"
)

// announced is how long a quarantine that was just recorded counts although its node does not carry the taint yet: another leader may
// be about to write it. It is measured by the API server's clock alone.
const announced = 2 * time.Minute

// failureTaint is the taint that a run puts on nodes that failed.
func failureTaint(run *v1alpha1.ValidationRun) corev1.Taint {
	t := run.Spec.OnFailure.Taint
	return corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}
}

// refresh reads the node and what is known of it past the cache: what is lifted or counted must be what is there. It is false where
// the node is not the one that was measured any more.
func (r *RunReconciler) refresh(ctx context.Context, n *nodeScope) (bool, error) {
	node := &corev1.Node{}
	if err := r.Live.Get(ctx, client.ObjectKey{Name: n.name}, node); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	if node.UID != n.node.UID {
		return false, nil
	}
	validation := &v1alpha1.NodeValidation{}
	err := r.Live.Get(ctx, client.ObjectKey{Name: n.name}, validation)
	switch {
	case apierrors.IsNotFound(err):
		n.validation = nil
	case err != nil:
		return false, fmt.Errorf("getting NodeValidation %s: %w", n.name, err)
	default:
		n.validation = validation
	}
	n.node = node
	return true, nil
}

// quarantine taints a node that failed. The record of it comes first, and then the budgets are counted, record included: of two
// leaders that both think they lead, the later one to count sees what the other one has announced.
func (r *RunReconciler) quarantine(ctx context.Context, s *scope, n *nodeScope) error {
	r.taints.Lock()
	defer r.taints.Unlock()
	if !n.tainted() && s.budgetSpent != "" { // hundreds may be waiting: none is read anew for that
		n.remark = s.budgetSpent
		next := s.nextValidation(n)
		next.Convictions, _ = s.convictions(n, next)
		return r.storeValidation(ctx, s, n, next)
	}
	if same, err := r.refresh(ctx, n); err != nil || !same {
		return err
	}
	next := s.nextValidation(n)
	standing, own := s.convictions(n, next)
	convicted := taint.Convict(standing, own)
	if len(own) == 0 {
		next.Convictions = convicted
		return r.storeValidation(ctx, s, n, next)
	}
	t := failureTaint(s.run)
	if q := next.Quarantine; q != nil && (taint.Carries(n.node.Spec.Taints, q) || r.Policy.Refuses(taint.Of(q)) == "") {
		t = taint.Of(q) // it keeps its taint, allowed or not: no record would explain it beside a second one
	}
	switch state := taint.StateOf(n.node.Spec.Taints, t, next.Quarantine); {
	case state == taint.Foreign:
		n.remark = fmt.Sprintf("not tainted: the node carries a taint %s:%s that no record of Assay explains, and it stays as it is", t.Key, t.Effect)
		next.Convictions = convicted
		return r.storeAndSpeak(ctx, s, n, next)
	case state == taint.Ours:
		next.Convictions = convicted
		return r.storeAndSpeak(ctx, s, n, next)
	case s.taintRefused != "":
		n.remark = "not tainted: " + s.taintRefused
		next.Convictions = standing
		return r.storeValidation(ctx, s, n, next)
	}
	why, err := r.overBudget(ctx, s, n, false)
	if err != nil || why != "" {
		n.remark = why
		s.renounce(next, standing)
		return errors.Join(err, r.storeValidation(ctx, s, n, next))
	}
	return r.addTaint(ctx, s, n, next, convicted, t)
}

// renounce an announcement of this run that never became a taint, and what it convicted the node of.
func (s *scope) renounce(next *v1alpha1.NodeValidation, standing []v1alpha1.Conviction) {
	if q := next.Quarantine; q != nil && q.Run.UID == s.run.UID {
		next.Quarantine = nil
	}
	next.Convictions = slices.DeleteFunc(slices.Clone(standing), func(c v1alpha1.Conviction) bool { return c.Run.UID == s.run.UID })
	if len(next.Convictions) == 0 {
		next.Convictions = nil
	}
}

// addTaint records the quarantine, counts once more, and writes the taint.
func (r *RunReconciler) addTaint(ctx context.Context, s *scope, n *nodeScope, next *v1alpha1.NodeValidation, convicted []v1alpha1.Conviction, t corev1.Taint) error {
	standing := next.Convictions
	next.Convictions = convicted
	if q := next.Quarantine; q == nil || taint.Of(q) != t {
		next.Quarantine = &v1alpha1.Quarantine{Key: t.Key, Value: t.Value, Effect: t.Effect, Run: s.reference(), Since: metav1.NewTime(s.now)}
	}
	if err := r.storeValidation(ctx, s, n, next); err != nil {
		return err
	}
	why, err := r.overBudget(ctx, s, n, true)
	if err != nil {
		return err // the record stands, and counts; the next pass goes on from here
	}
	if why != "" {
		n.remark = why
		undone := n.validation.DeepCopy()
		s.renounce(undone, standing)
		return r.storeValidation(ctx, s, n, undone)
	}
	changed, err := r.writeTaints(ctx, n, func(live []corev1.Taint) []corev1.Taint {
		if taint.StateOf(live, t, n.validation.Quarantine) != taint.Absent {
			return live
		}
		return taint.With(live, t)
	})
	if err != nil {
		return fmt.Errorf("tainting: %w", err)
	}
	if changed {
		r.Recorder.Eventf(n.node, s.run, corev1.EventTypeWarning, v1alpha1.ReasonTaintAdded, "Taint",
			"run %s put taint %s=%s:%s on the node: %s", s.run.Name, t.Key, t.Value, t.Effect, verdict.Clip(n.message, 900))
		r.Metrics.TaintAdded()
	}
	return r.storeAndSpeak(ctx, s, n, n.validation)
}

// lift the taint of a node whose last conviction this run refutes.
func (r *RunReconciler) lift(ctx context.Context, s *scope, n *nodeScope) error {
	r.taints.Lock()
	defer r.taints.Unlock()
	if same, err := r.refresh(ctx, n); err != nil || !same {
		return err
	}
	next := s.nextValidation(n)
	refuted := next.Convictions
	standing, own := s.convictions(n, next)
	silent := s.breaker.open && !n.tainted()
	if silent {
		own = nil
	}
	next.Convictions = taint.Convict(standing, own)
	q := next.Quarantine
	if len(next.Convictions) > 0 || len(refuted) == 0 {
		return r.storeAndSpeak(ctx, s, n, next)
	}
	next.Convictions = nil
	if q != nil {
		changed, err := r.writeTaints(ctx, n, func(live []corev1.Taint) []corev1.Taint { return taint.Without(live, taint.Of(q)) })
		if err != nil {
			return fmt.Errorf("lifting the taint: %w", err)
		}
		if changed {
			r.Recorder.Eventf(n.node, s.run, corev1.EventTypeNormal, v1alpha1.ReasonTaintRemoved, "Untaint",
				"run %s lifted taint %s:%s: the node now holds what %s had convicted it of", s.run.Name, q.Key, q.Effect, taint.Benchmarks(refuted))
			r.Metrics.TaintRemoved()
		}
	}
	next.Quarantine = nil
	if silent && n.verdict == v1alpha1.VerdictFail {
		return r.storeValidation(ctx, s, n, next)
	}
	if w, ok := n.freed(next); ok {
		if err := r.applyNode(ctx, s, n, w); err != nil {
			return err
		}
	}
	return r.storeAndSpeak(ctx, s, n, next)
}

// writeTaints changes the taints that the node carries at this moment, under its resourceVersion; only what change does differs.
func (r *RunReconciler) writeTaints(ctx context.Context, n *nodeScope, change func([]corev1.Taint) []corev1.Taint) (wrote bool, err error) {
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		live := &corev1.Node{}
		if err := r.Live.Get(ctx, client.ObjectKey{Name: n.name}, live); err != nil {
			return err
		}
		if live.UID != n.node.UID {
			return nil
		}
		n.node = live
		taints := change(live.Spec.Taints)
		if len(taints) == len(live.Spec.Taints) {
			return nil
		}
		next := live.DeepCopy()
		next.Spec.Taints = taints
		if err := r.Update(ctx, next, client.FieldOwner(fieldOwner)); err != nil {
			return err
		}
		wrote, n.node = true, next
		r.memory.wrote(next)
		return nil
	})
	return wrote, client.IgnoreNotFound(err)
}

// overBudget counts, past the cache, the nodes that carry Assay's taint, and says why one more must not: more than the run may taint
// of its nodes, or than the operator may of all. own: the record of this node is written already, and others that were announced
// lately count as well.
func (r *RunReconciler) overBudget(ctx context.Context, s *scope, n *nodeScope, own bool) (string, error) {
	if may, why := taint.MayTaint(s.breaker.input, 0); !may {
		s.budgetSpent = "not tainted: " + why
		return s.budgetSpent, nil
	}
	var records v1alpha1.NodeValidationList
	if err := r.Live.List(ctx, &records, client.MatchingLabels{v1alpha1.LabelQuarantined: "true"}); err != nil {
		return "", fmt.Errorf("counting the quarantined nodes: %w", err)
	}
	now := time.Time{}
	if own {
		now = lastWrite(n.validation)
	}
	all, ofRun := 0, 0
	for i := range records.Items {
		record := &records.Items[i]
		if record.Name == n.name {
			continue
		}
		counts, err := r.counts(ctx, s, record, own && now.Sub(lastWrite(record)) < announced)
		if err != nil {
			return "", err
		}
		if !counts {
			continue
		}
		all++
		if s.node(record.Name) != nil {
			ofRun++
		}
	}
	if may, why := taint.MayTaint(s.breaker.input, ofRun); !may {
		s.budgetSpent = "not tainted: " + why
	} else if limit := r.Policy.Cap(s.clusterNodes); all >= limit {
		s.budgetSpent = fmt.Sprintf("not tainted: %d of %d nodes of the cluster are quarantined, and the operator may quarantine %d (--max-quarantined-percent, --max-quarantined-nodes): repair and validate those first, or raise the limit",
			all, s.clusterNodes, limit)
	}
	return s.budgetSpent, nil
}

// counts says whether the node of a record carries its taint, or is about to: it was recorded lately. A node that is gone carries none,
// and where a person has taken the taint away it does not count either.
func (r *RunReconciler) counts(ctx context.Context, s *scope, record *v1alpha1.NodeValidation, lately bool) (bool, error) {
	if n := s.node(record.Name); n != nil && n.node != nil && taint.Carries(n.node.Spec.Taints, record.Quarantine) {
		return true, nil
	}
	key, node := client.ObjectKey{Name: record.Name}, &corev1.Node{}
	if err := r.Get(ctx, key, node, shared); err == nil && taint.Carries(node.Spec.Taints, record.Quarantine) {
		return true, nil // what the cache has not seen go yet counts a moment too long
	}
	node = &corev1.Node{} // the cache may not have seen the taint come yet
	if err := r.Live.Get(ctx, key, node); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	same := node.UID == record.Fingerprint.NodeUID
	return same && (lately || taint.Carries(node.Spec.Taints, record.Quarantine)), nil
}

// lastWrite of an object, by the API server's clock.
func lastWrite(o client.Object) time.Time {
	last := o.GetCreationTimestamp().Time
	for _, f := range o.GetManagedFields() {
		if f.Time != nil && f.Time.After(last) {
			last = f.Time.Time
		}
	}
	return last
}
