package assess

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
)

// Needed are the nodes that a pass judges by their past, each once.
type Needed struct {
	// Remembered: how they are judged is remembered, so that their histories may be given to one Run after the other, some at a time.
	Remembered []string
	// Together: these have to be given to the last Run, as something was just collected of them.
	Together []string
}

// NeedsPast says whose NodeHistories Run has to be given, beside what InputNeeds says. It follows from what was observed and what is
// remembered: which nodes have measurements that were not judged before as they are now.
func NeedsPast(in Input) (needs Needed, err error) {
	o, err := observe(in)
	if err != nil || !slices.ContainsFunc(o.tasks, func(t Task) bool { return o.asksPast(&t) }) {
		return needs, err
	}
	s := compare(collectUnmeasured(collect(o)))
	grouped := s.groupedNodes()
	for _, n := range s.nodes {
		switch {
		case !n.hasPast() || !s.judgesByPast(n, grouped):
		case n.changed || n.losesDevices():
			needs.Together = append(needs.Together, n.name)
		default:
			needs.Remembered = append(needs.Remembered, n.name)
		}
	}
	return needs, nil
}

// PastFor is what of a history nodes are judged by in these tasks. A run of a few benchmarks need not hold the history of all.
func PastFor(tasks []Task, h *v1alpha1.NodeHistory) *v1alpha1.NodeHistory {
	past := &v1alpha1.NodeHistory{NodeUID: h.NodeUID}
	past.Name = h.Name
	for i := range h.Benchmarks {
		b := &h.Benchmarks[i]
		if slices.ContainsFunc(tasks, func(t Task) bool { return t.Name() == b.Name }) {
			kept := v1alpha1.BenchmarkHistory{Name: b.Name, Held: b.Held, Passes: b.Passes}
			past.Benchmarks = append(past.Benchmarks, *kept.DeepCopy())
		}
	}
	return past
}

// losesDevices: attempts that say so may come yet in this pass, and then all else is judged anew.
func (n *observedNode) losesDevices() bool { return slices.ContainsFunc(n.lacks, (*lack).missing) }

// judgesByPast: the node's past decides about something that was measured.
func (s *Judged) judgesByPast(n *judgedNode, grouped map[Attempted]bool) bool {
	for i := range s.tasks {
		t := &s.tasks[i]
		attempts := n.attempts(t.Name())
		switch {
		case !s.asksPast(t):
		case t.IsGroup():
			if grouped[Attempted{n.name, t.Name()}] && n.memory.pastOf(i, n.validation) == nil {
				return true
			}
		case len(attempts) == 0 || missedDevices(attempts) != nil:
		case n.losesDevices() || !s.isDecided(n, i):
			return true
		}
	}
	return false
}

// groupedNodes are those that were measured, or tried, together with others.
func (s *Judged) groupedNodes() map[Attempted]bool {
	grouped := map[Attempted]bool{}
	for _, g := range s.groups {
		if t := &s.tasks[g.task]; s.asksPast(t) && len(g.attempts()) > 0 {
			for _, name := range g.names() {
				grouped[Attempted{name, t.Name()}] = true
			}
		}
	}
	return grouped
}

// asksPast: nodes are compared by the task with what they reached before, or their stored verdict may have to stand, whose terms are in
// their history.
func (s *Observed) asksPast(t *Task) bool {
	return len(t.remembered) > 0 || s.knownAnew && !t.IsGroup()
}

// hasPast: a history is stored of the node.
func (n *observedNode) hasPast() bool {
	v := n.validation
	return v != nil && n.node != nil && v.Fingerprint.NodeUID == n.node.UID && v.NodeHistory != nil && v.NodeHistory.UID != ""
}

// lacksPast: the node is judged by its past, which was not given to this Run.
func (s *Observed) lacksPast(n *observedNode, i int) bool {
	t := &s.tasks[i]
	return s.asksPast(t) && n.hasPast() && !n.pastGiven && (!t.IsGroup() || n.memory.pastOf(i, n.validation) == nil)
}

// pastOf is what this benchmark measured on the node in passing runs, without this one.
func (s *Observed) pastOf(n *observedNode, i int) past.Past {
	past, t := past.Past{Without: s.run.UID}, &s.tasks[i]
	switch {
	case n.node == nil:
	case n.history != nil && n.history.NodeUID == n.node.UID:
		if h := n.history.Benchmark(t.Name()); h != nil {
			past.Passes = h.Passes
		}
	case !n.pastGiven && t.IsGroup():
		if known := n.memory.pastOf(i, n.validation); known != nil {
			past.Passes = known.passes
		}
	}
	past.Provisional = n.validation != nil && n.validation.Benchmark(t.Name()).LastPass() == nil
	return past
}

// groupPast is the past of a node in a group benchmark: few values, of which each pass has need once the groups are measured.
type groupPast struct {
	version any // of what was known of the node
	passes  []v1alpha1.PassHistory
}

// rememberGroups keeps what this node reached in group benchmarks.
func (s *Observed) rememberGroups(n *observedNode) {
	if n.memory == nil || !n.pastGiven {
		return
	}
	for i := range s.tasks {
		if t := &s.tasks[i]; t.IsGroup() && s.asksPast(t) {
			n.memory.task(i).group = &groupPast{versionOf(n.validation), s.pastOf(n, i).Passes}
		}
	}
}

// pastOf a node in a group benchmark; nil: it is not remembered, or something else became known since.
func (n *nodeMemory) pastOf(i int, v *v1alpha1.NodeValidation) *groupPast {
	if known := n.task(i).group; known != nil && known.version == versionOf(v) {
		return known
	}
	return nil
}
