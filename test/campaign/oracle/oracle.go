// Package oracle checks the promises of docs/reliability.md, at every write and at the end, by what is true of the cluster and not by what the operator says.
package oracle

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/operator"
)

// Oracle knows what is true of the world beside what the API server says: what each program measured, who put which taint on a node, and what people did.
// It is written from the promises (docs/reliability.md), not from the operator.
type Oracle struct {
	*cluster.Cluster
	leaders *operator.Leaders
	nodes   map[types.UID]*nodeTruth
	// byPod are the programs of benchmarks by the names of their pods.
	byPod map[string]*measured
	// givenUp are the pods of which an attempt was stored before a program of theirs began.
	givenUp map[types.UID]bool
	// ended was the program of a pod, as somebody could see, from then on.
	ended map[types.UID]time.Time
	// made were the pods of attempts, by name, lately.
	made map[string][]time.Time
	// nodeCounts are how many nodes there were, and since when: the operator may not have seen the last change.
	nodeCounts []nodeCount
	// images by run and benchmark.
	images map[string]string
	// tainting are the runs with terms of their own that ask for a taint.
	tainting map[types.UID]bool
	// ownBounds are the benchmarks that runs judge by bounds that all nodes meet, or none, by run.
	ownBounds map[types.UID]ownBounds
	devices   deviceTruth
	edited    edited
}

// New is an oracle for what goes on in a cluster.
func New(c *cluster.Cluster, l *operator.Leaders) *Oracle {
	return &Oracle{Cluster: c, leaders: l, nodes: map[types.UID]*nodeTruth{}, byPod: map[string]*measured{}, givenUp: map[types.UID]bool{}, ended: map[types.UID]time.Time{}, made: map[string][]time.Time{}, tainting: map[types.UID]bool{}, ownBounds: map[types.UID]ownBounds{}, images: map[string]string{}, devices: newDeviceTruth(), edited: newEdited()}
}

// ownBounds of a run, for a benchmark.
type ownBounds struct {
	benchmark string
	tooHard   bool
}

type nodeCount struct {
	since time.Time
	// nodes by pool; of no name: all.
	nodes map[string]int
}

// nodeTruth is what is true of a node: of its machine, and of what was written.
type nodeTruth struct {
	*cluster.Truth
	// convicted since when by a benchmark, as is on record.
	convicted map[string]time.Time
	// touched is when a person last changed something that tells of the node's taint.
	touched time.Time
	// stripped of Assay's marks it was last.
	stripped time.Time
	// byOwnTerms: a run that asks for a taint has convicted it by terms of its own.
	byOwnTerms bool
	// hidden: a pair convicted it, or a run in which as many others lie as do not, and nothing tells it from a slow node.
	hidden bool
	// misses: by a profile it has more devices than there are.
	misses bool
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
	*cluster.Program
	uid types.UID
	fit bool // the machine was, for this benchmark, when it began
	bad bool // it left nonsense
	// kept: what it measured is stored.
	kept bool
	// givenUp: before it began, an attempt was stored that says that it never did, or what another pod of its name measured: a leader that stalled has made it late.
	givenUp bool
	// decided: a verdict was drawn from it. What is suspect is measured again first.
	decided bool
}

func (o *Oracle) of(uid types.UID) *nodeTruth {
	n := o.nodes[uid]
	if n == nil {
		n = &nodeTruth{Truth: o.TruthOf(uid), stored: map[string][]*measured{}, convicted: map[string]time.Time{}, ours: map[corev1.Taint]time.Time{}, marks: map[string]time.Time{}}
		o.nodes[uid] = n
	}
	return n
}

// Touched by a person: what holds of the node's taint from now on may rest on that.
func (o *Oracle) Touched(name string) {
	if m := o.Machines[name]; m != nil {
		o.of(m.UID).touched = o.Now()
	}
}

// Stripped: a webhook has taken the marks away that were to be on a node.
func (o *Oracle) Stripped(name string) {
	if m := o.Machines[name]; m != nil {
		o.of(m.UID).stripped = o.Now()
	}
}

// counted nodes of a pool: the most that there were lately.
func (o *Oracle) counted(pool string) int {
	most := 0
	for i, c := range o.nodeCounts {
		last := i == len(o.nodeCounts)-1 || o.Now().Sub(o.nodeCounts[i+1].since) < 3*time.Minute
		if last {
			most = max(most, c.nodes[pool])
		}
	}
	return most
}

