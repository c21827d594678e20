package assess

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// nodeFacts reads a node the way the planner wants it.
func nodeFacts(n *observedNode) plan.Facts {
	began := n.stored != nil || len(n.pods) > 0
	if n.node == nil {
		return plan.Facts{Lost: began}
	}
	f := plan.Facts{Exists: true, Silent: true, Cordoned: n.node.Spec.Unschedulable, NotReadySince: n.node.CreationTimestamp.Time}
	for _, c := range n.node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			f.Ready, f.Silent, f.NotReadySince = c.Status == corev1.ConditionTrue, c.Status == corev1.ConditionUnknown, c.LastTransitionTime.Time
		}
	}
	f.ReservedBy = workload.Reserved(n.node)
	f.LeavingBy = workload.Leaving(n.node)
	f.Recreated = n.stored != nil && n.stored.Node.UID != n.node.UID
	for _, p := range n.pods {
		f.Recreated = f.Recreated || p.nodeUID != n.node.UID
	}
	return f
}

// OutOfReach: nobody waits for a deleted pod on this node, as no kubelet hears of it.
func OutOfReach(node *corev1.Node, now time.Time) bool {
	return nodeFacts(&observedNode{name: node.Name, node: node}).OutOfReach(now)
}

// unavailable says why a node cannot be measured with others now, nor soon. The deadline is no such reason.
func (s *Observed) unavailable(n *observedNode) (d verdict.Decision, ok bool) {
	reason, message, wait := n.facts.Unavailable(s.now)
	switch {
	case reason != "" && wait.IsZero():
		d = verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: reason, Message: message}
		if !n.facts.Exists || n.facts.Recreated {
			d.Verdict = v1alpha1.VerdictError
		}
		return d, true
	case reason == "" && n.busy != "" && skipsBusy(s.run):
		return verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeBusy, Message: n.busy}, true
	}
	return d, false
}
