package policy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// report what is known into the status, and what has to be remembered into the plan.
func (p *pass) report() {
	status := &p.plan.Status
	var count v1alpha1.PolicyNodes
	for i := range p.nodes {
		n := &p.nodes[i]
		countNode(&count, n)
		if n.seen != (Seen{}) {
			p.plan.Seen[n.Object.UID] = n.seen
		}
	}
	status.ObservedGeneration = p.Policy.Generation
	status.Nodes = &count
	status.Valid = fmt.Sprintf("%d/%d", count.Valid, count.Selected)
	status.Attention = p.attention()
	if len(p.runs.own) > 0 {
		status.LastRun = lastRun(p.runs.own[0])
	}
	status.NextRunTime = nil
	if next := p.nextRun(); !next.IsZero() {
		status.NextRunTime = &metav1.Time{Time: next}
	}
	p.conclude()
}

func countNode(count *v1alpha1.PolicyNodes, n *node) {
	count.Selected++
	switch n.State {
	case validity.Valid:
		count.Valid++
	case validity.Due:
		count.Due++
	case validity.NotMeasured:
		count.Unmeasurable++
	case validity.Unfit:
		count.Failed++
	}
	if n.overdue {
		count.Overdue++
	}
	if n.run != "" {
		count.Validating++
	}
	if n.gated {
		count.Gated++
	}
	if n.stuck {
		count.Stuck++
	}
}

func lastRun(run *v1alpha1.ValidationRun) *v1alpha1.PolicyRun {
	return &v1alpha1.PolicyRun{Name: run.Name, Reason: run.Labels[v1alpha1.LabelPolicyReason], CreatedAt: run.CreationTimestamp,
		Verdict: run.Status.Verdict, Progress: run.Status.Progress}
}

// nextRun is when the next run is to be expected; zero: none is.
func (p *pass) nextRun() time.Time {
	if p.spec.Suspend {
		return time.Time{}
	}
	var anytime, inWindow time.Time
	open, opens := p.window.open(p.now)
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.wants == "" || n.run != "" || n.lack.Any() {
			continue
		}
		ripe := latest(n.when, n.seen.ReadySince).Add(p.wait(&batch{reason: n.wants}))
		switch {
		case n.gated || n.wants == v1alpha1.ReasonRequested:
			anytime = p.sooner(anytime, ripe)
		case ripe.After(p.now):
			inWindow = p.sooner(inWindow, ripe)
		case !open:
			anytime = p.sooner(anytime, opens)
		}
	}
	if !inWindow.IsZero() {
		anytime = p.sooner(anytime, p.window.from(inWindow))
	}
	return anytime
}

// sooner of two times, as far as they are to come.
func (p *pass) sooner(a, b time.Time) time.Time {
	if b.After(p.now) && (a.IsZero() || b.Before(a)) {
		return b
	}
	return a
}

// attention rows for the nodes that somebody has to do something about, and then for those that wait longest.
func (p *pass) attention() []v1alpha1.NodeAttention {
	var all []*node
	for i := range p.nodes {
		if n := &p.nodes[i]; n.State != validity.Valid || n.gated && !n.opens {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b *node) int {
		if x, y := urgency(a), urgency(b); x != y {
			return cmp.Compare(x, y)
		}
		return cmp.Or(p.rowSince(a).Compare(p.rowSince(b)), cmp.Compare(a.Object.Name, b.Object.Name))
	})
	if len(all) > 0 {
		p.worst = all[max(0, slices.IndexFunc(all, func(n *node) bool { return n.State == validity.Unfit }))]
	}
	var rows []v1alpha1.NodeAttention
	for _, n := range all[:min(len(all), MaxAttention)] {
		rows = append(rows, p.row(n))
	}
	return rows
}

// urgency of a row, the most urgent first: a stuck gate, then what failed, what could not be measured, and what only waits; of each, gated
// nodes first.
func urgency(n *node) int {
	rank := 3
	switch {
	case n.stuck:
		rank = 0
	case n.State == validity.Unfit:
		rank = 1
	case n.State == validity.NotMeasured:
		rank = 2
	}
	if n.gated {
		return 2 * rank
	}
	return 2*rank + 1
}
