package oracle

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// checkConvictedTogether: of nodes that were measured together only a pair tells which one is slow, and only one that was slow by that benchmark (P6). Nothing
// tells a fit node from a slow one that met slow partners, or fit ones over slow ways.
func (o *Oracle) checkConvictedTogether(n *nodeTruth, name string, c *v1alpha1.Conviction) {
	switch {
	case !cases.IsGroup(c.Benchmark) || c.Rule == term.Devices || n.Lies:
	case !cases.IsPairs(c.Benchmark):
		o.Broken("P6", "node %s is convicted by %s of run %s, which measures more than two nodes together", name, c.Benchmark, c.Run.Name)
	case n.EverSlow(c.Benchmark) || o.mostAreSlowBy(c.Benchmark):
	case o.isBehindSlowWays(name, c):
		n.hidden = true
	default:
		o.Broken("P6", "node %s is convicted by %s of run %s, and it was never slow by that", name, c.Benchmark, c.Run.Name)
	}
}

// isBehindSlowWays: a run that convicts a fit node measured it with two fit partners over slow ways, or with one where it asks for no second look. That is what a slow node looks like to a bound, even if
// others reach it fast (docs/reliability.md).
func (o *Oracle) isBehindSlowWays(name string, c *v1alpha1.Conviction) bool {
	m, slow := o.Machines[name], map[*cluster.Machine]bool{}
	for _, p := range o.playedIn(c.Run.UID, c.Benchmark) {
		if other := partner(m, p.Group); other != nil && !other.Truth.EverSlow(c.Benchmark) && o.IsSlowBetween(m, other, true) {
			slow[other] = true
		}
	}
	return len(slow) > 1 || len(slow) == 1 && o.unconfirmed()
}

// partner of a machine in a pair; nil: it is not in it.
func partner(m *cluster.Machine, pair []*cluster.Machine) *cluster.Machine {
	switch m {
	case pair[0]:
		return pair[1]
	case pair[1]:
		return pair[0]
	}
	return nil
}

// checkJobKept: a job goes once what its launcher measured is stored, unless its run does not want to know any more (P10).
func (o *Oracle) checkJobKept(job client.Object) {
	for _, m := range o.byPod {
		if m.Group != nil && m.Over && !m.kept && m.Exit == 0 && !m.Unreadable && m.Job == job.GetUID() && !o.of(m.uid).Lies &&
			o.goesOn(metav1.GetControllerOf(job)) {
			o.Broken("P10", "job %s is deleted, and what its launcher measured is not stored", job.GetName())
		}
	}
}

// playedIn a run are the launchers of a benchmark whose measurements are stored.
func (o *Oracle) playedIn(run types.UID, benchmark string) []*measured {
	var all []*measured
	for _, m := range o.byPod {
		if m.Group != nil && m.kept && m.Benchmark == benchmark && m.Pod.Labels[v1alpha1.LabelRunUID] == string(run) {
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b *measured) int { return strings.Compare(a.Pod.Name, b.Pod.Name) })
	return all
}

// checkTogetherAtEnd: what the audit says of nodes that it measured together is so: who is slow and can be told has not passed, and says how slow; and nothing is
// said to be slow that is not (P9).
func (o *Oracle) checkTogetherAtEnd(audit *v1alpha1.ValidationRun) {
	if slices.ContainsFunc(o.SortedMachines(), func(m *cluster.Machine) bool { return m.Truth.Lies }) {
		return
	}
	for _, b := range o.Case.Benchmarks {
		if o.IsBroken() || !cases.IsGroup(b) {
			continue
		}
		played := o.playedIn(audit.UID, b)
		o.checkFindings(audit, b)
		for _, m := range o.SortedMachines() {
			row := o.rowOf(audit, m.Name, b)
			if row == nil {
				continue
			}
			switch suspects := row.Verdict == v1alpha1.VerdictError && row.Reason == v1alpha1.ReasonSuspect; {
			case cases.IsPairs(b) && m.Slow[b] > 0 && o.canBeTold(m, b, played) && !told(row):
				o.Broken("P9", "node %s is slow by %s, the audit measured it with fit nodes, and says %s: %s", m.Name, b, row.Verdict, row.Message)
			case !cases.IsPairs(b) && o.isInSlowGroup(m, b, played) && !told(row):
				o.Broken("P9", "node %s is in a group that is slow by %s, and the audit says %s: %s", m.Name, b, row.Verdict, row.Message)
			case (suspects || row.Verdict == v1alpha1.VerdictFail) && !o.SlowTogether(b, o.SortedMachines()...):
				o.Broken("P9", "nothing is slow by %s, and the audit calls node %s %s: %s", b, m.Name, row.Verdict, row.Message)
			}
		}
	}
}

// told: the row of a node says that it is slow, or may be, and how slow.
func told(row *v1alpha1.BenchmarkResult) bool {
	return (row.Verdict == v1alpha1.VerdictFail || row.Verdict == v1alpha1.VerdictError && row.Reason == v1alpha1.ReasonSuspect) && strings.ContainsAny(row.Message, "0123456789")
}

