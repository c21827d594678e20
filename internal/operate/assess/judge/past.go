package judge

import (
	"slices"

	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// Needed are the nodes that a pass judges by their past, each once.
type Needed struct {
	// Remembered: how they are judged is remembered, so that their histories may be given to one Run after the other, some at a time.
	Remembered []string
	// Together: these have to be given to the last Run, as something was just collected of them.
	Together []string
}

// NeedsPast says whose NodeHistories what was collected has to be given, before it is judged. It follows from what was collected and what is
// remembered: which nodes have measurements that were not judged before as they are now.
func NeedsPast(c *collect.Collected) (needs Needed) {
	if !slices.ContainsFunc(c.Tasks, func(t observe.Task) bool { return c.AsksPast(&t) }) {
		return needs
	}
	s := compare(c)
	grouped := s.groupedNodes()
	for _, n := range s.Nodes {
		switch {
		case !n.HasPast() || !s.judgesByPast(n, grouped):
		case n.Changed || n.LosesDevices():
			needs.Together = append(needs.Together, n.Name)
		default:
			needs.Remembered = append(needs.Remembered, n.Name)
		}
	}
	return needs
}

// judgesByPast: the node's past decides about something that was measured.
func (s *Judged) judgesByPast(n *JudgedNode, grouped map[observe.Attempted]bool) bool {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		attempts := n.Attempts(t.Name())
		switch {
		case !s.AsksPast(t):
		case t.IsGroup():
			if grouped[observe.Attempted{Node: n.Name, Benchmark: t.Name()}] && n.Memory.PastOf(i, n.Validation) == nil {
				return true
			}
		case len(attempts) == 0 || collect.MissedDevices(attempts) != nil:
		case n.LosesDevices() || !s.isDecided(n, i):
			return true
		}
	}
	return false
}

// groupedNodes are those that were measured, or tried, together with others.
func (s *Judged) groupedNodes() map[observe.Attempted]bool {
	grouped := map[observe.Attempted]bool{}
	for _, g := range s.Groups {
		if t := &s.Tasks[g.Task]; s.AsksPast(t) && len(g.Attempts()) > 0 {
			for _, name := range g.Names() {
				grouped[observe.Attempted{Node: name, Benchmark: t.Name()}] = true
			}
		}
	}
	return grouped
}
