package past

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/stat"
)

// runsOfYear: a node is compared with its past again and again, each time by noise of its own. So the runs of a year, of which there is one a week,
// share the chance to convict it by mistake.
const runsOfYear = 52

// chances of a value to be convicted by mistake, for each comparison of one run. A suspicion costs an attempt, and no more.
func chances(e bounds.Certainty) float64 {
	if e == bounds.Suspicion {
		return 1
	}
	return runsOfYear
}

// Again is how bad the mean of some attempts has to be to convict a part beside others, where edge is how bad for one that was never compared
// with them before. It passed then, and what keeps it near the edge is there in every run, so that in one of many noise would push it across. So it
// has to be worse than it was as well, or the mean of all runs beyond the edge.
func (p *PartPast) Again(m *v1alpha1.Metric, e bounds.Certainty, edge float64) float64 {
	l := p.recent
	if e == bounds.Suspicion || l.Passes == 0 {
		return edge
	}
	run := p.noise(m)
	worse := bounds.Within(m, l.Center, math.Abs(l.Center)*
		e.Sigmas(float64(max(1, p.compared)), run)*math.Sqrt(run.Variance*(1/e.Attempts()+l.variance)))
	allRuns := edge + float64(l.Passes)/e.Attempts()*(edge-l.Center)
	side := bounds.Better(m)
	if bounds.Worse(side, worse, allRuns) == worse {
		worse = allRuns
	}
	return bounds.Worse(side, edge, worse)
}

// Together is the past of several like parts: what they reached in the middle, if they vary together.
func Together(parts []PartPast) PartPast {
	var centers, scatters []float64
	out := PartPast{compared: 1}
	for i := range parts {
		p := &parts[i]
		if p.recent.Passes == 0 {
			continue
		}
		centers, scatters = append(centers, p.recent.Center), append(scatters, p.scatter)
		if out.recent.Passes == 0 || p.recent.Passes < out.recent.Passes {
			out.recent, out.steps = p.recent, p.steps
		}
	}
	if 2*len(centers) <= len(parts) {
		return PartPast{}
	}
	out.recent.Center, out.scatter = stat.Median(centers), stat.Median(scatters)
	return out
}
