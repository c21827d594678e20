package past

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// Change is how a node compares in one metric with itself, in earlier passing runs.
type Change struct {
	Metric string
	// Fraction is the median over the node's parts: 0.01 is a value 1% above what it was.
	Fraction float64
	// Sigma is the standard deviation of such a change where nothing has changed, if all parts vary together.
	Sigma float64
}

// Changes of a node's parts against their own recent passes, by metric, in the order of the metrics. What has too little past is left out.
func Changes(metrics []v1alpha1.Metric, a *v1alpha1.Attempt, past Past) []Change {
	var all []Change
	for i := range metrics {
		m := metrics[i]
		m.Expectation = &v1alpha1.Expectation{MaxRegression: "0"} // so that the past of any metric is read
		values := attempt.Values(a, &m)
		before := past.Of(&m, a, len(values))
		var changes, sigmas []float64
		for _, v := range values {
			p := before.Part(v.At)
			if p.recent.Passes < MinHistory || p.recent.Center == 0 {
				continue
			}
			changes = append(changes, v.Value/p.recent.Center-1)
			sigmas = append(sigmas, math.Sqrt(p.noise(&m).Variance*(1+p.recent.variance)))
		}
		if len(changes) > 0 {
			all = append(all, Change{Metric: m.Name, Fraction: stat.Median(changes), Sigma: stat.Median(sigmas)})
		}
	}
	return all
}

// Software is what most of the earlier passing runs ran with, which measured the same configuration. Empty: not known.
func (p Past) Software(a *v1alpha1.Attempt) (driver, kernel string) {
	h := p.passesLike(a)
	if h == nil {
		return "", ""
	}
	drivers, kernels := map[string]int{}, map[string]int{}
	for _, r := range SpellOut(h.Runs) {
		if p.before(&r, a) {
			drivers[r.Driver]++
			kernels[r.Kernel]++
		}
	}
	return mostCommon(drivers), mostCommon(kernels)
}

// mostCommon of some texts; of several as common, the last in order.
func mostCommon(count map[string]int) string {
	if len(count) == 0 {
		return ""
	}
	return slices.MaxFunc(slices.Collect(maps.Keys(count)), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b))
	})
}

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
		l.Shift, l.Accepted = -loss*bounds.Sign(m.Better), true
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
