package tournament

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
)

// dependsOnSize: what a metric reaches depends on the number of nodes, as rates of arithmetic do, and all metrics that scale.
func (f *sets) dependsOnSize(metric string) bool {
	return slices.ContainsFunc(f.Metrics, func(m v1alpha1.Metric) bool {
		return m.Name == metric && (m.Scaling != "" || strings.HasSuffix(m.Unit, "FLOP/s"))
	})
}

// compareSets with each other: where a metric that is compared depends on the number of nodes, those of the same size.
func (f *sets) compareSets(groups []*Group) []set {
	bySize := slices.ContainsFunc(f.Metrics, func(m v1alpha1.Metric) bool {
		return m.Expectation != nil && m.Expectation.MaxFleetDeviation != "" && f.dependsOnSize(m.Name)
	})
	sizeOf := func(g *Group) int {
		if bySize {
			return len(g.Nodes)
		}
		return 0
	}
	like := map[int][]*Group{}
	for _, g := range groups {
		like[sizeOf(g)] = append(like[sizeOf(g)], g)
	}
	fleets := map[int]*verdict.Judge{}
	for size, groups := range like {
		fleets[size] = f.fleetOf(groups)
	}
	return list.Map(groups, func(g *Group) set { return set{Group: g, fleet: fleets[sizeOf(g)]} })
}

// fleetOf groups that are compared with each other.
func (f *sets) fleetOf(groups []*Group) *verdict.Judge {
	var first []*fleet.Digest
	complete := true
	for _, g := range groups {
		if a := slices.IndexFunc(g.Attempts, attempt.Measured); a >= 0 {
			d := fleet.DigestAttempt(f.Metrics, &g.Attempts[a]).On("")
			d.Node = g.ID
			first = append(first, &d)
		} else if attempt.AwaitsMeasurement(g.Attempts) && !f.closed() {
			complete = false
		}
	}
	return verdict.NewJudge(f.Benchmark.Name, f.Metrics, first, nil, complete).OfGroups()
}
