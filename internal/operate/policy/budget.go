package policy

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
)

const (
	// budgetDay is the time that gpuSecondsPerDay is about.
	budgetDay = 24 * time.Hour
	// unseenHolds is how long a run counts that nobody has seen since it was created.
	unseenHolds = time.Minute
	// mostSpendings that the status takes; mostWaiting nodes that it names.
	mostSpendings, mostWaiting = 256, 10
)

// budget is what the policy's runs have cost within a day, and may yet cost. The status keeps it: runs are deleted, and leaders change.
type budget struct {
	limit, spent int64 // limit 0: there is none
	spendings    []v1alpha1.PolicySpending
	// waits: a node waits for the budget, and so do all that come after it. until is when the first of them may go on; zero: when a run ends.
	waits bool
	until time.Time
}

// newBudget by what the status says and the runs that exist. Names come again where runs are deleted, so that runs are told apart by their UIDs.
func (u *understood) newBudget() budget {
	if u.spec.GPUSecondsPerDay == nil {
		return budget{}
	}
	b := budget{limit: *u.spec.GPUSecondsPerDay}
	var known []v1alpha1.PolicySpending
	if u.Policy.Status.Budget != nil {
		known = u.Policy.Status.Budget.Spendings
	}
	for i := range known {
		if s := &known[i]; u.spender(s) == nil && u.now.Before(countsUntil(s)) {
			b.spendings = append(b.spendings, *s)
		}
	}
	for _, run := range u.runs.own {
		if s := u.spendingOf(run, known); GoesOn(run) || u.now.Before(countsUntil(&s)) {
			b.spendings = append(b.spendings, s)
		}
	}
	b.fold(u)
	b.spent = list.Sum(b.spendings, func(s *v1alpha1.PolicySpending) int64 { return s.GPUSeconds })
	return b
}

// spender is the run that a spending is about; nil: it is gone, or nobody has seen it yet.
func (u *understood) spender(s *v1alpha1.PolicySpending) *v1alpha1.ValidationRun {
	return u.runs.find(func(run *v1alpha1.ValidationRun) bool { return isAbout(s, run) })
}

func isAbout(s *v1alpha1.PolicySpending, run *v1alpha1.ValidationRun) bool {
	return s.Run == run.Name && (s.UID == "" || s.UID == run.UID)
}

// countsUntil: for a day; what a pass noted as it created a run that was not seen since, for a minute.
func countsUntil(s *v1alpha1.PolicySpending) time.Time {
	if s.UID == "" {
		return s.Time.Add(unseenHolds)
	}
	return s.Time.Add(budgetDay)
}

// spendingOf a run: what it cost, once it is over, suspended or deleted; until then what it is expected to cost, or more where it has.
func (u *understood) spendingOf(run *v1alpha1.ValidationRun, known []v1alpha1.PolicySpending) v1alpha1.PolicySpending {
	s := v1alpha1.PolicySpending{Run: run.Name, UID: run.UID, Time: run.CreationTimestamp}
	if run.Status.Cost != nil {
		s.GPUSeconds = run.Status.Cost.GPUSeconds
	}
	if !GoesOn(run) {
		if run.Status.CompletionTime != nil {
			s.Time = *run.Status.CompletionTime
		}
		return s
	}
	expected := int64(0)
	if noted := list.First(known, func(k *v1alpha1.PolicySpending) bool { return isAbout(k, run) }); noted != nil {
		expected = noted.GPUSeconds
	} else {
		for n := range list.Each(u.Nodes) {
			if slices.Contains(run.Spec.NodeNames, n.Object.Name) {
				expected += u.expected(n)
			}
		}
	}
	s.GPUSeconds = max(s.GPUSeconds, expected)
	return s
}

// expected GPU-seconds of a node in a run of the policy in which nothing is measured twice, as its Benchmarks say.
func (u *understood) expected(n *Node) (sum int64) {
	for i := range u.Benchmarks {
		if b := u.Benchmarks[i].Object; workload.IsGPU(b.Spec.Needs.DeviceResource) && !needs.Exempts(b, n.Object) {
			gpus := workload.Devices(b, n.Object)
			sum += int64(catalogue.Cost(b).Seconds()) * gpus.Value()
		}
	}
	return sum
}

// fold the oldest of what runs cost that are gone into one, where there are more than the status takes: it counts for as long as the newest of them.
func (b *budget) fold(u *understood) {
	slices.SortFunc(b.spendings, func(x, y v1alpha1.PolicySpending) int {
		return cmp.Or(x.Time.Compare(y.Time.Time), cmp.Compare(x.Run, y.Run))
	})
	for len(b.spendings) > mostSpendings {
		gone := func(s v1alpha1.PolicySpending) bool { return u.spender(&s) == nil }
		i := slices.IndexFunc(b.spendings, gone)
		j := i + 1 + slices.IndexFunc(b.spendings[i+1:], gone)
		if i < 0 || j <= i {
			b.spendings = b.spendings[len(b.spendings)-mostSpendings:]
			return
		}
		b.spendings[j].GPUSeconds += b.spendings[i].GPUSeconds
		b.spendings = slices.Delete(b.spendings, i, i+1)
	}
}

