package compare

import (
	"cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// Know what Benchmarks say of their metrics: what is remembered of a node has no direction and no noise.
func (s *Side) Know(benchmarks []v1alpha1.Benchmark) {
	for b := range list.Each(benchmarks) {
		s.known(b.Name, b.Spec.Metrics)
	}
}

// AddPast adds what a node reached in the passing runs that are remembered of it, as far as they belong to the side. What failed is not
// remembered, and of metrics only those that are headlines, or compared with the fleet or the past.
func (s *Side) AddPast(h *v1alpha1.NodeHistory, keep Keep) {
	node := v1alpha1.ObjectReference{Name: h.Name, UID: h.NodeUID}
	if !keep.all([]v1alpha1.ObjectReference{node}) {
		return
	}
	said := once{}
	for b := range list.Each(h.Benchmarks) {
		for p := range list.Each(b.Passes) {
			runs := past.SpellOut(p.Runs)
			if kept := list.Where(runs, func(r v1alpha1.PassingRun) bool { return keep.during(r.Time.Time) }); len(kept) > 0 {
				s.addRemembered(said, b.Name, p.Configuration, kept)
				s.addPasses(s.owner([]v1alpha1.ObjectReference{node}), b.Name, p, keep)
			}
		}
	}
}

// addRemembered notes the runs of the time that is meant.
func (s *Side) addRemembered(said once, name, configuration string, runs []v1alpha1.PassingRun) {
	for r := range list.Each(runs) {
		s.at(&r.Time)
		if !s.remembered[r.RunUID] {
			s.remembered[r.RunUID] = true
			s.about.Remembered++
		}
		s.benchmark(name).attempts[configuration]++
		s.traits.addOnce(said, "driver", r.Driver, "")
		s.traits.addOnce(said, "kernel", r.Kernel, "")
		s.traits.add(name, configurationTrait, configuration)
	}
}

func (s *Side) addPasses(owner int, name string, p *v1alpha1.PassHistory, keep Keep) {
	ids := s.identities(owner, p.Devices)
	for m := range list.Each(p.Metrics) {
		for part := range list.Each(m.Parts) {
			by := of(owner, part.At, cmp.Or(part.Identity, ids.Of(part.At)), p.Configuration)
			recent := past.Recent(part)
			for k, text := range recent {
				run := len(p.Runs) - len(recent) + k
				if number, ok := quantity.ParseDecimal(text); ok && run >= 0 && keep.during(p.Runs[run].Time.Time) {
					s.add(rowKey{name, m.Metric, kindOf(part.At, false)}, m.Unit, "", by, number)
				}
			}
		}
	}
}
