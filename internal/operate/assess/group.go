package assess

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// Group is one group of nodes and one benchmark, measured now or before.
type Group struct {
	// id is the name of its result.
	id    string
	task  int
	nodes []v1alpha1.ObjectReference
	record
	jobs []*Job
	// due: an attempt is, in this round of the tournament (0: none).
	due    bool
	round  int32
	reason string
	// fabric of its nodes, once somebody asked.
	fabric **v1alpha1.Fabric
}

// Job is one MPIJob of the run.
type Job struct {
	name           string
	uid            types.UID
	made, machines string // the configuration and the machines that it was made for
	attempt, round int32
	terminating    bool
	facts          workload.JobFacts
	// ended: its attempt is in the result.
	ended bool
	// waits says why it does not measure yet; makesWay, why it goes for another one of its attempt.
	waits, makesWay string
	// busy says which worker cannot be placed, and so why the job ends; givenUp, that the group is to wait and be started again.
	busy    string
	givenUp bool
}

func (g *Group) attempts() []v1alpha1.Attempt {
	if g.result == nil || len(g.result.Benchmarks) == 0 {
		return nil
	}
	return g.result.Benchmarks[0].Attempts
}

func (g *Group) names() []string {
	out := make([]string, len(g.nodes))
	for i, n := range g.nodes {
		out[i] = n.Name
	}
	return out
}

// others names the group's nodes but one, for that node's row.
func (g *Group) others(name string) string {
	return message.Nodes(slices.DeleteFunc(g.names(), func(n string) bool { return n == name }))
}

// group finds the group of a benchmark and nodes, or makes it known.
func (s *state) group(task int, nodes []v1alpha1.ObjectReference) *Group {
	id := tournament.ID(s.run, s.tasks[task].Name(), nodes)
	if g := s.groups[id]; g != nil {
		return g
	}
	g := &Group{id: id, task: task, nodes: nodes}
	s.groups[id] = g
	return g
}

// groupOf finds the group of a benchmark and named nodes of the run.
func (s *state) groupOf(task int, names []string) *Group {
	names = slices.Sorted(slices.Values(names))
	nodes := make([]v1alpha1.ObjectReference, len(names))
	for i, name := range names {
		nodes[i].Name = name
		if n := s.node(name); n.node != nil {
			nodes[i].UID = n.node.UID
		}
	}
	return s.group(task, nodes)
}

// placeGroupResult takes a stored result of a group into the scope. Two runs over the same nodes have a result each.
func (s *state) placeGroupResult(v *v1alpha1.ValidationResult) {
	if len(v.Benchmarks) == 0 || v.Run.UID != s.run.UID {
		return
	}
	i := s.taskNamed(v.Benchmarks[0].Name)
	if i < 0 || v.Name != tournament.ID(s.run, s.tasks[i].Name(), v.Group.Nodes) {
		return
	}
	g := s.group(i, v.Group.Nodes)
	g.stored, g.result = v, v
}
