package assess

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Kinds of findings that only warn.
const (
	kindPopulation = "Population"
	kindShift      = "Shift"
)

// sortedFindings are the messages of what fails the run, and of what is only to be known.
func (s *Concluded) sortedFindings() (faults, warnings []string) {
	for _, f := range s.findings {
		if f.Kind == kindPopulation || f.Kind == kindShift {
			warnings = append(warnings, f.Message)
		} else {
			faults = append(faults, f.Message)
		}
	}
	return faults, warnings
}

// reportPopulations says where like nodes reach one of two levels. Nobody fails for being in the slower half, so
// somebody has to be told.
func (s *Judged) reportPopulations() {
	for i := range s.tasks {
		if t := &s.tasks[i]; !t.IsGroup() {
			for _, p := range s.fleets[i].Populations() {
				f := population(p)
				f.Benchmark = t.Name()
				s.addFinding(f)
			}
		}
	}
}

// population names the nodes of the smaller side.
func population(p fleet.Population) v1alpha1.FabricFinding {
	members := p.WorseNodes
	if len(p.BetterNodes) < len(members) {
		members = p.BetterNodes
	}
	return v1alpha1.FabricFinding{Kind: kindPopulation, Metric: p.Metric, Members: members,
		Message: message.Populations(p.Metric, p.Kind, p.Worse, p.Better, len(p.WorseNodes), len(p.BetterNodes), quantity.NewScale(p.Unit, p.Worse, p.Better))}
}
