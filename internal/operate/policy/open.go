package policy

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
	"github.com/assay-dev/assay/internal/quantity"
)

// openGates of nodes that are proved, and say of the others why theirs stay closed.
func (p *pass) openGates() {
	for i := range p.nodes {
		n := &p.nodes[i]
		if rival := p.gate.rivalOf(n.Object); rival != "" && (p.gate.conflictNode == "" || n.Object.Name < p.gate.conflictNode) {
			p.gate.conflictNode, p.gate.conflictWith = n.Object.Name, rival
		}
		if n.gated {
			p.guard(n)
			continue
		}
		if !n.seen.GatedSince.IsZero() && p.gate.Gate != nil && n.State != validity.Valid && p.openedByHand(n) {
			continue
		}
		s := &n.seen
		s.GatedSince, s.ClosedSince, s.Gate = time.Time{}, time.Time{}, ""
		s.Closed, s.Kept, s.Stuck, s.ByHand = false, false, false, false
	}
}

// guard a closed gate.
func (p *pass) guard(n *node) {
	since := n.seen.ClosedSince
	n.stuck = !p.now.Before(since.Add(p.gate.timeout))
	p.wake(since.Add(p.gate.timeout))
	timeout := latest(since, n.seen.GatedSince).Add(p.gate.timeout)
	mayAct := p.gate.allowed && !p.spec.Suspend && p.gate.rivalOf(n.Object) == ""
	switch {
	case n.State == validity.Valid && mayAct:
		p.open(n, since, v1alpha1.GateOpenedByAssay,
			fmt.Sprintf("opened gate %s after %s: the node holds a valid pass (last run %s)", p.gate.taint.Key, p.now.Sub(since), n.lastRun()))
		return
	case n.State == validity.Valid:
		return
	case mayAct && p.gate.OnTimeout == v1alpha1.OnTimeoutOpen && n.run == "" && mayTimeOut(&n.Judgement, n.Object, p.Benchmarks) && !p.now.Before(timeout):
		p.open(n, since, v1alpha1.GateOpenedByTimeout,
			fmt.Sprintf("opened gate %s after %s without a valid pass, as gate.onTimeout asks: %s", p.gate.taint.Key, p.now.Sub(since), p.why(n)))
		return
	}
	p.wake(timeout)
	p.sayKept(n, since)
}

// mayTimeOut: the node could not be measured at all. One that failed, that nothing could judge, or that lost devices is never let in.
func mayTimeOut(j *validity.Judgement, n *corev1.Node, benchmarks []validity.Benchmark) bool {
	lost := slices.ContainsFunc(benchmarks, func(b validity.Benchmark) bool {
		return workload.Shared(b.Object.Spec.Needs.DeviceResource, n) == "" && needs.LostDevices(b.Object, n)
	})
	return j.State != validity.Unfit && !j.Unjudged && !j.FailedBefore && !lost
}

func (p *pass) open(n *node, since time.Time, by, text string) {
	n.opens, n.stuck = true, false
	p.plan.Open = append(p.plan.Open, Opening{Node: n.Object.Name, UID: n.Object.UID, Taint: *taintOf(n.Object, p.gate.taint),
		Record:  v1alpha1.GateRecord{Policy: p.Policy.Name, Run: n.lastRun(), OpenedAt: metav1.Time{Time: p.now}, By: by},
		Message: text, TimedOut: by == v1alpha1.GateOpenedByTimeout, Waited: p.now.Sub(since)})
}

// lastRun that judged the node; empty: none.
func (n *node) lastRun() string {
	if n.Validation == nil {
		return ""
	}
	return n.Validation.LastRun.Name
}

// sayKept says once that a node waits at its gate to be measured, once that it failed there, and once that this takes long. Whoever waits for
// something else has its own event: after a restart of the operator nobody is told again that all he has to do is wait.
func (p *pass) sayKept(n *node, since time.Time) {
	if n.State == validity.Due && !n.Unjudged && !n.stuck && !n.seen.Closed {
		n.seen.Closed = true
		p.event(n.Object, corev1.EventTypeNormal, v1alpha1.ReasonGateClosed,
			fmt.Sprintf("gate %s is closed until the node holds a valid pass of policy %s: %s", p.gate.taint.Key, p.Policy.Name, p.why(n)))
	}
	if (n.State == validity.Unfit || n.Unjudged) && !n.seen.Kept {
		n.seen.Kept = true
		p.event(n.Object, corev1.EventTypeWarning, v1alpha1.ReasonGateKept, fmt.Sprintf("gate %s stays closed: %s", p.gate.taint.Key, p.why(n)))
	}
	if n.stuck && !n.seen.Stuck {
		n.seen.Stuck = true
		p.event(n.Object, corev1.EventTypeWarning, v1alpha1.ReasonGateStuck,
			fmt.Sprintf("gate %s has been closed for %s: %s", p.gate.taint.Key, p.now.Sub(since), p.why(n)))
	}
}

