package assess

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/verdict"
)

// dependsOnSize: what a metric reaches depends on the number of nodes, as rates of arithmetic do, and all metrics that scale.
func (s *state) dependsOnSize(i int, metric string) bool {
	return slices.ContainsFunc(s.tasks[i].Metrics, func(m v1alpha1.Metric) bool {
		return m.Name == metric && (m.Scaling != "" || strings.HasSuffix(m.Unit, "FLOP/s"))
	})
}

// compareSets with each other: where a metric that is compared depends on the number of nodes, those of the same size.
func (s *state) compareSets(i int, groups []*Group) {
	t := &s.tasks[i]
	bySize := slices.ContainsFunc(t.Metrics, func(m v1alpha1.Metric) bool {
		return m.Expectation != nil && m.Expectation.MaxFleetDeviation != "" && s.dependsOnSize(i, m.Name)
	})
	like := map[int][]*Group{}
	for _, g := range groups {
		size := 0
		if bySize {
			size = len(g.nodes)
		}
		like[size] = append(like[size], g)
	}
	for _, groups := range like {
		fleet := s.groupFleet(t, groups)
		for _, g := range groups {
			g.fleet = fleet
		}
	}
}

// groupFleet compares groups with each other.
func (s *state) groupFleet(t *Task, groups []*Group) *verdict.Judge {
	var first []*fleet.Digest
	complete := true
	for _, g := range groups {
		attempts := g.attempts()
		if a := slices.IndexFunc(attempts, measured); a >= 0 {
			first = append(first, digest(g.id, t.Metrics, &attempts[a], ""))
		} else if attempt.AwaitsMeasurement(attempts) && !s.groupsClosed() {
			complete = false
		}
	}
	return verdict.NewJudge(t.Name(), t.Metrics, first, nil, complete).OfGroups()
}
