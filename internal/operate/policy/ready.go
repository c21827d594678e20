package policy

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
)

func (r *reporting) saySuspended() {
	if !r.spec.Suspend {
		r.remove(v1alpha1.ConditionSuspended)
		return
	}
	r.set(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended, policyIsSuspended)
}

// reportInvalid is the status of a policy that cannot be enforced as it is.
func (u *understood) reportInvalid() v1alpha1.ValidationPolicyStatus {
	r := reporting{understood: u, status: u.status()}
	r.status.ObservedGeneration = u.Policy.Generation
	r.status.NextRunTime = nil
	text := u.invalid
	if r.status.Nodes != nil {
		text += ". The counts and nodes in the status are from before that"
	}
	r.stall(v1alpha1.ReasonInvalid, text)
	r.set(v1alpha1.ConditionSatisfied, metav1.ConditionUnknown, v1alpha1.ReasonInvalid, u.invalid)
	r.saySuspended()
	return r.status
}

// stall: somebody has to change something.
func (r *reporting) stall(reason, text string) {
	r.set(v1alpha1.ConditionReady, metav1.ConditionFalse, reason, text)
	r.set(v1alpha1.ConditionStalled, metav1.ConditionTrue, reason, text)
}

func (r *reporting) sayReady() {
	switch {
	case r.gate.Gate != nil && !r.gate.allowed:
		r.stall(v1alpha1.ReasonGateNotAllowed, gateKeyNotAllowed(r.gate.taint.Key))
		return
	case r.guarded.conflictNode != "":
		r.stall(v1alpha1.ReasonGateConflict, fmt.Sprintf("policy %s has the same gate %s for node %s, so neither opens it there: select other nodes, or "+
			"give one of them another taint", r.guarded.conflictWith, r.gate.name, r.guarded.conflictNode))
		return
	case r.spec.Suspend:
		r.set(v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonSuspended, policyIsSuspended)
	default:
		text := fmt.Sprintf("%s selected, %s required of each", message.Several(len(r.surveyed.nodes), "node"), message.Several(len(r.Benchmarks), "benchmark"))
		if r.surveyed.reserved != nil {
			text = fmt.Sprintf("%s. Left out: %s with taint %s, for example %s. Narrow spec.selector so that it does not select them", text,
				message.Several(r.surveyed.reservedNodes, "node"), workload.Reserved(r.surveyed.reserved), r.surveyed.reserved.Name)
		}
		r.set(v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonEnforced, text)
	}
	r.remove(v1alpha1.ConditionStalled)
}

func (r *reporting) saySatisfied(nodes v1alpha1.PolicyNodes, worst *v1alpha1.NodeAttention) {
	switch {
	case nodes.Selected == 0:
		text := "spec.selector selects no node: compare it with `kubectl get nodes --show-labels`"
		if reserved := r.surveyed.reservedNodes; reserved > 0 { // nodes that Kubernetes keeps for itself
			text = fmt.Sprintf("spec.selector selects only %s of the control plane: select the nodes that do the work", message.Several(reserved, "node"))
		}
		r.set(v1alpha1.ConditionSatisfied, metav1.ConditionUnknown, v1alpha1.ReasonNoNodes, text)
	case nodes.Valid == nodes.Selected:
		text := fmt.Sprintf("all %d nodes hold a valid pass", nodes.Selected)
		if nodes.Selected == 1 {
			text = "the only node holds a valid pass"
		}
		r.set(v1alpha1.ConditionSatisfied, metav1.ConditionTrue, v1alpha1.ReasonAllValid, text)
	default:
		text := fmt.Sprintf("%d of %d nodes hold a valid pass: %s", nodes.Valid, nodes.Selected,
			message.Counts([]string{"due", "failed", "could not be measured"}, nodes.Due, nodes.Failed, nodes.Unmeasurable))
		if worst != nil {
			text = fmt.Sprintf("%s. Node %s: %s", text, worst.Name, worst.Message)
		}
		r.set(v1alpha1.ConditionSatisfied, metav1.ConditionFalse, v1alpha1.ReasonNodesNotValid, text)
	}
}