// store notes that a program's measurement was stored.
func (o *Oracle) store(r *v1alpha1.ValidationResult) {
	o.checkOutputs(r)
	if r.Node.UID == "" {
		o.storeTogether(r)
		return
	}
	o.checkJudged(r)
	n := o.of(r.Node.UID)
	n.failed = n.failed || r.Verdict == v1alpha1.VerdictFail
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		for a := range b.Attempts {
			m := o.byPod[b.Attempts[a].Pod]
			if pod := o.API.Get("Pod", client.ObjectKey{Namespace: cases.Namespace, Name: b.Attempts[a].Pod}); pod != nil && (m == nil || m.Pod.UID != pod.GetUID()) {
				o.givenUp[pod.GetUID()] = true
			}
			if m != nil {
				m.kept, m.decided = true, m.decided || b.Verdict == v1alpha1.VerdictPass || b.Verdict == v1alpha1.VerdictFail
			}
			if m == nil || slices.Contains(n.stored[b.Name], m) {
				continue
			}
			n.stored[b.Name] = append(n.stored[b.Name], m)
			slices.SortStableFunc(n.stored[b.Name], func(x, y *measured) int { return x.Program.Began.Compare(y.Program.Began) })
		}
	}
}

// tellsOfFitness: the run judged the program by what its Benchmark asks, or by what only slow nodes do not meet. What all nodes meet contradicts nothing; nor do
// bounds that none meets, unless the node was slow in all attempts of the run: then it broke those of the Benchmark, too.
func (o *Oracle) tellsOfFitness(m *measured, all []*measured) bool {
	run := m.Pod.Labels[v1alpha1.LabelRunUID]
	by := o.ownBounds[types.UID(run)]
	return !cluster.IsSmall(m.Pod) && (by.benchmark != m.Benchmark || by.tooHard && !slices.ContainsFunc(all, func(other *measured) bool {
		return other.fit && other.decided && !other.bad && other.Exit == 0 && other.Pod.Labels[v1alpha1.LabelRunUID] == run
	}))
}

// checkConvicted: nobody is convicted who was never unfit (P6), whether a taint follows or not. By its own terms a run convicts together with its taint only.
func (o *Oracle) checkConvicted(n *nodeTruth, before, after *v1alpha1.NodeValidation) {
	for _, c := range after.Convictions {
		if before != nil && slices.ContainsFunc(before.Convictions, func(o v1alpha1.Conviction) bool { return o.Run == c.Run && o.Benchmark == c.Benchmark }) {
			continue
		}
		if !c.AsCatalogued && o.tainting[c.Run.UID] && after.Quarantine != nil {
			n.byOwnTerms = true
			continue
		}
		o.checkConvictedTogether(n, after.Name, &c)
		if c.Rule == term.Devices && o.mayMissDevices(c.Run.UID) {
			n.misses = true
		}
		if c.Benchmark == "fleet" && o.mostOthersLie(n, after.Name, c.Run.UID) {
			n.hidden = true
		}
		if !o.mayFail(n) {
			o.Broken("P6", "node %s is convicted by %s of run %s, and it was never unfit", after.Name, c.Benchmark, c.Run.Name)
		}
	}
}

// mayFail: the machine was unfit once, or nothing tells it from one that was.
func (o *Oracle) mayFail(n *nodeTruth) bool {
	disturbed := n.Disturbed > 1 || n.Disturbed == 1 && o.unconfirmed() // who is disturbed again when looked at again cannot be told from who is slow
	return n.EverUnfit || n.Lies || disturbed || n.hidden || n.misses || o.mostAreSlow() || o.askedTooMuch(n)
}

// checkCalled: no node is called failed that nothing convicts (P6).
func (o *Oracle) checkCalled(n *nodeTruth, before, after *corev1.Node) {
	called := after.Labels[v1alpha1.LabelVerdict]
	if called == "failed" && before.Labels[v1alpha1.LabelVerdict] != called && !n.byOwnTerms && !o.mayFail(n) {
		o.Broken("P6", "node %s is called failed, and it was never unfit", after.Name)
	}
}

// unlessMadeAnew: two leaders that announce the same at the same time take it back, and make it anew. By then it stands again, of the device if one is given,
// or the machine has gone. Where there was one leader, it has to stand at once.
func (o *Oracle) unlessMadeAnew(name string, c v1alpha1.Conviction, uuid string, broken func()) {
	m := o.Machines[name]
	check := func() {
		record := kube.Find[*v1alpha1.NodeValidation](o.API, name)
		if o.Machines[name] == m && (uuid == "" || m.Has(uuid)) && !stillConvicts(record, c.Benchmark, uuid) {
			broken()
		}
	}
	if o.Now().Sub(o.leaders.Trouble) < takenBack {
		o.After(takenBack, check)
		return
	}
	check()
}

// stillConvicts says whether a benchmark convicts a node, or, if one is given, a device of it.
func stillConvicts(record *v1alpha1.NodeValidation, benchmark, uuid string) bool {
	return record != nil && slices.ContainsFunc(record.Convictions, func(o v1alpha1.Conviction) bool {
		return o.Benchmark == benchmark && (uuid == "" || len(o.Devices) == 0 || slices.Contains(o.Devices, uuid))
	})
}
