package compare

import "math"

// trial is one row ready to be tested.
type trial struct {
	noise  noise
	paired bool
	unit   Unit
	// a is the sample of the ratios where they are paired, and b is empty.
	a, b sample
	as   resolution
}

// pairedTrial of the logarithms of ratios.
func pairedTrial(ratios []reading, n noise) trial {
	as := finest(ratios)
	return trial{noise: n, paired: true, unit: unitOf(as, ratios), a: draw(ratios, as), as: as}
}

// unpairedTrial of logarithms of values.
func unpairedTrial(a, b []reading, n noise) trial {
	as := max(finest(a), finest(b))
	if as == byMember && (members(a) == nil || members(b) == nil) {
		as = byPart
	}
	return trial{noise: n, unit: unitOf(as, a), a: draw(a, as), b: draw(b, as), as: as}
}

func unitOf(as resolution, readings []reading) Unit {
	switch {
	case as == byMember:
		return UnitNode
	case inGroups(readings):
		return UnitGroup
	case as == byNode:
		return UnitNode
	}
	return UnitPart
}

// run the test that can find something at a level of significance, by the number of units alone: where the least p-value of the ranks is
// above it, no difference could be large enough for them.
func (t trial) run(level float64) Estimate {
	e := Estimate{Paired: t.paired, Unit: t.unit, UnitsA: len(t.a.values), UnitsB: len(t.b.values), FloorPercent: 100 * t.noise.Run}
	switch {
	case t.paired:
		e.UnitsB, e.Test = e.UnitsA, SignedRank
		if t.as == byPart || leastSignedRankP(e.UnitsA) > level {
			e.Test = NoiseT
		}
	case t.as == byPart || leastMannWhitneyP(e.UnitsA, e.UnitsB) > level:
		e.Test = NoiseT
	default:
		e.Test = MannWhitney
	}
	s := t.shift(e.Test, 1-confidence)
	e.Percent, e.Low, e.High, e.P = percentOf(s.estimate), percentOf(s.low), percentOf(s.high), s.p
	return e
}

// shift by a test, with the interval of what it does not refuse at a level.
func (t trial) shift(by Test, level float64) shift {
	switch {
	case by == SignedRank:
		return signedRank(t.a.values, level)
	case by == MannWhitney:
		return mannWhitney(t.a.values, t.b.values, level)
	case t.paired:
		return t.pairedNoise(level)
	}
	return t.unpairedNoise(level)
}

// decide notes the interval at the level of the decision. With ties, ranks may come close to what they decide and miss it.
func (e *Estimate) decide(s shift) {
	e.DecidingLow, e.DecidingHigh = percentOf(s.low), percentOf(s.high)
	switch {
	case e.Corrected > 1-confidence:
		e.DecidingLow, e.DecidingHigh = min(e.DecidingLow, 0), max(e.DecidingHigh, 0)
	case e.Percent > 0:
		e.DecidingLow = max(e.DecidingLow, 0)
	default:
		e.DecidingHigh = min(e.DecidingHigh, 0)
	}
}

// percentOf the logarithm of a ratio.
func percentOf(log float64) float64 { return 100 * math.Expm1(log) }

// pairedNoise is the noise from run to run, which all parts of a node may share: what a node has of its own is on both sides.
func (t trial) pairedNoise(level float64) shift {
	mean, seen := meanAndVariance(t.a.values)
	n := float64(len(t.a.values))
	runs := 2 * t.noise.Run * t.noise.Run
	s := scatter{claimed: runs / n, seen: seen / n, freedom: n - 1, unclaimed: !t.noise.claimed}
	if t.as == byPart {
		s.known = runs / float64(t.a.nodes)
	}
	return s.against(mean, level)
}

// unpairedNoise takes in that nodes differ; where they are few, what is claimed of that is all that is known of it.
func (t trial) unpairedNoise(level float64) shift {
	meanA, seenA := meanAndVariance(t.a.values)
	meanB, seenB := meanAndVariance(t.b.values)
	nA, nB := float64(len(t.a.values)), float64(len(t.b.values))
	run, node, part := t.noise.Run*t.noise.Run, t.noise.Node*t.noise.Node, t.noise.Part*t.noise.Part
	units, nodes := 1/nA+1/nB, 1/float64(t.a.nodes)+1/float64(t.b.nodes)
	s := scatter{freedom: nA + nB - 2, unclaimed: !t.noise.claimed}
	s.seen = ((nA-1)*seenA + (nB-1)*seenB) / max(1, s.freedom) * units
	switch {
	case t.a.shared > 0: // what groups have in common shows in none of them
		s.claimed = (t.a.shared+t.b.shared)*(node+part) + run*nodes
	case t.as == byPart:
		s.claimed, s.known = part*units, (node+run)*nodes
	default:
		s.claimed = (node + run + part/min(t.a.parts, t.b.parts)) * units
	}
	return s.against(meanB-meanA, level)
}
