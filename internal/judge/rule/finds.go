package rule

import (
	"math"

	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
)

// sharpest is the rule that finds the least loss of a part, in at least 99 of 100 cases. The zero value: none is known to.
type sharpest struct {
	loss float64
	rule string
}

func (f *sharpest) consider(loss float64, rule string) {
	if loss > 0 && (f.rule == "" || loss < f.loss) {
		*f = sharpest{loss, rule}
	}
}

// finds the least loss of this part, of which a suspect is measured so often: beside its like, against its own past, and by fixed bounds.
func (s *subject) finds(measurements int) sharpest {
	var f sharpest
	var besides []fleet.Beside
	if s.peers != nil && !s.peers.Behind { // a node that is behind as a whole tells nothing of what else would have been found
		besides = s.peers.Besides(s.at, s.value, measurements)
	}
	if deviation, ok := expect.MaxDeviation(s.metric); ok {
		for _, b := range besides {
			near, far := max(deviation, b.Near), max(deviation, b.Far)
			edge := s.past.Again(s.metric, bounds.MeanOf(measurements), bounds.Within(s.metric, b.Center, far*math.Abs(b.Center)))
			f.consider(b.Least(near, math.Abs(edge-b.Center)/math.Abs(b.Center), measurements), term.FleetDeviation)
		}
	}
	if regression, ok := quantity.ParseDecimal(s.limits[term.Regression]); ok && s.past.Passes >= past.MinHistory {
		f.consider(s.past.Least(s.metric, measurements, regression), term.Regression)
	}
	for _, r := range partRules {
		if loss, ok := s.fixed(r, besides, measurements); ok {
			f.consider(loss, r.name)
		}
	}
	return f
}

// fixed is the least loss that a bound finds which follows from no other value: against what is typical, or, where that is not known, against what
// the part reaches now. ok is false where the rule has no such bound, or a loss does not break it.
func (s *subject) fixed(r rule, besides []fleet.Beside, measurements int) (loss float64, ok bool) {
	if r.name == term.FleetDeviation || r.name == term.Regression {
		return 0, false
	}
	ruled := r.judge(s)
	if ruled.State != bounds.Bounded || ruled.Side != s.better() {
		return 0, false
	}
	run := bounds.NoiseOf(s.metric).Run
	from, noise := s.value, bounds.Difference{Lasting: run * run, Run: run * run}
	if len(besides) > 0 {
		from, noise = besides[0].Center, besides[0].Difference
	}
	if r.name == term.Efficiency { // the smallest size, of which it is a share, is measured anew each time
		noise.Run += run * run
	}
	room, ok := bounds.Ratio(math.Abs(ruled.Edge-from), math.Abs(from))
	if !ok || ruled.Shortfall(from) > 0 {
		return 0, false
	}
	return noise.Least(room, room, measurements), true
}
