package campaign

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/oracle"
	"github.com/assay-dev/assay/test/campaign/sim"
)

const (
	// faultsStop is when no more faults come, and what is broken in the cluster is mended but for slow machines.
	faultsStop = 15 * time.Minute
	// quietAfter is how long after the last run everything is quiet, and quietFor how long that is looked at.
	quietAfter, quietFor = 2 * time.Minute, 5 * time.Minute
	// policiesTry for so long at the end: longer than a policy has patience with a node that lacks something.
	policiesTry = 10 * time.Minute
	// writesOfATry are at most those of one run of a policy that tries again.
	writesOfATry = 60
	// auditDeadline of the run over all nodes at the end, which shows that all is well again.
	auditDeadline = 20 * time.Minute
	// forGood is longer than any case.
	forGood = 24 * time.Hour
)

// Play a case. With story, what happens is kept line by line.
func Play(c cases.Case, story bool) sim.Outcome {
	w := newWorld(c, story)
	for _, name := range c.Benchmarks {
		_, _ = w.API.Create("person", cluster.Benchmark(name, c))
	}
	w.writeProfile(cases.BenchmarkShipped)
	w.offerClaims()
	for _, n := range c.Nodes {
		if m := w.join(n); m != nil {
			m.SlowOn(n.Slow)
		}
	}
	w.leaders.Lead()
	w.attend()
	for _, h := range c.Happens {
		w.At(sim.Epoch.Add(h.At), func() {
			if !w.Healed {
				w.happen(h)
			}
		})
	}
	w.Run(sim.Epoch.Add(faultsStop))
	w.finish()
	w.leaders.End()
	return w.Outcome()
}

// finish a case: faults stop, runs end, an audit shows the state of all nodes, and nothing is written any more.
func (w *world) finish() {
	w.heal()
	w.Run(w.Now().Add(w.API.Ahead())) // until no time that the API server has told is still to come: proofs are in order by these
	w.calm = w.Now()
	w.settle()
	w.oracle.CheckStrays()
	lost := w.loseForGood()
	w.createRun(cases.Happening{Name: "audit", Number: 2, For: auditDeadline, Flag: true, Scope: w.auditScope()})
	w.settle()
	w.CollectGarbage() // it may have had no time yet for what was deleted last
	w.oracle.CheckEnd()
	w.letPoliciesTry()
	going, _ := w.active()
	from, before, due := w.Now(), w.Figures.OperatorWrites, lost || w.nodesAreDue() // a policy tries a node that misses a device again, ever later
	w.Run(w.Now().Add(quietFor))
	most := len(going) * writesOfATry
	if due {
		most += w.triesTake(from)
	}
	if n := w.Figures.OperatorWrites - before; n > most && !w.IsBroken() && !w.oracle.TriesAgain() {
		w.Broken("P8", "%d writes although nothing is left to do", n)
	}
}

// loseForGood a GPU of a node, in one case of four: the audit has to tell, and to go on.
func (w *world) loseForGood() bool {
	machines := w.SortedMachines()
	if w.IsBroken() || len(machines) == 0 || w.Draw("lost for good")%4 > 0 {
		return false
	}
	m := machines[w.Draw("lost for good")%uint64(len(machines))]
	if m.Node() == nil {
		return false
	}
	w.Say("--          node %s loses a GPU for good", m.Name)
	m.LoseGPU(false, forGood)
	return true
}

// auditScope is what the audit takes out of service.
func (w *world) auditScope() v1alpha1.TaintScope {
	if w.Case.Devices {
		return v1alpha1.TaintScopeDevice
	}
	return ""
}

