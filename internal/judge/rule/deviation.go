package rule

import (
	"fmt"
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// fleetDeviation: no worse than the other like parts of the node, and than other nodes, by more than the deviation allowed or what noise
// explains, whichever is greater.
func fleetDeviation(s *subject, _ float64) bounds.Bound {
	if s.peers == nil {
		return bounds.Bound{State: bounds.Waiting}
	}
	if c, ok := s.narrowest(); ok {
		return s.again(c, &s.past)
	}
	const against = "the fleet"
	if s.peers.HasOwn() || s.peers.HasOthers() {
		return s.unjudged(against, medianIsZero)
	}
	return s.unjudged(against, tooFewParts(s.place.Kind, s.hardware, len(s.peers.Own)-1+s.peers.Others.Parts, fleet.MinLikeParts-1))
}

// against is the bound by one comparison.
func (s *subject) against(c fleet.Comparison) bounds.Bound {
	deviation, _ := expect.MaxDeviation(s.metric)
	return s.beside(c.Center, max(deviation, c.Allowed))
}

// beside what is typical, a value may be worse by a fraction of it.
func (s *subject) beside(typical, allowed float64) bounds.Bound {
	return bounds.Bound{State: bounds.Bounded, Edge: bounds.Within(s.metric, typical, allowed*math.Abs(typical)), Center: typical, Centered: true, Typical: true,
		Side: s.better(), Limit: s.limits[term.FleetDeviation]}
}

// again is the bound by one comparison of what may have passed it before.
func (s *subject) again(c fleet.Comparison, before *past.PartPast) bounds.Bound {
	b := s.against(c)
	b.Edge = before.Again(s.metric, s.certainty, b.Edge)
	return b
}

// narrowest of a part's comparisons is the one that allows it least.
func (s *subject) narrowest() (narrowest fleet.Comparison, ok bool) {
	deviation, _ := expect.MaxDeviation(s.metric)
	consider := func(c fleet.Comparison) {
		if c.Center == 0 && max(deviation, c.Allowed) > 0 { // a share of nothing
			return
		}
		if !ok || s.sign()*s.against(narrowest).Edge < s.sign()*s.against(c).Edge {
			narrowest, ok = c, true
		}
	}
	if s.peers.HasOthers() {
		consider(s.peers.AmongNodes(s.at, s.value))
	}
	if s.peers.HasOwn() {
		consider(s.peers.AmongOwn(s.at, s.value))
	}
	return narrowest, ok
}

// besideNodes is how a part compares with other nodes, where its own node is behind as a whole and is told instead. Farther bounds may
// find this part alone.
func (s *subject) besideNodes() (bounds.Bound, bool) {
	if s.peers == nil || !s.peers.Behind {
		return bounds.Bound{}, false
	}
	alone := *s.peers
	alone.Behind = false
	return s.against(alone.AmongNodes(s.at, s.value)), true
}

func offFleet(s *subject, _, bound float64, scale quantity.Scale) string {
	c, _ := s.narrowest()
	d, _ := bounds.Deviation(s.value, c.Center)
	return offPeers(d, c.Center, c.With, bound, scale)
}

// together says what more than half of a node's like parts reach, of which this is one, and how that compares.
func (s *subject) together(level, comparison string) string {
	if n := len(s.peers.Own); n > 1 {
		return message.Reading(allParts(s.peers.Others.Kind, n), s.metric.Name, level+" (median)", comparison)
	}
	return message.Reading(s.called(), s.metric.Name, level, comparison)
}

// outrun tells of a node that is like most, where many reach far more: then most may be slow, and it neither passes nor fails.
func (mj *metricSheet) outrun(j *Sheet, first *subject) {
	p := first.peers
	level := p.Level()
	if !p.Ahead.Leaves(level) {
		return
	}
	d, _ := bounds.Deviation(level, p.Ahead.Level)
	scale := quantity.NewScale(first.metric.Unit, level, p.Ahead.Level)
	text := fmt.Sprintf("%s what %d of %d nodes reach (typical %s): most nodes may be slow, or those few are another kind; find out in what they differ",
		off(d), p.Ahead.Nodes, p.Ahead.Of, scale.Format(p.Ahead.Level))
	text = first.together(scale.Format(level), text)
	j.object(first.metric.Name, "", term.NodeDeviation, v1alpha1.VerdictWarning, text)
	j.unjudged = append(j.unjudged, text)
	if mj.verdict == v1alpha1.VerdictPass {
		mj.verdict = v1alpha1.VerdictInconclusive
	}
}

// nodeDeviation compares what more than half of a node's like parts reach with other nodes, so that a node is found of which every part is a
// little slow. It is a rule of its own: that parts are like each other says nothing about it. first is one of the parts, before is what they reached.
func (mj *metricSheet) nodeDeviation(j *Sheet, first *subject, before past.PartPast) {
	p := first.peers
	if _, asked := expect.MaxDeviation(first.metric); !asked || len(p.Own) < 2 || !p.HasOthers() || p.Center == 0 {
		return
	}
	c := p.Whole()
	ruled := first.again(c, &before)
	level := p.Level()
	mj.note(term.NodeDeviation, p.Others.Kind, ruled, level, len(p.Own))
	j.stand(first.metric.Name, "", term.NodeDeviation, &ruled, level)
	shortfall := ruled.Shortfall(level)
	if shortfall == 0 {
		return
	}
	p.Behind = true
	d, _ := bounds.Deviation(level, c.Center)
	scale := quantity.NewScale(first.metric.Unit, level, ruled.Edge)
	text := first.together(scale.Format(level), offPeers(d, c.Center, c.With, ruled.Edge, scale))
	j.objectTo(first.metric, "", term.NodeDeviation, text, bounds.Value{By: ruled, Value: level})
	mj.behind = true
	mj.decided, mj.shortfall, mj.verdict = ruled, shortfall, v1alpha1.VerdictFail
}
