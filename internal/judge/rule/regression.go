package rule

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// regression: no worse than the part was itself in earlier passing runs, by more than the fraction allowed or its noise.
func regression(s *subject) bounds.Bound {
	fraction, ok := quantity.ParseDecimal(s.expect.MaxRegression)
	if !ok {
		return s.unset(v1alpha1.Decimal(s.expect.MaxRegression), "maxRegression")
	}
	const against = "its history"
	if s.past.Passes < past.MinHistory {
		return s.unjudged(against, fmt.Sprintf("it has %s in this configuration, and a comparison needs %d",
			message.Several(s.past.Passes, "earlier passing result"), past.MinHistory))
	}
	l, bound := s.past.Strictest(s.metric, s.certainty, fraction)
	if l.Passes == 0 {
		return s.unjudged(against, medianIsZero)
	}
	return bounds.Bound{State: bounds.Bounded, Edge: bound, Center: l.Center, Centered: true, Side: s.better(), Limit: v1alpha1.Decimal(s.expect.MaxRegression)}
}

// excuse parts for what most nodes have lost, and for what is accepted of their hardware, which is told as long as it matters.
func (j *Sheet) excuse(parts []subject, accepted []v1alpha1.AcceptedLoss) {
	told := 0.0
	for s := range list.Each(parts) {
		shift := past.Shift{}
		if s.peers != nil {
			shift = s.peers.Shift
		}
		s.past = s.past.After(shift, s.metric, accepted)
		told = max(told, s.past.Excused())
	}
	if told > 0 {
		last := slices.MaxFunc(accepted, func(a, b v1alpha1.AcceptedLoss) int { return a.Since.Compare(b.Since.Time) })
		j.object(parts[0].metric.Name, "", term.Accepted, v1alpha1.VerdictWarning, fmt.Sprintf("%s may be %s worse than its own past: accepted since %s by a HardwareProfile (%s)",
			parts[0].metric.Name, quantity.Percent(100*told), message.Day(last.Since.Time), last.Reason))
	}
}

func offPast(s *subject, bound float64, scale quantity.Scale) string {
	fraction, _ := quantity.ParseDecimal(s.expect.MaxRegression)
	l, _ := s.past.Strictest(s.metric, s.certainty, fraction)
	off, _ := bounds.Deviation(s.value, l.Center)
	what, of := "median", fmt.Sprintf("last %d passes", l.Passes)
	if l == s.past.Baseline {
		what, of = "baseline", fmt.Sprintf("median of its first %d passes, since %s", l.Passes, message.Day(l.Since))
	}
	if l.Shift != 0 {
		why := " that most nodes have lost"
		if l.Accepted {
			why = " that is accepted"
		}
		of += ", less the " + quantity.Percent(100*math.Abs(l.Shift)) + why
	}
	return fmt.Sprintf("%s %s its own %s of %s (%s), %s", quantity.Percent(math.Abs(off)), message.Side(off), what, scale.Format(l.Center), of, boundIs(bound, scale))
}
