package assess

import (
	"github.com/assay-dev/assay/internal/operate/assess/judge"
)

// sortedFindings are the messages of what fails the run, and of what is only to be known.
func (s *Concluded) sortedFindings() (faults, warnings []string) {
	for _, f := range s.Findings {
		if f.Kind == judge.KindPopulation || f.Kind == judge.KindShift {
			warnings = append(warnings, f.Message)
		} else {
			faults = append(faults, f.Message)
		}
	}
	return faults, warnings
}
