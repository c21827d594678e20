// Package observe puts in order what was read of a run: which nodes it is about, which pod is which attempt, which MPIJob is which group, and what each
// node lacks. What passes leave to the next is here, too (Memory).
package observe

import (
	"cmp"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// observation puts what was read in order, by node and by group.
type observation struct {
	*Observed
	cluster map[string]*corev1.Node
	byName  map[string]*ObservedNode
	// expected devices of the node that is completed now, by resource: several tasks ask.
	expected map[string]expected
}

// Observe finds the nodes that the run is about, and gives them what was read of them.
func Observe(in Input) (*Observed, error) {
	in.Tasks, in.KnownAnew, in.Memory = slices.Clone(in.Tasks), in.KnownAnew && len(in.Known) > 0, cmp.Or(in.Memory, &Memory{})
	o := &observation{cluster: make(map[string]*corev1.Node, len(in.Nodes)), byName: map[string]*ObservedNode{}, expected: map[string]expected{},
		Observed: &Observed{Input: in, Groups: map[string]*ObservedGroup{}, kinds: kinds{cluster: in.Nodes}, Short: map[Short]time.Time{}}}
	o.Memory.Begin(o.Tasks)
	o.Started, o.Deadline = began(in.Run, in.Now)
	for _, node := range in.Nodes {
		o.cluster[node.Name] = node
	}
	if err := o.selectNodes(); err != nil {
		return nil, err
	}
	o.placeResults()
	o.placeJobs()
	for _, g := range o.Groups { // what took part is part of the run, whatever became of it
		for _, ref := range g.Nodes {
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
		o.Nodes = append(o.Nodes, n)
	}
	return o.Observed, nil
}

// selectNodes takes the nodes that the spec names or selects now. A node that joined after the run started is not part of it.
func (o *observation) selectNodes() error {
	selector, err := o.Run.Spec.ByLabels()
	if err != nil {
		return Invalid(message.SelectorUnreadable("spec.selector", err))
	}
	for _, name := range o.Run.Spec.NodeNames {
		o.adopt(name)
	}
	for _, node := range o.Input.Nodes {
		joined := o.Run.Status.StartTime != nil && node.CreationTimestamp.After(o.Run.Status.StartTime.Time)
		if selector.Matches(labels.Set(node.Labels)) && !joined {
			o.adopt(node.Name)
		}
	}
	return nil
}

// adopt returns the node of this name, and makes it part of the run: also one that the run has measured before, but does not
// select any more.
func (o *observation) adopt(name string) *ObservedNode {
	if o.byName[name] == nil {
		o.byName[name] = &ObservedNode{Name: name, Node: o.cluster[name]}
	}
	return o.byName[name]
}

// placeResults gives nodes and groups their stored results.
func (o *observation) placeResults() {
	for _, p := range o.Results {
		if p.Head.Group != nil {
			o.placeGroupResult(p.Whole())
			continue
		}
		n := o.adopt(p.Head.Node.Name)
		n.Packed, n.Stored = p, p.Head
	}
}

// complete adds what is known of a node itself.
func (o *observation) complete(n *ObservedNode) error {
	o.Memory.Recall(n)
	n.Facts = nodeFacts(n)
	o.groupFacts(n)
	n.Lacks = make([]*Lack, len(o.Tasks))
	n.Validation = o.Validations[n.Name]
	if n.Node == nil {
		return nil
	}
	n.Busy = cmp.Or(n.Busy, o.Busy[n.Name])
	n.Peaks = o.Memory.peaksOf(n.Memory, n.Node, o.Profiles)
	clear(o.expected)
	for i := range o.Tasks {
		var err error
		if n.Lacks[i], err = o.lackOf(n, &o.Tasks[i]); err != nil {
			return Invalid(message.SelectorUnreadable("spec.needs.selector of Benchmark "+o.Tasks[i].Name(), err))
		}
	}
	return nil
}

// node of the run; nil where it is none.
func (s *Observed) node(name string) *ObservedNode { return Find(s.Nodes, name) }

// groupFacts adds what the groups that the node took part in tell of it.
func (s *Observed) groupFacts(n *ObservedNode) {
	for _, uid := range s.Index.Nodes[n.Name] {
		n.Facts.Lost = n.Facts.Lost || n.Node == nil
		n.Facts.Recreated = n.Facts.Recreated || n.Node != nil && n.Node.UID != uid
	}
}

// InOrder are the values of a table by their keys, in an order that is the same in every pass.
func InOrder[V any](table map[string]V) []V {
	return list.Map(slices.Sorted(maps.Keys(table)), func(key string) V { return table[key] })
}

// Find a node of the run by its name; the zero value where it is none.
func Find[N interface{ Key() string }](nodes []N, name string) (n N) {
	if i, found := slices.BinarySearchFunc(nodes, name, func(n N, name string) int { return cmp.Compare(n.Key(), name) }); found {
		n = nodes[i]
	}
	return n
}

// Key by which a node of the run is found: its name.
func (n *ObservedNode) Key() string { return n.Name }
