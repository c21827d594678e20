package policy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// report what is known as the policy's status.
func (u *understood) report(s surveyed, g guarded, b budget) v1alpha1.ValidationPolicyStatus {
	status := u.status()
	var count v1alpha1.PolicyNodes
	for i := range g.nodes {
		countNode(&count, &g.nodes[i])
	}
	status.ObservedGeneration = u.Policy.Generation
	status.Nodes = &count
	status.Valid = fmt.Sprintf("%d/%d", count.Valid, count.Selected)
	rows, worst := u.attention(g.nodes)
	status.Attention = rows
	if len(u.runs.own) > 0 {
		run := u.runs.own[0]
		status.LastRun = &v1alpha1.PolicyRun{Name: run.Name, Reason: run.Labels[v1alpha1.LabelPolicyReason], CreatedAt: run.CreationTimestamp,
			Verdict: run.Status.Verdict, Progress: run.Status.Progress}
	}
	status.Budget = u.reportBudget(b, g.nodes)
	status.NextRunTime = nil
	if next := u.nextRun(g.nodes); !next.IsZero() {
		status.NextRunTime = &metav1.Time{Time: next}
	}
	c := u.conditions(&status)
	c.remove(v1alpha1.ConditionReconciling) // which is never there: a policy is evaluated whole in one pass
	c.sayReady(s, g)
	c.saySatisfied(s.reservedNodes, count, worst)
	c.saySuspended()
	return status
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

// nextRun is when the next run is to be expected; zero: none is.
func (u *understood) nextRun(nodes []node) time.Time {
	if u.spec.Suspend {
		return time.Time{}
	}
	var anytime, inWindow time.Time
	open, opens := u.window.open(u.now)
	for n := range list.Each(nodes) {
		if n.wants == "" || n.run != "" || n.lack.Any() {
			continue
		}
		ripe := latest(n.when, n.seen.ReadySince).Add(u.wait(&batch{reason: n.wants}))
		switch {
		case n.waits:
			anytime = u.sooner(anytime, n.until)
		case n.gated || n.wants == v1alpha1.ReasonRequested:
			anytime = u.sooner(anytime, ripe)
		case ripe.After(u.now):
			inWindow = u.sooner(inWindow, ripe)
		case !open:
			anytime = u.sooner(anytime, opens)
		}
	}
	if !inWindow.IsZero() {
		anytime = u.sooner(anytime, u.window.from(inWindow))
	}
	return anytime
}

// sooner of two times, as far as they are to come.
func (u *understood) sooner(a, b time.Time) time.Time {
	if b.After(u.now) && (a.IsZero() || b.Before(a)) {
		return b
	}
	return a
}

// attention rows for the nodes that somebody has to do something about, and then for those that wait longest. The worst is that of one that failed
// before any other; nil: none needs attention.
func (u *understood) attention(nodes []node) (rows []v1alpha1.NodeAttention, worst *v1alpha1.NodeAttention) {
	all := list.Those(nodes, func(n *node) bool { return n.State != validity.Valid || n.gated && !n.opens })
	slices.SortFunc(all, func(a, b *node) int {
		if x, y := urgency(a), urgency(b); x != y {
			return cmp.Compare(x, y)
		}
		return cmp.Or(u.rowSince(a).Compare(u.rowSince(b)), cmp.Compare(a.Object.Name, b.Object.Name))
	})
	if len(all) > 0 {
		worst = new(u.row(all[max(0, slices.IndexFunc(all, func(n *node) bool { return n.State == validity.Unfit }))]))
	}
	for _, n := range all[:min(len(all), maxAttention)] {
		rows = append(rows, u.row(n))
	}
	return rows, worst
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
