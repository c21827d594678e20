package observe

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// Memory is what the passes over one run leave to the next, so that what has not changed is not worked out again: in a large run most
// nodes are as they were in most passes. It decides nothing but which of many results are stored first: with an empty one a pass comes to the
// same, and takes longer. Two passes must not use it at the same time. The zero value is empty.
type Memory struct {
	tasks  []string
	fleets map[string]*fleetMemory
	Nodes  map[string]*nodeMemory
	// peaks that nodes have: mostly the same.
	peaks []*peak.Peaks
}

// fleetMemory is the fleet of a task, and what it was made of.
type fleetMemory struct {
	fleet *verdict.Judge
	own   []*fleet.Digest
	known []*fleet.Digest
	// uncounted are the nodes that have no say in what a fact should be.
	uncounted []fact.Of
	complete  bool
}

// nodeMemory is what was worked out of a node's stored result.
type nodeMemory struct {
	packed *pack.Result
	// peaks and software of the node as it was read.
	node     *corev1.Node
	peaks    *peak.Peaks
	software [2]string
	// Tasks by their index.
	Tasks []taskMemory
	// Unstored counts failures to store its result, one after the other: of many results, those that failed less often come first.
	Unstored int
}

// taskMemory is what was worked out of a node's attempts by one benchmark.
type taskMemory struct {
	// Digest of the attempt at index Digested; nil: there is none.
	Digest   *fleet.Digest
	Digested int
	// Decision without its terms, and what it was made by: nothing, where there is none. Decision nil beside that: the stored row tells it.
	Decision *verdict.Decision
	Change   *Changed
	By       judgedBy
	// group is the node's past, of a group benchmark.
	group *groupPast
}

// judgedBy is what a decision follows from, beside the attempts, which follow compares, and the catalogue and the spec of the run, which do not
// change. It is the one key of what is remembered of a node and a benchmark.
type judgedBy struct {
	// Fleet is the same one as long as it is made of the same.
	Fleet *verdict.Judge
	// past is the version of what was known of the node.
	past any
	// peaks of the node, which are shared by like nodes, and its software, whose updates are told.
	peaks    *peak.Peaks
	software [2]string
}

// JudgedBy is the key of a decision that is made now.
func (n *nodeMemory) JudgedBy(fleet *verdict.Judge, v *v1alpha1.NodeValidation) judgedBy {
	return judgedBy{Fleet: fleet, past: versionOf(v), peaks: n.peaks, software: n.software}
}

// Still: a decision is what it was made by, but for what became known of the node since, which changes nothing once it has its verdict.
func (by judgedBy) Still(now judgedBy, verdictStands bool) bool {
	if verdictStands {
		by.past, now.past = nil, nil
	}
	return by.Fleet != nil && by == now
}

// Decided is the decision that is remembered; row is what is stored of the benchmark. What that tells is not kept twice.
func (m *taskMemory) Decided(row *v1alpha1.BenchmarkResult) verdict.Decision {
	if m.Decision != nil && equality.Semantic.DeepEqual(*m.Decision, tournament.Told(row)) {
		m.Decision = nil
	}
	if m.Decision == nil {
		return tournament.Told(row)
	}
	return *m.Decision
}

// Begin a pass over these tasks.
func (m *Memory) Begin(tasks []Task) {
	if m.Nodes != nil && slices.EqualFunc(m.tasks, tasks, func(name string, t Task) bool { return name == t.Name() }) {
		return
	}
	*m = Memory{fleets: map[string]*fleetMemory{}, Nodes: map[string]*nodeMemory{}}
	for i := range tasks {
		m.tasks = append(m.tasks, tasks[i].Name())
	}
}

// Recall what is remembered of a node, as far as it is true of its result as it is now.
func (m *Memory) Recall(n *ObservedNode) {
	n.Memory = m.Nodes[n.Name]
	if n.Memory == nil {
		n.Memory = &nodeMemory{packed: n.Packed, Tasks: make([]taskMemory, len(m.tasks))}
		m.Nodes[n.Name] = n.Memory
	}
	if n.Memory.packed != n.Packed {
		n.Memory.follow(n.Packed, m.tasks)
	}
}

