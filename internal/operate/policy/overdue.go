package policy

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

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
			p.event(n.Object, corev1.EventTypeWarning, v1alpha1.ReasonOverdue, message.PolicyNodeOverdue(p.Policy.Name, n.since, p.why(n)))
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
