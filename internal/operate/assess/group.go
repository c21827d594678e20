package assess

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// attemptsOf a group, as its result has them; nil: there is none.
func attemptsOf(result *v1alpha1.ValidationResult) []v1alpha1.Attempt {
	if result == nil || len(result.Benchmarks) == 0 {
		return nil
	}
	return result.Benchmarks[0].Attempts
}

func (g *observedGroup) names() []string {
	out := make([]string, len(g.nodes))
	for i, n := range g.nodes {
		out[i] = n.Name
	}
	return out
}

// others names the group's nodes but one, for that node's row.
func (g *observedGroup) others(name string) string {
	return message.Nodes(slices.DeleteFunc(g.names(), func(n string) bool { return n == name }))
}

// group finds the group of a benchmark and nodes, or makes it known.
func (s *Observed) group(task int, nodes []v1alpha1.ObjectReference) *observedGroup {
	id := tournament.ID(s.run, s.tasks[task].Name(), nodes)
	if g := s.groups[id]; g != nil {
		return g
	}
	g := &observedGroup{id: id, task: task, nodes: nodes}
	s.groups[id] = g
	return g
}

// placeGroupResult takes a stored result of a group into the scope. Two runs over the same nodes have a result each.
func (s *Observed) placeGroupResult(v *v1alpha1.ValidationResult) {
	if len(v.Benchmarks) == 0 || v.Run.UID != s.run.UID {
		return
	}
	i := s.taskNamed(v.Benchmarks[0].Name)
	if i < 0 || v.Name != tournament.ID(s.run, s.tasks[i].Name(), v.Group.Nodes) {
		return
	}
	g := s.group(i, v.Group.Nodes)
	g.stored = v
}