// fits: so much more may be spent now. alone: one node may cost more than all of it, where nothing else was spent.
func (b *budget) fits(cost int64, alone bool) bool {
	return b.limit == 0 || cost == 0 || b.spent+cost <= b.limit || alone && b.spent == 0
}

// free is when so much may be spent on one node; zero: that depends on when runs end.
func (b *budget) free(u *understood, cost int64) (at time.Time) {
	later := *b
	for s := range list.Each(b.spendings) {
		if run := u.spender(s); run != nil && GoesOn(run) {
			continue
		}
		later.spent -= s.GPUSeconds
		if at = list.Latest(at, countsUntil(s)); later.fits(cost, true) {
			return at
		}
	}
	return time.Time{}
}

// spend on a run that is to be created.
func (b *budget) spend(run string, cost int64, now time.Time) {
	b.spendings = slices.DeleteFunc(b.spendings, func(s v1alpha1.PolicySpending) bool { // noted by a pass that did not create it after all
		unseen := s.Run == run && s.UID == ""
		if unseen {
			b.spent -= s.GPUSeconds
		}
		return unseen
	})
	b.spent += cost
	b.spendings = append(b.spendings, v1alpha1.PolicySpending{Run: run, Time: metav1.Time{Time: now}, GPUSeconds: cost})
}

// afford the first nodes of a batch, for which the budget has room. The others wait, and so do all that come after them: a node that costs little must
// not keep one waiting for ever that costs much. Those that are known to be busy take up no room.
func (s *serving) afford(b *batch) (all []*node) {
	if b.gated || s.budget.limit == 0 {
		return b.nodes
	}
	sum := int64(0)
	for _, n := range b.nodes {
		cost := s.expected(n.Node)
		if cost > 0 && (s.budget.waits || !s.budget.fits(sum+cost, sum == 0)) {
			s.postpone(n, sum+cost)
			continue
		}
		if !n.knownBusy() {
			sum += cost
		}
		all = append(all, n)
	}
	return all
}

// postpone a node until so much may be spent.
func (s *serving) postpone(n *node, cost int64) {
	if !s.budget.waits {
		s.budget.waits, s.budget.until = true, s.budget.free(s.understood, cost)
		s.wake(s.budget.until)
	}
	n.waits, n.until = true, s.budget.until
}

// withPartners are the first nodes of a chunk for which the budget has room together with their partners, and these.
func (s *serving) withPartners(b *batch, chunk []*node) (nodes, partners, alone []*node) {
	for nodes = chunk; len(nodes) > 0; nodes = nodes[:len(nodes)/2] {
		partners, alone = s.partners(nodes)
		cost := s.costs(nodes) + s.costs(partners)
		if b.gated || s.budget.fits(cost, len(nodes) == 1) {
			return nodes, partners, alone
		}
		if len(nodes) == 1 {
			s.postpone(nodes[0], cost)
		}
	}
	return nil, nil, nil
}

func (s *serving) costs(nodes []*node) int64 {
	if s.budget.limit == 0 {
		return 0
	}
	return list.Sum(nodes, func(n **node) int64 { return s.expected((*n).Node) })
}

// reportBudget says what was spent, and who waits. Where no run may be created in this pass, nobody was asked whether he waits.
func (r *reporting) reportBudget(b budget) *v1alpha1.PolicyBudget {
	if b.limit == 0 {
		return nil
	}
	said := &v1alpha1.PolicyBudget{SpentGPUSeconds: b.spent, Spendings: b.spendings}
	if old := r.Policy.Status.Budget; r.NoRuns && old != nil {
		said.Waiting, said.Nodes, said.Until = old.Waiting, old.Nodes, old.Until
		return said
	}
	waiting := list.Those(r.guarded.nodes, func(n *node) bool { return n.waits && n.run == "" })
	slices.SortFunc(waiting, func(a, b *node) int {
		return cmp.Or(a.when.Compare(b.when), cmp.Compare(a.Object.Name, b.Object.Name))
	})
	said.Waiting = int32(len(waiting))
	said.Nodes = names(waiting[:min(len(waiting), mostWaiting)])
	if len(waiting) > 0 && !b.until.IsZero() {
		said.Until = &metav1.Time{Time: b.until}
	}
	return said
}
