package verdict

import (
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// maxDeviation of a metric; ok is false where its fleet is not judged.
func maxDeviation(m *v1alpha1.Metric) (deviation float64, ok bool) {
	if m.Expectation == nil {
		return 0, false
	}
	return quantity.ParseDecimal(m.Expectation.MaxFleetDeviation)
}

// fleetDeviation: no worse than the other like parts of the node, and than other nodes, by more than the deviation allowed or what noise
// explains, whichever is greater.
func fleetDeviation(s *subject) ruling {
	if _, ok := maxDeviation(s.metric); !ok {
		return s.unset(v1alpha1.Decimal(s.expect.MaxFleetDeviation), "maxFleetDeviation")
	}
	if s.peers == nil {
		return ruling{state: waiting}
	}
	if c, ok := s.narrowest(); ok {
		return s.against(c)
	}
	const against = "the fleet"
	if s.peers.hasOwn() || s.peers.hasOthers() {
		return s.unjudged(against, message.MedianIsZero())
	}
	return s.unjudged(against, message.TooFewParts(s.place.kind, s.hardware, len(s.peers.own)-1+s.peers.parts, minLikeParts-1))
}

// against is the ruling by one comparison.
func (s *subject) against(c comparison) ruling {
	deviation, _ := maxDeviation(s.metric)
	bound := s.within(c.center, max(deviation, c.allowed)*math.Abs(c.center))
	return ruling{state: bounded, bound: bound, center: c.center, centered: true, side: s.better(), limit: v1alpha1.Decimal(s.expect.MaxFleetDeviation)}
}

// narrowest of a part's comparisons is the one that allows it least.
func (s *subject) narrowest() (narrowest comparison, ok bool) {
	deviation, _ := maxDeviation(s.metric)
	consider := func(c comparison) {
		if c.center == 0 && max(deviation, c.allowed) > 0 { // a share of nothing
			return
		}
		if !ok || s.isWorse(s.against(narrowest).bound, s.against(c).bound) {
			narrowest, ok = c, true
		}
	}
	if s.peers.hasOthers() {
		consider(s.peers.amongNodes(s.value))
	}
	if s.peers.hasOwn() {
		consider(s.peers.amongOwn(s.value))
	}
	return narrowest, ok
}

// besideNodes is how a part compares with other nodes, where its own node is behind as a whole and is told instead. Farther bounds may
// find this part alone.
func (s *subject) besideNodes() (ruling, bool) {
	if s.peers == nil || !s.peers.behind {
		return ruling{}, false
	}
	alone := *s.peers
	alone.behind = false
	return s.against(alone.amongNodes(s.value)), true
}

// isWorse says whether a value is worse than another.
func (s *subject) isWorse(value, than float64) bool {
	if s.better() == v1alpha1.Lower {
		return value > than
	}
	return value < than
}

func offFleet(s *subject, bound float64, scale quantity.Scale) string {
	c, _ := s.narrowest()
	d, _ := deviation(s.value, c.center)
	return message.OffPeers(d, c.center, c.with, s.better(), bound, scale)
}

// nodeDeviation compares what more than half of a node's like parts reach with other nodes, so that a node is found of which every part is a
// little slow. It is a rule of its own: that parts are like each other says nothing about it. first is one of the parts.
func (mj *metricJudgement) nodeDeviation(j *judgement, first *subject) {
	p := first.peers
	if _, asked := maxDeviation(first.metric); !asked || p == nil || len(p.own) < 2 || !p.hasOthers() || p.center == 0 {
		return
	}
	c := p.whole()
	ruled := first.against(c)
	level := p.level()
	mj.note(ruleNodeDeviation, p.kind, ruled, level, len(p.own))
	j.stand(first.metric.Name, "", ruleNodeDeviation, &ruled, level)
	shortfall := ruled.shortfall(level)
	if shortfall == 0 {
		return
	}
	p.behind = true
	d, _ := deviation(level, c.center)
	scale := quantity.NewScale(first.metric.Unit, level, ruled.bound)
	text := message.LevelReading(p.kind, len(p.own), first.metric.Name, level, scale, message.OffPeers(d, c.center, c.with, p.better, ruled.bound, scale))
	j.object(first.metric.Name, "", ruleNodeDeviation, v1alpha1.VerdictFail, text, shortfall)
	last := &j.findings[len(j.findings)-1]
	last.broken, last.value, last.unit = ruled, level, first.metric.Unit
	mj.behind = true
	mj.decided, mj.shortfall, mj.verdict = ruled, shortfall, v1alpha1.VerdictFail
}
