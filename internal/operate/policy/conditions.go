package policy

import (
	"fmt"
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

// conditions of a status that is being made.
type conditions struct {
	*understood
	all *[]metav1.Condition
}

func (u *understood) conditions(of *v1alpha1.ValidationPolicyStatus) conditions {
	return conditions{u, &of.Conditions}
}

func (c conditions) set(kind string, status metav1.ConditionStatus, reason, text string) {
	meta.SetStatusCondition(c.all, metav1.Condition{Type: kind, Status: status, Reason: reason,
		Message: quantity.Clip(text, longestCondition), ObservedGeneration: c.Policy.Generation, LastTransitionTime: metav1.Time{Time: c.now}})
}

func (c conditions) remove(kind string) { meta.RemoveStatusCondition(c.all, kind) }

func (c conditions) saySuspended() {
	if !c.spec.Suspend {
		c.remove(v1alpha1.ConditionSuspended)
		return
	}
	c.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, policyIsSuspended)
}

// reportInvalid is the status of a policy that cannot be enforced as it is.
func (u *understood) reportInvalid() v1alpha1.ValidationPolicyStatus {
	status := u.status()
	status.ObservedGeneration = u.Policy.Generation
	status.NextRunTime = nil
	text := u.invalid
	if status.Nodes != nil {
		text += ". The counts and nodes in the status are from before that"
	}
	c := u.conditions(&status)
	c.remove(v1alpha1.ConditionReconciling)
	c.stall(v1alpha1.ReasonInvalid, text)
	c.set(v1alpha1.ConditionSatisfied, metav1.ConditionUnknown, v1alpha1.ReasonInvalid, u.invalid)
	c.saySuspended()
	return status
}

// stall: somebody has to change something.
func (c conditions) stall(reason, text string) {
	c.set(v1alpha1.ConditionReady, metav1.ConditionFalse, reason, text)
	c.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, reason, text)
}

func (c conditions) sayReady(s surveyed, g guarded) {
	switch {
	case c.gate.Gate != nil && !c.gate.allowed:
		c.stall(v1alpha1.ReasonGateNotAllowed, gateKeyNotAllowed(c.gate.taint.Key))
		return
	case g.conflictNode != "":
		c.stall(v1alpha1.ReasonGateConflict, gateConflict(c.gate.taint.Key, string(c.gate.taint.Effect), g.conflictWith, g.conflictNode))
		return
	case c.spec.Suspend:
		c.set(v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonSuspended, policyIsSuspended)
	default:
		text := fmt.Sprintf("%s selected, %s required of each", message.Several(len(s.nodes), "node"), message.Several(len(c.Benchmarks), "benchmark"))
		if s.reserved != nil {
			text = fmt.Sprintf("%s. Left out: %s with taint %s, for example %s. Narrow spec.selector so that it does not select them", text,
				message.Several(s.reservedNodes, "node"), workload.Reserved(s.reserved), s.reserved.Name)
		}
		c.set(v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonEnforced, text)
	}
	c.remove(v1alpha1.ConditionStalled)
}

func (c conditions) saySatisfied(reserved int, nodes v1alpha1.PolicyNodes, worst *v1alpha1.NodeAttention) {
	switch {
	case nodes.Selected == 0:
		c.set(v1alpha1.ConditionSatisfied, metav1.ConditionUnknown, v1alpha1.ReasonNoNodes, noNodesSelected(reserved))
	case nodes.Valid == nodes.Selected:
		c.set(v1alpha1.ConditionSatisfied, metav1.ConditionTrue, v1alpha1.ReasonAllValid, allNodesValid(int(nodes.Selected)))
	default:
		text := fmt.Sprintf("%d of %d nodes hold a valid pass: %s", nodes.Valid, nodes.Selected,
			message.Counts([]string{"due", "failed", "could not be measured"}, nodes.Due, nodes.Failed, nodes.Unmeasurable))
		if worst != nil {
			text = fmt.Sprintf("%s. Node %s: %s", text, worst.Name, worst.Message)
		}
		c.set(v1alpha1.ConditionSatisfied, metav1.ConditionFalse, v1alpha1.ReasonNodesNotValid, text)
	}
}

// unsatisfiedSince is when it last changed whether all nodes are valid; zero: it was not said yet.
func (u *understood) unsatisfiedSince() time.Time {
	if c := meta.FindStatusCondition(u.Policy.Status.Conditions, v1alpha1.ConditionSatisfied); c != nil {
		return c.LastTransitionTime.Time
	}
	return time.Time{}
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

func gateConflict(key, effect, policy, node string) string {
	return fmt.Sprintf("policy %s has the same gate %s:%s for node %s, so neither opens it there: select other nodes, or give one of them another taint",
		policy, key, effect, node)
}
