package observe

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/list"
)

// PastFor is what of a history nodes are judged by in the run's tasks. A run of a few benchmarks need not hold the history of all.
func (in *Input) PastFor(h *v1alpha1.NodeHistory) *v1alpha1.NodeHistory {
	past := &v1alpha1.NodeHistory{NodeUID: h.NodeUID}
	past.Name = h.Name
	for i := range h.Benchmarks {
		b := &h.Benchmarks[i]
		if slices.ContainsFunc(in.Tasks, func(t Task) bool { return t.Name() == b.Name }) {
			kept := v1alpha1.BenchmarkHistory{Name: b.Name, Held: b.Held, Passes: b.Passes}
			past.Benchmarks = append(past.Benchmarks, *kept.DeepCopy())
		}
	}
	return past
}

// LosesDevices: attempts that say so may come yet in this pass, and then all else is judged anew.
func (n *ObservedNode) LosesDevices() bool { return slices.ContainsFunc(n.Lacks, (*Lack).Missing) }

// AsksPast: nodes are compared by the task with what they reached before, or their stored verdict may have to stand, whose terms are in
// their history.
func (s *Observed) AsksPast(t *Task) bool {
	return len(t.Remembered) > 0 || s.KnownAnew && !t.IsGroup()
}

// HasPast: a history is stored of the node.
func (n *ObservedNode) HasPast() bool {
	h := n.OfMachine().NodeHistory
	return h != nil && h.UID != ""
}

// LacksPast: the node is judged by its past, which was not given to this Run.
func (s *Observed) LacksPast(n *ObservedNode, i int) bool {
	t := &s.Tasks[i]
	return s.AsksPast(t) && n.HasPast() && !n.PastGiven && (!t.IsGroup() || n.Memory.PastOf(i, n.Validation) == nil)
}

// PastOf is what this benchmark measured on the node in passing runs, without this one.
func (s *Observed) PastOf(n *ObservedNode, i int) past.Past {
	past, t := past.Past{Without: s.Run.UID}, &s.Tasks[i]
	switch {
	case n.Node == nil:
	case n.History != nil && n.History.NodeUID == n.Node.UID:
		if h := n.History.Benchmark(t.Name()); h != nil {
			past.Passes = h.Passes
		}
	case !n.PastGiven && t.IsGroup():
		if known := n.Memory.PastOf(i, n.Validation); known != nil {
			past.Passes = known.passes
		}
	}
	past.Provisional = n.Validation != nil && n.Validation.Benchmark(t.Name()).LastPass() == nil
	return past
}

// groupPast is the past of a node in a group benchmark: few values, of which each pass has need once the groups are measured.
type groupPast struct {
	version any // of what was known of the node
	passes  []v1alpha1.PassHistory
}

// RememberGroups keeps what this node reached in group benchmarks.
func (s *Observed) RememberGroups(n *ObservedNode) {
	for i := range s.Tasks {
		if t := &s.Tasks[i]; n.PastGiven && t.IsGroup() && s.AsksPast(t) {
			n.Memory.Tasks[i].group = &groupPast{versionOf(n.Validation), s.PastOf(n, i).Passes}
		}
	}
}

// PastOf a node in a group benchmark; nil: it is not remembered, or something else became known since.
func (n *nodeMemory) PastOf(i int, v *v1alpha1.NodeValidation) *groupPast {
	if known := n.Tasks[i].group; known != nil && known.version == versionOf(v) {
		return known
	}
	return nil
}

// Changed is how one node compares with its own past in a benchmark.
type Changed struct {
	Node    string
	Changes []past.Change
	// Updates of its software since, without a count.
	Updates []Update
}

// Of a metric; nil: the node has no past in it.
func (c *Changed) Of(metric string) *past.Change {
	return list.First(c.Changes, func(k *past.Change) bool { return k.Metric == metric })
}

// Update is software that another version was found of, on so many nodes.
type Update struct {
	What, From, To string
	Nodes          int
}
