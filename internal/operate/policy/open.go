package policy

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
	"github.com/assay-dev/assay/internal/quantity"
)

// guarded are nodes of which some get their gates opened, and what is to be said of the others.
type guarded struct {
	*understood
	// nodes of its own, of which some change.
	nodes  []node
	open   []Opening
	byHand []ByHand
	events []Event
	// conflict is the first node that another policy with the same gate selects as well, and that policy.
	conflictNode, conflictWith string
}

func (u *understood) guard(nodes []node) *guarded {
	g := &guarded{understood: u, nodes: nodes}
	if slices.ContainsFunc(nodes, func(n node) bool { return n.gated || n.seen.Gate != "" }) {
		g.nodes = slices.Clone(nodes)
	}
	for n := range list.Each(g.nodes) {
		if rival := u.gate.rivalOf(n.Object); rival != "" && (g.conflictNode == "" || n.Object.Name < g.conflictNode) {
			g.conflictNode, g.conflictWith = n.Object.Name, rival
		}
		switch {
		case n.gated:
			g.guard(n)
		case n.seen.Gate == "", u.gate.Gate != nil && n.State != validity.Valid && g.openedByHand(n):
		default:
			n.seen.forgetGate()
		}
	}
	return g
}

// guard a closed gate.
func (g *guarded) guard(n *node) {
	since, gate := n.seen.ClosedSince, &g.gate
	n.stuck = !g.now.Before(since.Add(gate.timeout))
	g.wake(since.Add(gate.timeout))
	timeout := list.Latest(since, n.seen.GatedSince).Add(gate.timeout)
	mayAct := gate.allowed && !g.spec.Suspend && gate.rivalOf(n.Object) == ""
	switch {
	case n.State == validity.Valid && mayAct && g.runs.measures(n.Object, n.lastRun().UID) == nil: // another run is about to say something newer, and needs the node idle
		g.openGate(n, since, v1alpha1.GateOpenedByAssay,
			fmt.Sprintf("opened gate %s after %s: the node holds a valid pass (last run %s)", gate.taint.Key, g.now.Sub(since), n.lastRun().Name))
		return
	case n.State == validity.Valid:
		g.wake(g.runs.left)
		return
	case mayAct && gate.OnTimeout == v1alpha1.OnTimeoutOpen && n.run == "" && mayTimeOut(&n.Judgement, n.Object, g.Benchmarks) && !g.now.Before(timeout):
		g.openGate(n, since, v1alpha1.GateOpenedByTimeout,
			fmt.Sprintf("opened gate %s after %s without a valid pass, as gate.onTimeout asks: %s", gate.taint.Key, g.now.Sub(since), g.why(n)))
		return
	}
	g.wake(timeout)
	g.sayKept(n, since)
}

// mayTimeOut: the node could not be measured at all. One that failed, that nothing could judge, or that lost devices is never let in.
func mayTimeOut(j *validity.Judgement, n *corev1.Node, benchmarks []validity.Benchmark) bool {
	lost := slices.ContainsFunc(benchmarks, func(b validity.Benchmark) bool {
		return workload.Shared(b.Object.Spec.Needs.DeviceResource, n) == "" && needs.LostDevices(b.Object, n)
	})
	return j.State != validity.Unfit && !j.Unjudged && !j.FailedBefore && !j.Lost && !lost
}

func (g *guarded) openGate(n *node, since time.Time, by, text string) {
	n.opens, n.stuck = true, false
	g.open = append(g.open, Opening{Node: n.Object.Name, UID: n.Object.UID, Taint: *taintOf(n.Object, g.gate.taint),
		Record:  v1alpha1.GateRecord{Policy: g.Policy.Name, Run: n.lastRun().Name, OpenedAt: metav1.Time{Time: g.now}, By: by},
		Message: text, Waited: g.now.Sub(since)})
}

// lastRun that judged the node; empty: none. Its name may be that of another run by now.
func (n *node) lastRun() v1alpha1.ObjectReference {
	if n.Validation == nil {
		return v1alpha1.ObjectReference{}
	}
	return n.Validation.LastRun
}

// sayKept says once that a node waits at its gate to be measured, once that it failed there, and once that this takes long. Whoever waits for
// something else has its own event: after a restart of the operator nobody is told again that all he has to do is wait.
func (g *guarded) sayKept(n *node, since time.Time) {
	if n.State == validity.Due && !n.Unjudged && !n.stuck && !n.seen.Closed {
		n.seen.Closed = true
		g.event(n.Object, corev1.EventTypeNormal, v1alpha1.ReasonGateClosed,
			fmt.Sprintf("gate %s is closed until the node holds a valid pass of policy %s: %s", g.gate.taint.Key, g.Policy.Name, g.why(n)))
	}
	if (n.State == validity.Unfit || n.Unjudged) && !n.seen.Kept {
		n.seen.Kept = true
		g.event(n.Object, corev1.EventTypeWarning, v1alpha1.ReasonGateKept, fmt.Sprintf("gate %s stays closed: %s", g.gate.taint.Key, g.why(n)))
	}
	if n.stuck && !n.seen.Stuck {
		n.seen.Stuck = true
		g.event(n.Object, corev1.EventTypeWarning, v1alpha1.ReasonGateStuck,
			fmt.Sprintf("gate %s has been closed for %s: %s", g.gate.taint.Key, g.now.Sub(since), g.why(n)))
	}
}