func (o *Oracle) rowOf(run *v1alpha1.ValidationRun, node, benchmark string) *v1alpha1.BenchmarkResult {
	for _, r := range kube.All[*v1alpha1.ValidationResult](o.API) {
		if r.Run.UID == run.UID && r.Node.Name == node {
			return r.Benchmark(benchmark)
		}
	}
	return nil
}

// canBeTold: a slow node was measured with fit ones over ways that are not slow. By a bound one pair is enough to see that something is. Compared with each
// other, most nodes have to be fit, and of pairs inside racks, and across them, most have to be of other nodes: it is these that say what is usual.
func (o *Oracle) canBeTold(m *cluster.Machine, benchmark string, played []*measured) bool {
	partners, met := map[*cluster.Machine]bool{}, map[*cluster.Machine]bool{}
	var all, own [2]map[[2]*cluster.Machine]bool // pairs inside racks, and across them
	for k := range all {
		all[k], own[k] = map[[2]*cluster.Machine]bool{}, map[[2]*cluster.Machine]bool{}
	}
	for _, p := range played {
		pair, across := [2]*cluster.Machine(p.Group), 0
		if pair[0].Rack() != pair[1].Rack() {
			across = 1
		}
		met[pair[0]], met[pair[1]], all[across][pair] = true, true, true
		other := partner(m, p.Group)
		if other == nil {
			continue
		}
		own[across][pair] = true
		if !o.SlowTogether(benchmark, other) && !o.IsSlowBetween(m, other, true) {
			partners[other] = true
		}
	}
	if benchmark == cases.Net {
		return len(partners) > 0
	}
	slow := 0
	for one := range met {
		if o.SlowTogether(benchmark, one) {
			slow++
		}
	}
	isUsual := func(k int) bool { return len(own[k]) == 0 || 2*len(own[k]) < len(all[k]) }
	return len(partners) > 1 && len(met) >= 4 && 3*slow < len(met) && isUsual(0) && isUsual(1) && !o.hasSlowWays()
}

func (o *Oracle) hasSlowWays() bool {
	all := o.SortedMachines()
	return slices.ContainsFunc(all, func(a *cluster.Machine) bool {
		return slices.ContainsFunc(all, func(b *cluster.Machine) bool { return o.IsSlowBetween(a, b, true) })
	})
}

// isInSlowGroup: the audit measured a group that the node is in, and it was slow: of a curve, the whole, while its first node is fit.
func (o *Oracle) isInSlowGroup(m *cluster.Machine, benchmark string, played []*measured) bool {
	whole := 0
	for _, p := range played {
		whole = max(whole, len(p.Group))
	}
	return slices.ContainsFunc(played, func(p *measured) bool {
		if !slices.Contains(p.Group, m) || !o.SlowTogether(benchmark, p.Group...) {
			return false
		}
		return benchmark != cases.Curve || len(p.Group) == whole && slices.ContainsFunc(played, func(f *measured) bool {
			return len(f.Group) == 1 && f.Group[0] == p.Group[0] && !o.SlowTogether(benchmark, f.Group...)
		})
	})
}

// checkFindings of a run: each set, link or boundary that it names has something slow in it.
func (o *Oracle) checkFindings(run *v1alpha1.ValidationRun, benchmark string) {
	for _, f := range run.Status.Findings {
		var among []*cluster.Machine
		for _, m := range o.SortedMachines() {
			if slices.Contains(f.Members, m.Name) || f.Kind == "Boundary" && slices.Contains(f.Members, m.Rack()) {
				among = append(among, m)
			}
		}
		o.Figures.Faults["(a finding of kind "+f.Kind+")"]++
		if f.Benchmark == benchmark && slices.Contains([]string{"Set", "Link", "Boundary", "Node"}, f.Kind) && !o.SlowTogether(benchmark, among...) {
			o.Broken("P9", "run %s says that %s of %v is slow by %s, and nothing there is: %s", run.Name, f.Kind, f.Members, benchmark, f.Message)
		}
	}
}

// checkNoneAtWork: no program of a run that is over is at work, whoever owns its pod (P3).
func (o *Oracle) checkNoneAtWork() {
	for _, m := range o.SortedMachines() {
		for _, p := range o.Running(m) {
			run := p.Pod.Labels[v1alpha1.LabelRunName]
			if run != "" && !p.Stranger && m.Reached() && !o.isActive(run) && o.Now().Sub(p.Began) > time.Minute {
				o.Broken("P3", "run %s is over, and its pod %s is at work on node %s", run, p.Pod.Name, m.Name)
			}
		}
	}
}

// storeTogether notes that what a launcher measured was stored. What cannot be read ends as an error (P10).
func (o *Oracle) storeTogether(r *v1alpha1.ValidationResult) {
	for i := range r.Benchmarks {
		for _, a := range r.Benchmarks[i].Attempts {
			for _, m := range o.byPod {
				if m.Job != a.PodUID || m.Job == "" {
					continue
				}
				m.kept = true
				if m.Unreadable && a.Verdict != v1alpha1.VerdictError {
					o.Broken("P10", "what the launcher of job %s left cannot be read, and its attempt is a %s", a.Pod, a.Verdict)
				}
			}
		}
	}
}
