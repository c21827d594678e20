package assess

// Kinds of findings that only warn.
const (
	kindPopulation = "Population"
	kindShift      = "Shift"
)

// sortedFindings are the messages of what fails the run, and of what is only to be known.
func (s *state) sortedFindings() (faults, warnings []string) {
	for _, f := range s.findings {
		if f.Kind == kindPopulation || f.Kind == kindShift {
			warnings = append(warnings, f.Message)
		} else {
			faults = append(faults, f.Message)
		}
	}
	return faults, warnings
}
