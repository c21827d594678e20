package oracle

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

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
			if row := o.rowOf(audit, m.Name, b); row != nil {
				o.checkRow(m, row, played)
			}
		}
	}
}

// checkRow of a node by a benchmark of groups, which measured these.
func (o *Oracle) checkRow(m *cluster.Machine, row *v1alpha1.BenchmarkResult, played []*measured) {
	b := row.Name
	switch {
	case row.Verdict == v1alpha1.VerdictMissing: // the audit had no time for it
	case m.GPUs < m.Full && row.Verdict == v1alpha1.VerdictFail: // it misses a GPU, and fails by that
	case told(row):
		if !o.SlowTogether(b, o.SortedMachines()...) {
			o.Broken("P9", "nothing is slow by %s, and the audit calls node %s %s: %s", b, m.Name, row.Verdict, row.Message)
		}
	case cases.IsPairs(b):
		if m.Slow[b] > 0 && o.canBeTold(m, b, played) {
			o.Broken("P9", "node %s is slow by %s, the audit measured it with fit nodes, and says %s: %s", m.Name, b, row.Verdict, row.Message)
		}
	case o.isInSlowGroup(m, b, played):
		o.Broken("P9", "node %s is in a group that is slow by %s, and the audit says %s: %s", m.Name, b, row.Verdict, row.Message)
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
// other, most nodes have to be fit, and it has to be known what is usual: of several slow ones, fit nodes met inside a rack, and across; of one, it met
// somebody in its rack, or most pairs across racks are of fit ones. Else all pairs inside, or all across, may be what is slow.
func (o *Oracle) canBeTold(m *cluster.Machine, benchmark string, played []*measured) bool {
	partners, met, inside := map[*cluster.Machine]bool{}, map[*cluster.Machine]bool{}, false
	for _, p := range played {
		met[p.Group[0]], met[p.Group[1]] = true, true
		if other := partner(m, p.Group); other != nil && !o.SlowTogether(benchmark, other) && !o.IsSlowBetween(m, other, true) {
			partners[other], inside = true, inside || other.Rack() == m.Rack()
		}
	}
	if benchmark == cases.Net {
		return len(partners) > 0
	}
	slow := list.Count(slices.Collect(maps.Keys(met)), func(one *cluster.Machine) bool { return o.SlowTogether(benchmark, one) })
	if len(partners) < 2 || len(met) < 4 || 3*slow >= len(met) || o.hasSlowWays() {
		return false
	}
	if across, slowAcross := o.pairs(benchmark, played, true); slow == 1 {
		return inside || 2*slowAcross < across
	}
	return o.fitMet(benchmark, played, false) && o.fitMet(benchmark, played, true)
}

// fitMet: of the pairs inside racks, or across, not all are slow.
func (o *Oracle) fitMet(benchmark string, played []*measured, across bool) bool {
	all, slow := o.pairs(benchmark, played, across)
	return slow < max(all, 1)
}

// pairs inside racks, or across, and how many of them are slow.
func (o *Oracle) pairs(benchmark string, played []*measured, across bool) (all, slow int) {
	seen := map[[2]*cluster.Machine]bool{}
	for _, p := range played {
		if one := [2]*cluster.Machine(p.Group); (one[0].Rack() != one[1].Rack()) == across && !seen[one] {
			seen[one] = true
			all++
			if o.SlowTogether(benchmark, p.Group...) {
				slow++
			}
		}
	}
	return all, slow
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
