package policy

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// longestCondition keeps a condition readable in a terminal.
const longestCondition = 2048

func (p *pass) set(kind string, status metav1.ConditionStatus, reason, text string) {
	meta.SetStatusCondition(&p.plan.Status.Conditions, metav1.Condition{Type: kind, Status: status, Reason: reason,
		Message: quantity.Clip(text, longestCondition), ObservedGeneration: p.Policy.Generation, LastTransitionTime: metav1.Time{Time: p.now}})
}

func (p *pass) remove(kinds ...string) {
	for _, k := range kinds {
		meta.RemoveStatusCondition(&p.plan.Status.Conditions, k)
	}
}

// conclude sets the conditions. Reconciling is never there: a policy is evaluated whole in one pass.
func (p *pass) conclude() {
	p.remove(v1alpha1.ConditionReconciling)
	p.sayReady()
	p.saySatisfied()
	if !p.spec.Suspend {
		p.remove(v1alpha1.ConditionSuspended)
		return
	}
	p.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, policyIsSuspended)
}

// sayInvalid of a policy that cannot be enforced as it is.
func (p *pass) sayInvalid() {
	p.plan.Status.ObservedGeneration = p.Policy.Generation
	p.plan.Status.NextRunTime = nil
	p.remove(v1alpha1.ConditionReconciling)
	text := p.invalid
	if p.plan.Status.Nodes != nil {
		text += ". The counts and nodes in the status are from before that"
	}
	p.stall(v1alpha1.ReasonInvalid, text)
	p.set(v1alpha1.ConditionSatisfied, metav1.ConditionUnknown, v1alpha1.ReasonInvalid, p.invalid)
	if p.spec.Suspend {
		p.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, policyIsSuspended)
	} else {
		p.remove(v1alpha1.ConditionSuspended)
	}
}

// stall: somebody has to change something.
func (p *pass) stall(reason, text string) {
	p.set(v1alpha1.ConditionReady, metav1.ConditionFalse, reason, text)
	p.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, reason, text)
}

func (p *pass) sayReady() {
	switch {
	case p.gate.Gate != nil && !p.gate.allowed:
		p.stall(v1alpha1.ReasonGateNotAllowed, gateKeyNotAllowed(p.gate.taint.Key))
		return
	case p.gate.conflictNode != "":
		p.stall(v1alpha1.ReasonGateConflict, gateConflict(p.gate.taint.Key, string(p.gate.taint.Effect), p.gate.conflictWith, p.gate.conflictNode))
		return
	case p.spec.Suspend:
		p.set(v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonSuspended, policyIsSuspended)
	default:
		text := fmt.Sprintf("%s selected, %s required of each", message.Several(len(p.nodes), "node"), message.Several(len(p.Benchmarks), "benchmark"))
		if p.reservedNode != nil {
			text = fmt.Sprintf("%s. Left out: %s with taint %s, for example %s. Narrow spec.selector so that it does not select them", text,
				message.Several(p.reservedNodes, "node"), workload.Reserved(p.reservedNode), p.reservedNode.Name)
		}
		p.set(v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonEnforced, text)
	}
	p.remove(v1alpha1.ConditionStalled)
}

func (p *pass) saySatisfied() {
	c := p.plan.Status.Nodes
	switch {
	case c.Selected == 0:
		p.set(v1alpha1.ConditionSatisfied, metav1.ConditionUnknown, v1alpha1.ReasonNoNodes, noNodesSelected(p.reservedNodes))
	case c.Valid == c.Selected:
		p.set(v1alpha1.ConditionSatisfied, metav1.ConditionTrue, v1alpha1.ReasonAllValid, allNodesValid(int(c.Selected)))
	default:
		text := nodesNotValid(int(c.Valid), int(c.Selected), int(c.Due), int(c.Failed), int(c.Unmeasurable))
		if p.worst != nil {
			text = fmt.Sprintf("%s. Node %s: %s", text, p.worst.Object.Name, p.row(p.worst).Message)
		}
		p.set(v1alpha1.ConditionSatisfied, metav1.ConditionFalse, v1alpha1.ReasonNodesNotValid, text)
	}
}

// unsatisfiedSince is when it last changed whether all nodes are valid; zero: it was not said yet.
func (p *pass) unsatisfiedSince() time.Time {
	if c := meta.FindStatusCondition(p.Policy.Status.Conditions, v1alpha1.ConditionSatisfied); c != nil {
		return c.LastTransitionTime.Time
	}
	return time.Time{}
}

// standStill is what is left to do for a policy that cannot be enforced: nothing is measured, and no gate opens. What was known stays.
func (p *pass) standStill() {
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Seen != (Seen{}) {
			p.plan.Seen[n.Object.UID] = n.Seen
		}
	}
	p.sayInvalid()
}

// noNodesSelected is for a selector that no node matches, but perhaps nodes that Kubernetes keeps for itself.
func noNodesSelected(reserved int) string {
	if reserved > 0 {
		return fmt.Sprintf("spec.selector selects only %s of the control plane: select the nodes that do the work", message.Several(reserved, "node"))
	}
	return "spec.selector selects no node: compare it with `kubectl get nodes --show-labels`"
}

// allNodesValid is for a policy that is satisfied.
func allNodesValid(nodes int) string {
	if nodes == 1 {
		return "the only node holds a valid pass"
	}
	return fmt.Sprintf("all %d nodes hold a valid pass", nodes)
}

// nodesNotValid counts those that hold none.
func nodesNotValid(valid, selected, due, failed, unmeasurable int) string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{due, "due"}, {failed, "failed"}, {unmeasurable, "could not be measured"}} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return fmt.Sprintf("%d of %d nodes hold a valid pass: %s", valid, selected, strings.Join(parts, ", "))
}

func gateConflict(key, effect, policy, node string) string {
	return fmt.Sprintf("policy %s has the same gate %s:%s for node %s, so neither opens it there: select other nodes, or give one of them another taint",
		policy, key, effect, node)
}