func (g *guarded) event(n *corev1.Node, kind, reason, notes string) {
	g.events = append(g.events, Event{Node: n, Type: kind, Reason: reason, Notes: notes})
}

// openedByHand: the taint of a node that is not proved is gone, and Assay did not take it. It is recorded until the node shows the record.
func (g *guarded) openedByHand(n *node) bool {
	record, ok := v1alpha1.GateRecordOf(n.Object.Annotations)
	if ok && !record.OpenedAt.Time.Before(n.seen.GatedSince) {
		return false
	}
	g.byHand = append(g.byHand, ByHand{Node: n.Object,
		Record: v1alpha1.GateRecord{Policy: g.Policy.Name, OpenedAt: metav1.Time{Time: g.now}, By: v1alpha1.GateOpenedBySomebody}})
	if !n.seen.ByHand {
		n.seen.ByHand = true
		g.event(n.Object, corev1.EventTypeWarning, v1alpha1.ReasonGateOpenedByHand, fmt.Sprintf("somebody removed taint %s from the node, which "+
			"holds no valid pass: Assay leaves it open, and validates the node when it is idle", g.gate.taint.Key))
	}
	return true
}

// Live is what was read past the cache, once for all gates: the policy, all policies, the benchmarks that it asks for, profiles, and runs.
type Live struct {
	Snapshot
	runs runs
}

// NewLive takes what was read.
func NewLive(s Snapshot, now time.Time) Live { return Live{s, newRuns(&s, false, now)} }

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
	if o.Record.By == v1alpha1.GateOpenedByTimeout {
		return policy.Spec.Gate.OnTimeout == v1alpha1.OnTimeoutOpen && mayTimeOut(&j, node, live.Benchmarks) && live.runs.measures(node, "") == nil &&
			!slices.ContainsFunc(live.Runs, func(run *v1alpha1.ValidationRun) bool { return o.ForbiddenBy(run) && !isRecorded(run, node, nv) })
	}
	return j.State == validity.Valid && live.runs.measures(node, nv.LastRun.UID) == nil
}

// ForbiddenBy a run that is over: it failed the node, or could not judge it, and so no timeout opens its gate, whether or not the API server took the record of that.
func (o *Opening) ForbiddenBy(run *v1alpha1.ValidationRun) bool {
	row := run.Row(o.Node)
	return o.Record.By == v1alpha1.GateOpenedByTimeout && run.Finished() && row != nil &&
		(row.Verdict == v1alpha1.VerdictFail || row.Verdict == v1alpha1.VerdictInconclusive)
}

// isRecorded: what is known of the node is newer than that run, or it was about a node that had the name before.
func isRecorded(run *v1alpha1.ValidationRun, node *corev1.Node, nv *v1alpha1.NodeValidation) bool {
	began := run.Status.StartTime
	return began.Before(&node.CreationTimestamp) || nv != nil && nv.Fingerprint.NodeUID == node.UID && (nv.LastRun.UID == run.UID || began.Before(&nv.MeasuredAt))
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
	return t.MatchTaint(&like)
}

// mark nodes that are overdue by label and event. A label says one policy: that of another one stays, as long as it exists.
func (u *understood) mark(nodes []node) (labels map[string]bool, events []Event) {
	overdue := make(map[string]bool)
	for i := range nodes {
		if n := &nodes[i]; n.overdue {
			overdue[n.Object.Name] = true
		}
	}
	labels = u.unmarked(overdue)
	for n := range list.Each(nodes) {
		if !n.overdue {
			continue
		}
		label := n.Object.Labels[v1alpha1.LabelOverdue]
		if label == u.Policy.Name {
			continue
		}
		if !slices.ContainsFunc(u.Policies, func(p *v1alpha1.ValidationPolicy) bool { return p.Name == label && p.DeletionTimestamp.IsZero() }) {
			labels[n.Object.Name] = true
		}
		if !n.Seen.Overdue {
			events = append(events, Event{n.Object, corev1.EventTypeWarning, v1alpha1.ReasonOverdue,
				fmt.Sprintf("policy %s: due since %s, longer than overdueSeconds: %s", u.Policy.Name, message.At(n.since), u.why(n))})
		}
	}
	return labels, events
}

// unmarked are nodes that carry this policy's label and are not overdue, whether or not they are selected.
func (u *understood) unmarked(overdue map[string]bool) map[string]bool {
	labels := map[string]bool{}
	for i := range u.Nodes {
		n := u.Nodes[i].Object
		if n.Labels[v1alpha1.LabelOverdue] == u.Policy.Name && !overdue[n.Name] {
			labels[n.Name] = false
		}
	}
	return labels
}
