package past

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/quantity"
)

// mostAccepted: nobody accepts more of a part, however many losses are accepted after each other.
const mostAccepted = 0.1

// Shift is by how much most nodes have become worse than in their first passes, and than in their last ones, as fractions.
type Shift struct{ First, Last float64 }

// After what most nodes have lost, or after what is accepted, whichever is more, a part is to reach that much less.
func (p PartPast) After(s Shift, m *v1alpha1.Metric, accepted []v1alpha1.AcceptedLoss) PartPast {
	p.Baseline = p.Baseline.after(s.First, m, accepted)
	p.recent = p.recent.after(s.Last, m, accepted)
	return p
}

// after a shift. What was reached since a loss was accepted has it already.
func (l Level) after(shift float64, m *v1alpha1.Metric, accepted []v1alpha1.AcceptedLoss) Level {
	loss := 0.0
	for i := range accepted {
		if one, ok := quantity.ParseDecimal(accepted[i].Loss); ok && l.middle.Before(accepted[i].Since.Time) {
			loss += one
		}
	}
	l.Shift = shift
	if loss = min(loss, mostAccepted); loss > math.Abs(shift) {
		l.Shift, l.Accepted = -loss, true
		if bounds.Better(m) == v1alpha1.Lower {
			l.Shift = loss
		}
	}
	l.Center *= 1 + l.Shift
	return l
}

// Excused is how much of a loss is accepted of the part, as a fraction; 0: nothing that matters.
func (p *PartPast) Excused() (loss float64) {
	for _, l := range []Level{p.Baseline, p.recent} {
		if l.Accepted && l.Passes >= MinHistory {
			loss = max(loss, math.Abs(l.Shift))
		}
	}
	return loss
}