// follow forgets what is not true any more.
func (n *nodeMemory) follow(packed *pack.Result, tasks []string) {
	for i := range n.Tasks {
		t := &n.Tasks[i]
		alike, all := pack.Alike(n.packed, packed, tasks[i])
		if alike <= t.Digested {
			t.Digest = nil
		}
		if !all || t.Decision == nil && !sameRows(n.packed, packed, tasks[i]) {
			t.By = judgedBy{}
		}
	}
	n.packed = packed
}

// sameRows: two results say the same of a benchmark, whatever its attempts.
func sameRows(a, b *pack.Result, benchmark string) bool {
	if a == nil || b == nil {
		return a == b
	}
	before, now := a.Head.Benchmark(benchmark), b.Head.Benchmark(benchmark)
	if before == nil || now == nil {
		return before == now
	}
	return equality.Semantic.DeepEqual(tournament.Told(before), tournament.Told(now))
}

// Tried notes what came of a write of the node's result.
func (n *nodeMemory) Tried(err error) {
	n.Unstored++
	if err == nil {
		n.Unstored = 0
	}
}

// peaksOf a node, which are looked up again where anything about it has changed.
func (m *Memory) peaksOf(n *nodeMemory, node *corev1.Node, profiles peak.Profiles) peak.Peaks {
	if n.node == node {
		return *n.peaks
	}
	is := nodevalidation.MachineOf(node, "", "")
	n.node, n.peaks, n.software = node, m.shared(profiles.Peaks(node.Labels)), [2]string{is.Driver, is.Kernel}
	return *n.peaks
}

// shared is the one copy of some peaks.
func (m *Memory) shared(peaks peak.Peaks) *peak.Peaks {
	i := slices.IndexFunc(m.peaks, func(p *peak.Peaks) bool { return reflect.DeepEqual(*p, peaks) })
	if i >= 0 {
		return m.peaks[i]
	}
	m.peaks = append(m.peaks, &peaks)
	return &peaks
}

// Fleet of a task: the same one as long as it is made of the same. Where others are still to come, its own only say who is to be measured again.
func (m *Memory) Fleet(t *Task, own, known []*fleet.Digest, uncounted []fact.Of, complete bool) *verdict.Judge {
	if !complete && len(own) == 0 {
		known = nil // it compares nothing yet
	}
	last := m.fleets[t.Name()]
	if last != nil && last.complete == complete && slices.EqualFunc(last.own, own, sameDigest) && slices.EqualFunc(last.known, known, equalDigest) &&
		slices.Equal(last.uncounted, uncounted) {
		last.own = own
		return last.fleet
	}
	f := verdict.NewJudge(t.Name(), t.Metrics, own, known, complete).Expecting(t.Benchmark.Spec.Facts, uncounted...).
		OnQuietHost(t.Benchmark.Spec.QuietHost)
	if !complete && len(own) > 0 {
		f.SuspectedBy(verdict.NewJudge(t.Name(), t.Metrics, own, known, true).OnQuietHost(t.Benchmark.Spec.QuietHost))
	}
	m.fleets[t.Name()] = &fleetMemory{f, own, known, uncounted, complete}
	return f
}

func sameDigest(a, b *fleet.Digest) bool { return a == b || reflect.DeepEqual(a, b) }

// equalDigest compares what is known: the time and place tell it.
func equalDigest(a, b *fleet.Digest) bool { return a.Node == b.Node && a.Time.Equal(b.Time) }

// versionOf what is known of a node; two that are the same say the same.
func versionOf(v *v1alpha1.NodeValidation) any {
	if v == nil || v.ResourceVersion == "" {
		return v
	}
	return v.ResourceVersion
}
