package compare

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unique"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// Side is all that was measured on one side, in the order it was found.
type Side struct {
	about      About
	machines   []machine
	byUID      map[types.UID]int
	owners     []owner
	byMembers  map[string]int
	series     map[rowKey]*series
	order      []rowKey
	benchmarks map[string]*benchmark
	traits     traits
	// run that was begun last, and what it asked of each benchmark.
	run   types.UID
	asked map[string]asked
	// remembered runs: those that nodes have in their past.
	remembered map[types.UID]bool
}

// Keep says which measurements of some runs belong to a side.
type Keep struct {
	// Nodes that do. A group does if all of its nodes do. Nil: all.
	Nodes func(v1alpha1.ObjectReference) bool
	// From is the first moment that does, and To the first that does not any more. Zero: no bound.
	From, To time.Time
}

// machine is a node of a side.
type machine struct {
	name string
	uid  types.UID
	// devices by UUID: a node that got another name, or another cluster, still has them.
	devices map[string]bool
}

// owner of parts: a node, or a group of nodes.
type owner struct {
	machines []int
	measured bool
}

// rowKey names a metric of one kind of part.
type rowKey struct{ benchmark, metric, kind string }

// measuredBy says what a value is of.
type measuredBy struct {
	label unique.Handle[label] // held once: many values have the same
	owner int32
}

// foldedWithin so many values, further attempts join the one they repeat while a side is read; others do so when it is compared.
const foldedWithin = 64

// benchmark as a side ran it.
type benchmark struct {
	// metrics that its Benchmark lists; none where that is not known.
	metrics  map[string]v1alpha1.Metric
	headline map[string]bool
	// attempts by configuration.
	attempts map[string]int
	// grouped says that it measured groups of nodes. What a node's own result says of it repeats what the groups showed.
	grouped bool
}

// NewSide is empty.
func NewSide(name string) *Side {
	return &Side{
		about: About{Name: name}, byUID: map[types.UID]int{}, byMembers: map[string]int{}, series: map[rowKey]*series{},
		benchmarks: map[string]*benchmark{}, traits: traits{}, remembered: map[types.UID]bool{},
	}
}

// About the side as far as it is read.
func (s *Side) About() About {
	a := s.about
	for _, o := range s.owners {
		switch {
		case !o.measured:
		case len(o.machines) == 1:
			a.Nodes++
		default:
			a.Groups++
		}
	}
	return a
}

// owner of what was measured on these nodes.
func (s *Side) owner(nodes []v1alpha1.ObjectReference) int {
	machines := make([]int, len(nodes))
	uids := make([]string, len(nodes))
	for i, n := range nodes {
		at, ok := s.byUID[n.UID]
		if !ok {
			at = len(s.machines)
			s.machines = append(s.machines, machine{name: n.Name, uid: n.UID, devices: map[string]bool{}})
			s.byUID[n.UID] = at
		}
		machines[i], uids[i] = at, string(n.UID)
	}
	slices.Sort(uids)
	key := strings.Join(uids, " ")
	if at, ok := s.byMembers[key]; ok {
		return at
	}
	s.byMembers[key] = len(s.owners)
	s.owners = append(s.owners, owner{machines: machines})
	return len(s.owners) - 1
}

// benchmark by its name.
func (s *Side) benchmark(name string) *benchmark {
	b := s.benchmarks[name]
	if b == nil {
		b = &benchmark{metrics: map[string]v1alpha1.Metric{}, headline: map[string]bool{}, attempts: map[string]int{}}
		s.benchmarks[name] = b
	}
	return b
}

// add the value of a part.
func (s *Side) add(key rowKey, unit string, better v1alpha1.Direction, of measuredBy, number float64) {
	better = s.better(key, better)
	in := s.series[key]
	if in == nil {
		in = &series{unit: unit, better: better}
		s.series[key] = in
		s.order = append(s.order, key)
	}
	factor, ok := quantity.Factor(unit, in.unit)
	if !ok || better != in.better {
		in.mixed = true
		return
	}
	in.add(of, number*factor)
	s.owners[of.owner].measured = true
}

// better direction of a metric, by the measurement or else by the Benchmark.
func (s *Side) better(key rowKey, measured v1alpha1.Direction) v1alpha1.Direction {
	if known, ok := s.benchmark(key.benchmark).metrics[key.metric]; ok {
		return cmp.Or(measured, known.Better, v1alpha1.Higher) // the API's default
	}
	return measured
}
