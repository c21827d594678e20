package compare

import (
	"cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
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
			if s.pastRuns(said, b.Name, p, keep) {
				s.addPasses(node, b.Name, p, keep)
			}
		}
	}
}

// pastRuns notes the runs of the time that is meant, and says whether there are any.
func (s *Side) pastRuns(said once, name string, p *v1alpha1.PassHistory, keep Keep) bool {
	driver, kernel, any := "", "", false
	for r := range list.Each(p.Runs) {
		driver, kernel = cmp.Or(r.Driver, driver), cmp.Or(r.Kernel, kernel) // empty: as in the run before
		if !keep.during(r.Time.Time) {
			continue
		}
		any = true
		s.at(&r.Time)
		if !s.remembered[r.RunUID] {
			s.remembered[r.RunUID] = true
			s.about.Remembered++
		}
		s.benchmark(name).attempts[p.Configuration]++
		s.traits.addOnce(said, "driver", driver, "")
		s.traits.addOnce(said, "kernel", kernel, "")
		s.traits.add(name, configurationTrait, p.Configuration)
	}
	return any
}

func (s *Side) addPasses(node v1alpha1.ObjectReference, name string, p *v1alpha1.PassHistory, keep Keep) {
	of := s.owner([]v1alpha1.ObjectReference{node})
	ids := part.NewIdentities(p.Devices)
	for _, uuid := range ids {
		s.machines[s.owners[of].machines[0]].devices[uuid] = true
	}
	for m := range list.Each(p.Metrics) {
		for part := range list.Each(m.Parts) {
			recent := past.Recent(part)
			for k, text := range recent {
				number, ok := quantity.ParseDecimal(text)
				run := len(p.Runs) - len(recent) + k
				if !ok || run < 0 || !keep.during(p.Runs[run].Time.Time) {
					continue
				}
				by := measuredBy{owner: int32(of), at: s.number(part.At), configuration: s.number(p.Configuration)}
				if id := cmp.Or(part.Identity, ids.Of(part.At)); id != part.At {
					by.identity = s.number(id)
				}
				s.add(rowKey{name, m.Metric, kindOf(part.At, false)}, m.Unit, "", by, number)
			}
		}
	}
}
