package campaign

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// truth is what is known of the world beside what the API server says, and what the promises are checked by. It knows which machine is slow, what each
// program measured, who put which taint on a node, and what people did. It is written from the promises (docs/reliability.md), not from the operator.
type truth struct {
	w         *world
	lastWrite time.Time // of an operator
	nodes     map[types.UID]*nodeTruth
	// byPod are the programs of benchmarks by the names of their pods.
	byPod map[string]*measured
	// nodeCounts are how many nodes there were, and since when: the operator may not have seen the last change.
	nodeCounts []nodeCount
	// images by run and benchmark.
	images map[string]string
	// tainting are the runs with terms of their own that ask for a taint.
	tainting map[string]bool
	// ownBounds are the benchmarks that runs judge by bounds that all nodes meet, or none, by run.
	ownBounds map[string]string
	devices   deviceTruth
}

type nodeCount struct {
	since time.Time
	// nodes by pool; of no name: all.
	nodes map[string]int
}

// nodeTruth is what is known of one machine.
type nodeTruth struct {
	uid types.UID
	// unfitSince by benchmark, for as long as the machine is slow; everUnfit: it was slow once, or lost a device.
	unfitSince map[string]time.Time
	everUnfit  bool
	// disturbed is how many programs measured too little, although the machine is fit.
	disturbed int
	// convicted since when by a benchmark, as is on record.
	convicted map[string]time.Time
	// touched is when a person last changed something that tells of the node's taint.
	touched time.Time
	// lies: what its kubelet says is not true.
	lies bool
	// byOwnTerms: a run that asks for a taint has convicted it by terms of its own.
	byOwnTerms bool
	// sharedSince its GPUs are no whole ones.
	sharedSince time.Time
	// offers so many devices; others it offered until then.
	offers  int
	offered map[int]time.Time
	// dividedLast is when its GPUs were divided, or made whole, last.
	dividedLast time.Time
	// failed: a result was stored that says so.
	failed bool
	// stored programs by benchmark, in the order in which they began.
	stored map[string][]*measured
	// ours are the taints with the keys of runs that an operator put there, and since when; all others are somebody else's.
	ours map[corev1.Taint]time.Time
	// marks that an operator wrote, and when.
	marks map[string]time.Time
}

// measured is a program in truth: what it measured, and whether anybody could have known.
type measured struct {
	*program
	uid types.UID
	fit bool // the machine was, for this benchmark, when it began
	bad bool // it left nonsense
	// kept: what it measured is stored.
	kept bool
	// decided: a verdict was drawn from it. What is suspect is measured again first.
	decided bool
}

func newTruth(w *world) *truth {
	return &truth{w: w, nodes: map[types.UID]*nodeTruth{}, byPod: map[string]*measured{}, tainting: map[string]bool{}, ownBounds: map[string]string{}, images: map[string]string{}, devices: newDeviceTruth()}
}

func (t *truth) of(uid types.UID) *nodeTruth {
	n := t.nodes[uid]
	if n == nil {
		n = &nodeTruth{uid: uid, unfitSince: map[string]time.Time{}, stored: map[string][]*measured{}, convicted: map[string]time.Time{}, ours: map[corev1.Taint]time.Time{}, offered: map[int]time.Time{}, marks: map[string]time.Time{}}
		t.nodes[uid] = n
	}
	return n
}

// joined: a machine is there, and since when its GPUs are what they are.
func (t *truth) joined(m *machine) {
	if m.shares != "" {
		t.divided(m)
	}
	t.changed(m)
	t.countNodes()
}

func (t *truth) slowed(m *machine, benchmark string) {
	n := t.of(m.uid)
	n.everUnfit = true
	if n.unfitSince[benchmark].IsZero() {
		n.unfitSince[benchmark] = t.w.now
	}
}

func (t *truth) repaired(m *machine) { t.of(m.uid).unfitSince = map[string]time.Time{} }

func (t *truth) lost(m *machine) {
	t.of(m.uid).everUnfit = true
	t.changed(m)
}

// touched by a person: what holds of the node's taint from now on may rest on that.
func (t *truth) touched(name string) {
	if m := t.w.machines[name]; m != nil {
		t.of(m.uid).touched = t.w.now
	}
}

// slowSince says since when a machine is slow by a benchmark with a bound of its own, so that every measurement shows it; zero: it is not.
func (n *nodeTruth) slowSince(benchmark string) time.Time {
	if benchmark == "fleet" || benchmark == "net" { // among slow ones a slow one is as good as any
		return time.Time{}
	}
	return n.unfitSince[benchmark]
}

// began checks P1: no other benchmark is at work on these devices.
func (t *truth) began(p *program) {
	t.byPod[p.pod.Name] = &measured{program: p, uid: p.m.uid, fit: p.m.fit(p.benchmark) == 1 && !p.disturbed, bad: p.m.garbled > 0}
	if p.disturbed {
		t.of(p.m.uid).disturbed++
	}
	t.checkWhole(p)
	if isLauncher(p.pod) || t.of(p.m.uid).lies { // it only starts ranks; and whoever says that it has more devices than it has gets more pods
		return
	}
	for _, other := range t.w.running(p.m) {
		// Two that each ask for all that there was fit beside one another once there is more.
		more := p.devices && other.devices && t.of(p.m.uid).moreSince(p.pod.CreationTimestamp.Time)
		if other != p && !more && !isLauncher(other.pod) && !other.stranger && other.pod.Labels[v1alpha1.LabelBenchmark] != "" {
			t.w.broken("P1", "on node %s %s begins to measure while %s does", p.m.name, p.pod.Name, other.pod.Name)
		}
	}
}

// moreSince then the machine offers more devices, or divides them.
func (n *nodeTruth) moreSince(then time.Time) bool {
	for count, until := range n.offered {
		if until.After(then) && count < n.offers {
			return true
		}
	}
	return n.dividedLast.After(then)
}

// counted nodes of a pool: the most that there were lately.
func (t *truth) counted(pool string) int {
	most := 0
	for i, c := range t.nodeCounts {
		last := i == len(t.nodeCounts)-1 || t.w.now.Sub(t.nodeCounts[i+1].since) < 3*time.Minute
		if last {
			most = max(most, c.nodes[pool])
		}
	}
	return most
}

// store notes that a program's measurement was stored.
func (t *truth) store(r *v1alpha1.ValidationResult) {
	t.checkOutputs(r)
	if r.Node.UID == "" {
		return
	}
	n := t.of(r.Node.UID)
	n.failed = n.failed || r.Verdict == v1alpha1.VerdictFail
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		for a := range b.Attempts {
			m := t.byPod[b.Attempts[a].Pod]
			if m != nil {
				m.kept, m.decided = true, m.decided || b.Verdict == v1alpha1.VerdictPass || b.Verdict == v1alpha1.VerdictFail
			}
			if m == nil || slices.Contains(n.stored[b.Name], m) {
				continue
			}
			n.stored[b.Name] = append(n.stored[b.Name], m)
			slices.SortStableFunc(n.stored[b.Name], func(x, y *measured) int { return x.program.began.Compare(y.program.began) })
		}
	}
}

// checkOutputs: what cannot be read ends as an error (P10).
func (t *truth) checkOutputs(r *v1alpha1.ValidationResult) {
	for i := range r.Benchmarks {
		for _, a := range r.Benchmarks[i].Attempts {
			if m := t.byPod[a.Pod]; m != nil && m.unreadable && a.Verdict != v1alpha1.VerdictError {
				t.w.broken("P10", "what pod %s left cannot be read, and its attempt is a %s", a.Pod, a.Verdict)
			}
		}
	}
}
