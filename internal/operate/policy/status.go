package policy

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
	"github.com/assay-dev/assay/internal/quantity"
)

// reporting makes the status of what the stages before came to.
type reporting struct {
	*understood
	surveyed *surveyed
	guarded  *guarded
	status   v1alpha1.ValidationPolicyStatus
}

// report what is known as the policy's status.
func (u *understood) report(s *surveyed, g *guarded, b budget) v1alpha1.ValidationPolicyStatus {
	r := reporting{u, s, g, u.status()}
	var count v1alpha1.PolicyNodes
	for i := range g.nodes {
		countNode(&count, &g.nodes[i])
	}
	r.status.ObservedGeneration = u.Policy.Generation
	r.status.Nodes = &count
	r.status.Valid = fmt.Sprintf("%d/%d", count.Valid, count.Selected)
	rows, worst := r.attention()
	r.status.Attention = rows
	r.status.LastRun = u.lastRun()
	r.status.Budget = r.reportBudget(b)
	r.status.NextRunTime = nil
	if next := r.nextRun(); !next.IsZero() {
		r.status.NextRunTime = &metav1.Time{Time: next}
	}
	r.sayReady()
	r.saySatisfied(count, worst)
	r.saySuspended()
	return r.status
}

func countNode(count *v1alpha1.PolicyNodes, n *node) {
	count.Selected++
	*[...]*int32{validity.Valid: &count.Valid, validity.Due: &count.Due, validity.NotMeasured: &count.Unmeasurable, validity.Unfit: &count.Failed}[n.State]++
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
func (r *reporting) nextRun() time.Time {
	if r.spec.Suspend {
		return time.Time{}
	}
	var anytime, inWindow time.Time
	open, opens := r.window.open(r.now)
	for n := range list.Each(r.guarded.nodes) {
		if n.wants == "" || n.run != "" || n.lack.Any() {
			continue
		}
		ripe := list.Latest(n.when, n.seen.ReadySince).Add(r.wait(&batch{reason: n.wants}))
		switch {
		case n.waits:
			r.sooner(&anytime, n.until)
		case n.gated || n.wants == v1alpha1.ReasonRequested:
			r.sooner(&anytime, ripe)
		case ripe.After(r.now):
			r.sooner(&inWindow, ripe)
		case !open:
			r.sooner(&anytime, opens)
		}
	}
	if !inWindow.IsZero() {
		if open, opens := r.window.open(inWindow); !open {
			inWindow = opens
		}
		r.sooner(&anytime, inWindow)
	}
	return anytime
}

// attention rows for the nodes that somebody has to do something about, and then for those that wait longest. The worst is that of one that failed
// before any other; nil: none needs attention.
func (r *reporting) attention() (rows []v1alpha1.NodeAttention, worst *v1alpha1.NodeAttention) {
	all := list.Those(r.guarded.nodes, func(n *node) bool { return n.State != validity.Valid || n.gated && !n.opens })
	slices.SortFunc(all, func(a, b *node) int {
		return cmp.Or(cmp.Compare(urgency(a), urgency(b)), r.rowSince(a).Compare(r.rowSince(b)), cmp.Compare(a.Object.Name, b.Object.Name))
	})
	if len(all) > 0 {
		worst = new(r.row(all[max(0, slices.IndexFunc(all, func(n *node) bool { return n.State == validity.Unfit }))]))
	}
	return list.Map(all[:min(len(all), maxAttention)], r.row), worst
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

// longestCondition keeps a condition readable in a terminal.
const longestCondition = 2048

func (r *reporting) set(kind string, status metav1.ConditionStatus, reason, text string) {
	meta.SetStatusCondition(&r.status.Conditions, metav1.Condition{Type: kind, Status: status, Reason: reason,
		Message: quantity.Clip(text, longestCondition), ObservedGeneration: r.Policy.Generation, LastTransitionTime: metav1.Time{Time: r.now}})
}

func (r *reporting) remove(kind string) { meta.RemoveStatusCondition(&r.status.Conditions, kind) }
