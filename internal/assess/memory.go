package assess

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/result"
	"github.com/assay-dev/assay/internal/verdict"
)

// Memory is what the passes over one run leave to the next, so that what has not changed is not worked out again: in a large run most
// nodes are as they were in most passes. It decides nothing: with an empty one a pass comes to the same, and takes longer. Two passes must not
// use it at the same time. The zero value is empty.
type Memory struct {
	fleets map[string]*fleetMemory
	nodes  map[string]*nodeMemory
}

// fleetMemory is the fleet of a task, and what it was made of.
type fleetMemory struct {
	fleet    *verdict.Fleet
	own      []*verdict.Digest
	known    []verdict.Digest
	complete bool
}

// nodeMemory is what was worked out of a node's stored result.
type nodeMemory struct {
	packed *result.Packed
	// peaks of the node as it was read.
	node  *corev1.Node
	peaks verdict.Peaks
	tasks map[string]*taskMemory
}

// taskMemory is what was worked out of a node's attempts by one benchmark.
type taskMemory struct {
	// digest of the attempt at index digested.
	digest   *verdict.Digest
	digested int
	// decision, and what it follows from beside the attempts. Fleet nil: there is none.
	decision   verdict.Decision
	fleet      *verdict.Fleet
	validation *v1alpha1.NodeValidation
}

// node returns what is remembered of a node, as far as it is true of its result as it is now.
func (m *Memory) node(name string, packed *result.Packed) *nodeMemory {
	if m == nil {
		return &nodeMemory{packed: packed, tasks: map[string]*taskMemory{}}
	}
	if m.nodes == nil {
		m.nodes = map[string]*nodeMemory{}
	}
	n := m.nodes[name]
	if n == nil {
		n = &nodeMemory{tasks: map[string]*taskMemory{}}
		m.nodes[name] = n
	}
	if n.packed != packed {
		n.follow(packed)
	}
	return n
}

// follow forgets what is not true any more.
func (n *nodeMemory) follow(packed *result.Packed) {
	for name, t := range n.tasks {
		before, now := n.packed.Attempts(name), packed.Attempts(name)
		if t.digest != nil && !sameAttempts(before, now, t.digested+1) {
			t.digest = nil
		}
		if len(before) != len(now) || !sameAttempts(before, now, len(now)) {
			t.fleet = nil
		}
	}
	n.packed = packed
}

// sameAttempts: the first attempts are the same.
func sameAttempts(a, b []result.PackedAttempt, first int) bool {
	return len(a) >= first && len(b) >= first && slices.EqualFunc(a[:first], b[:first], result.PackedAttempt.Equal)
}

// task returns what is remembered of a node's attempts by a benchmark.
func (n *nodeMemory) task(name string) *taskMemory {
	if n == nil {
		return &taskMemory{}
	}
	t := n.tasks[name]
	if t == nil {
		t = &taskMemory{}
		n.tasks[name] = t
	}
	return t
}

// peaksOf the node, which are looked up again where anything about it has changed.
func (n *nodeMemory) peaksOf(node *corev1.Node, profiles verdict.Profiles) verdict.Peaks {
	if n.node == node {
		return n.peaks
	}
	if peaks := profiles.Peaks(node.Labels); n.node == nil || !reflect.DeepEqual(peaks, n.peaks) {
		for _, t := range n.tasks {
			t.fleet = nil
		}
		n.peaks = peaks
	}
	n.node = node
	return n.peaks
}

// fleet of a task: the same one as long as it is made of the same.
func (m *Memory) fleet(t *Task, own []*verdict.Digest, known []verdict.Digest, complete bool) *verdict.Fleet {
	if !complete {
		own, known = nil, nil // it compares nothing yet
	}
	var last *fleetMemory
	if m != nil {
		last = m.fleets[t.Name()]
	}
	if last != nil && last.complete == complete && slices.EqualFunc(last.own, own, sameDigest) && slices.EqualFunc(last.known, known, equalDigest) {
		last.own = own
		return last.fleet
	}
	digests := make([]verdict.Digest, len(own))
	for i, d := range own {
		digests[i] = *d
	}
	f := verdict.NewFleet(t.Name(), t.Metrics, digests, known, complete)
	if m != nil {
		if m.fleets == nil {
			m.fleets = map[string]*fleetMemory{}
		}
		m.fleets[t.Name()] = &fleetMemory{f, own, known, complete}
	}
	return f
}

func sameDigest(a, b *verdict.Digest) bool { return a == b || reflect.DeepEqual(a, b) }

// equalDigest compares what is known: the time and place tell it.
func equalDigest(a, b verdict.Digest) bool { return a.Node == b.Node && a.Time.Equal(b.Time) }
