package assess

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/internal/message"
)

// observation puts what was read in order, by node and by group.
type observation struct {
	*Observed
	in      Input
	cluster map[string]*corev1.Node
	byName  map[string]*observedNode
}

// observe finds the nodes that the run is about, and gives them what was read of them.
func observe(in Input) (*Observed, error) {
	o := &observation{in: in, cluster: make(map[string]*corev1.Node, len(in.Nodes)), byName: map[string]*observedNode{}, Observed: &Observed{run: in.Run, now: in.Now, cut: in.Cut,
		tasks: slices.Clone(in.Tasks), profiles: in.Profiles, taintRefused: in.TaintRefused, cutShort: in.CutShort, elsewhere: in.Elsewhere, startedAnew: in.StartedAnew, knownFleet: in.Known, knownAnew: in.KnownAnew && len(in.Known) > 0, memory: in.Memory, groups: map[string]*observedGroup{},
		kinds: kinds{cluster: in.Nodes}, short: map[Short]time.Time{}}}
	o.memory.begin(o.tasks)
	o.started, o.deadline = began(in.Run, in.Now)
	for _, node := range in.Nodes {
		o.cluster[node.Name] = node
	}
	if err := o.selectNodes(); err != nil {
		return nil, err
	}
	o.placeResults()
	o.placeJobs()
	for _, g := range o.groups { // what took part is part of the run, whatever became of it
		for _, ref := range g.nodes {
			o.adopt(ref.Name)
		}
	}
	o.indexGroups()
	for _, pod := range in.Pods {
		o.placePod(pod)
	}
	o.tellJobs()
	for _, name := range slices.Sorted(maps.Keys(o.byName)) {
		n := o.byName[name]
		if err := o.complete(n); err != nil {
			return nil, err
		}
		o.nodes = append(o.nodes, n)
	}
	return o.Observed, nil
}

// selectNodes takes the nodes that the spec names or selects now. A node that joined after the run started is not part of it.
func (o *observation) selectNodes() error {
	selector, err := o.run.Spec.ByLabels()
	if err != nil {
		return Invalid(message.SelectorUnreadable("spec.selector", err))
	}
	for _, name := range o.run.Spec.NodeNames {
		o.adopt(name)
	}
	for _, node := range o.in.Nodes {
		joined := o.run.Status.StartTime != nil && node.CreationTimestamp.After(o.run.Status.StartTime.Time)
		if selector.Matches(labels.Set(node.Labels)) && !joined {
			o.adopt(node.Name)
		}
	}
	return nil
}

// adopt returns the node of this name, and makes it part of the run: also one that the run has measured before, but does not
// select any more.
func (o *observation) adopt(name string) *observedNode {
	n := o.byName[name]
	if n == nil {
		n = &observedNode{name: name, node: o.cluster[name]}
		o.byName[name] = n
	}
	return n
}

// placeResults gives nodes and groups their stored results.
func (o *observation) placeResults() {
	for _, p := range o.in.Results {
		if p.Head.Group != nil {
			o.placeGroupResult(p.Whole())
			continue
		}
		n := o.adopt(p.Head.Node.Name)
		n.packed, n.stored = p, p.Head
	}
}

// complete adds what is known of a node itself.
func (o *observation) complete(n *observedNode) error {
	n.memory = o.memory.node(n.name, n.packed, len(o.tasks))
	n.facts = nodeFacts(n)
	o.groupFacts(n)
	n.lacks = make([]*lack, len(o.tasks))
	n.validation = o.in.Validations[n.name]
	n.history, n.pastGiven = o.in.Histories[n.name]
	if n.node == nil {
		return nil
	}
	if n.busy == "" {
		n.busy = o.in.Busy[n.name]
	}
	n.peaks = o.memory.peaksOf(n.memory, n.node, o.profiles)
	for i := range o.tasks {
		var err error
		if n.lacks[i], err = o.lackOf(n, &o.tasks[i]); err != nil {
			return Invalid(message.SelectorUnreadable("spec.needs.selector of Benchmark "+o.tasks[i].Name(), err))
		}
	}
	return nil
}

// node of the run; nil where it is none.
func (s *Observed) node(name string) *observedNode { return find(s.nodes, name) }

// groupFacts adds what the groups that the node took part in tell of it.
func (s *Observed) groupFacts(n *observedNode) {
	for _, uid := range s.index.nodes[n.name] {
		n.facts.Lost = n.facts.Lost || n.node == nil
		n.facts.Recreated = n.facts.Recreated || n.node != nil && n.node.UID != uid
	}
}