func (p *pass) event(n *corev1.Node, kind, reason, notes string) {
	p.plan.Events = append(p.plan.Events, Event{Node: n, Type: kind, Reason: reason, Notes: notes})
}

// openedByHand: the taint of a node that is not proved is gone, and Assay did not take it. It is recorded until the node shows the record.
func (p *pass) openedByHand(n *node) bool {
	record, ok := v1alpha1.GateRecordOf(n.Object.Annotations)
	if ok && !record.OpenedAt.Time.Before(n.seen.GatedSince) {
		return false
	}
	p.plan.ByHand = append(p.plan.ByHand, ByHand{Node: n.Object.Name, UID: n.Object.UID,
		Record: v1alpha1.GateRecord{Policy: p.Policy.Name, OpenedAt: metav1.Time{Time: p.now}, By: v1alpha1.GateOpenedBySomebody}})
	if !n.seen.ByHand {
		n.seen.ByHand = true
		p.event(n.Object, corev1.EventTypeWarning, v1alpha1.ReasonGateOpenedByHand, fmt.Sprintf("somebody removed taint %s from the node, which "+
			"holds no valid pass: Assay leaves it open, and validates the node when it is idle", p.gate.taint.Key))
	}
	return true
}

// Live is what was read past the cache before gates are opened: the policy, all policies, and the benchmarks that it asks for.
type Live struct {
	Policy     *v1alpha1.ValidationPolicy
	Policies   []*v1alpha1.ValidationPolicy
	Benchmarks []validity.Benchmark
	Profiles   peak.Profiles
}

// MayOpen judges a node once more before its gate is opened, by what is there at that moment.
func MayOpen(o *Opening, live Live, node *corev1.Node, nv *v1alpha1.NodeValidation, now time.Time) bool {
	policy := live.Policy
	if len(live.Benchmarks) == 0 || !guards(policy, o.Taint) || node.UID != o.UID || taintOf(node, o.Taint) == nil || workload.Reserved(node) != "" {
		return false
	}
	selector, err := policy.Spec.ByLabels()
	if err != nil || !selector.Matches(labels.Set(node.Labels)) {
		return false
	}
	if g := (gate{rivals: rivalsOf(policy, live.Policies)}); g.rivalOf(node) != "" {
		return false
	}
	j := validity.New(policy, live.Benchmarks, live.Profiles, policy.Status.ValidateNow, now.UTC().Truncate(time.Second)).Judge(validity.Node{Object: node, Validation: nv})
	if o.TimedOut {
		return policy.Spec.Gate.OnTimeout == v1alpha1.OnTimeoutOpen && mayTimeOut(&j, node, live.Benchmarks)
	}
	return j.State == validity.Valid
}

// guards: the policy opens gates by this taint now, and nobody has asked to measure all nodes anew since its last pass.
func guards(policy *v1alpha1.ValidationPolicy, like corev1.Taint) bool {
	if policy.Spec.Gate == nil || policy.Spec.Suspend || !policy.DeletionTimestamp.IsZero() {
		return false
	}
	asks, noted := quantity.Clip(policy.Annotations[v1alpha1.AnnotationValidateNow], 256), policy.Status.ValidateNow
	if asks != "" && (noted == nil || noted.Value != asks) {
		return false
	}
	t := gateTaint(policy.Spec.Gate)
	return t.Key == like.Key && t.Effect == like.Effect
}

// markOverdue nodes by label and event. A label says one policy: that of another one stays, as long as it exists.
func (p *pass) markOverdue() {
	marked := make(map[string]bool)
	for i := range p.nodes {
		n := &p.nodes[i]
		if !n.overdue {
			n.seen.Overdue = false
			continue
		}
		marked[n.Object.Name] = true
		label := n.Object.Labels[v1alpha1.LabelOverdue]
		if label != p.Policy.Name && !p.exists(label) {
			p.plan.Overdue[n.Object.Name] = true
		}
		if !n.seen.Overdue && label != p.Policy.Name {
			p.event(n.Object, corev1.EventTypeWarning, v1alpha1.ReasonOverdue,
				fmt.Sprintf("policy %s: due since %s, longer than overdueSeconds: %s", p.Policy.Name, message.At(n.since), p.why(n)))
		}
		n.seen.Overdue = true
	}
	p.unmark(marked)
}

// unmark nodes that carry this policy's label and are not overdue, whether or not they are selected.
func (p *pass) unmark(overdue map[string]bool) {
	for i := range p.Nodes {
		n := p.Nodes[i].Object
		if n.Labels[v1alpha1.LabelOverdue] == p.Policy.Name && !overdue[n.Name] {
			p.plan.Overdue[n.Name] = false
		}
	}
}

func (p *pass) exists(policy string) bool {
	for _, other := range p.Policies {
		if other.Name == policy && other.DeletionTimestamp.IsZero() {
			return true
		}
	}
	return false
}

// withdraw a policy that is being deleted: its labels go, and its gates stay closed.
func (p *pass) withdraw() { p.unmark(nil) }
