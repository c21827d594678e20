package judge

import (
	"fmt"
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Kinds of findings that only warn.
const (
	KindPopulation = "Population"
	KindShift      = "Shift"
)

// reportPopulations says where like nodes reach one of two levels. Nobody fails for being in the slower half, so
// somebody has to be told.
func (s *Judged) reportPopulations() {
	for i := range s.Tasks {
		if t := &s.Tasks[i]; !t.IsGroup() {
			for _, p := range s.fleets[i].Populations() {
				members := p.WorseNodes // of the smaller side
				if len(p.BetterNodes) < len(members) {
					members = p.BetterNodes
				}
				s.addFinding(v1alpha1.FabricFinding{Kind: KindPopulation, Benchmark: t.Name(), Metric: p.Metric, Members: members, Message: populations(p)})
			}
		}
	}
}

// populations says that like nodes reach one of two levels.
func populations(p fleet.Population) string {
	side := "lower"
	if p.Worse > p.Better {
		side = "higher"
	}
	percent, s := 100*math.Abs(p.Worse-p.Better)/math.Abs(p.Better), quantity.NewScale(p.Unit, p.Worse, p.Better)
	return fmt.Sprintf("%s of %s: %s and %d reach %s, %s %s: these look like two kinds of hardware or settings; "+
		"each node is compared with its own kind; make them alike (power limit, memory, slot), or give each kind a run of its own",
		p.Metric, message.PartName(p.Kind), reach(len(p.BetterNodes), s.Format(p.Better)), len(p.WorseNodes), s.Format(p.Worse), quantity.Percent(percent),
		side)
}

func reach(nodes int, level string) string {
	if nodes == 1 {
		return "1 node reaches " + level
	}
	return fmt.Sprintf("%d nodes reach %s", nodes, level)
}