// heal the cluster, but for slow machines.
func (w *world) heal() {
	if w.IsBroken() {
		return
	}
	w.Say("--          faults stop")
	w.Healed, w.faults, w.SlicesStay, w.RecordsStay = true, nil, w.Now(), w.Now()
	w.MPIAway, w.Grief, w.webhooks = w.Now(), nil, nil
	if w.API.PutRight() {
		w.leaders.Troubled(w.Now()) // what was to be over long ago is so only now
	}
	if w.revised {
		w.shipCatalogue()
	}
	w.CollectGarbage()
	w.leaders.Heal()
	for _, m := range w.SortedMachines() {
		m.Heal()
	}
	for _, p := range kube.All[*corev1.Pod](w.API) {
		if w.Strangers[p.UID] {
			w.removePod(p)
		}
	}
	for _, r := range kube.All[*v1alpha1.ValidationRun](w.API) {
		if r.Spec.Suspend {
			w.suspendRun(r.Name, false)
		}
	}
}

// settle waits until no run goes on any more (P2), and then until all is quiet.
func (w *world) settle() {
	if w.IsBroken() {
		return
	}
	for !w.IsBroken() {
		active, latest := w.active()
		if len(active) == 0 {
			break
		}
		if w.Now().After(latest) {
			w.Broken("P2", "run %s is not over by its deadline, a grace of two minutes, and a minute", active[0])
			return
		}
		w.Run(w.Now().Add(5 * time.Second))
	}
	w.Run(w.Now().Add(quietAfter))
}

// letPoliciesTry again, or lose patience, for as long as one says that nodes are due: a node that a run did not get to has to be measured yet, and
// one that lacks something is waited for.
func (w *world) letPoliciesTry() {
	for until := w.Now().Add(policiesTry); w.Now().Before(until) && w.nodesAreDue(); {
		w.Run(w.Now().Add(quietAfter))
		w.settle()
	}
}

// triesTake so many writes at most since then: those of the runs that were made or were going, and what policies say of them.
func (w *world) triesTake(since time.Time) int {
	most := 3
	for _, r := range kube.All[*v1alpha1.ValidationRun](w.API) {
		over := r.Status.CompletionTime
		if !r.CreationTimestamp.Time.Before(since.Truncate(time.Second)) || over == nil || !over.Time.Before(since.Truncate(time.Second)) {
			most += writesOfATry
		}
	}
	return most
}

func (w *world) nodesAreDue() bool {
	return !w.IsBroken() && slices.ContainsFunc(kube.All[*v1alpha1.ValidationPolicy](w.API), func(p *v1alpha1.ValidationPolicy) bool {
		return p.Status.Nodes.Due > 0
	})
}

// active runs, and when the first of them has to be over.
func (w *world) active() (names []string, until time.Time) {
	for _, r := range kube.All[*v1alpha1.ValidationRun](w.API) {
		if r.Finished() && r.DeletionTimestamp == nil {
			continue
		}
		from := w.calm // no sooner: until then something may have kept it
		if r.CreationTimestamp.After(from) {
			from = r.CreationTimestamp.Time
		}
		if r.DeletionTimestamp != nil && r.DeletionTimestamp.After(from) {
			from = r.DeletionTimestamp.Time
		}
		over := from.Add(time.Duration(*r.Spec.ActiveDeadlineSeconds)*time.Second + oracle.Grace + 15*time.Second)
		if len(names) == 0 || over.Before(until) {
			until = over
		}
		names = append(names, r.Name)
	}
	return names, until
}

// Run a campaign: cases from a seed on, so far apart. It tells of each that broke a promise, and goes on for as long as told says so.
func Run(first, step uint64, count int, told func(cases.Case, sim.Outcome) bool) sim.Figures {
	sum := sim.Figures{Faults: map[string]int{}}
	for i := range count {
		c := cases.Generate(first + step*uint64(i))
		o := Play(c, false)
		sum.Cases++
		sum.Writes += o.Figures.Writes
		sum.OperatorWrites += o.Figures.OperatorWrites
		sum.Passes += o.Figures.Passes
		for what, n := range o.Figures.Faults {
			sum.Faults[what] += n
		}
		if len(o.Violations) > 0 && !told(c, o) {
			break
		}
	}
	return sum
}
