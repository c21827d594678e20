package cause

import (
	"math"
	"strings"

	"github.com/assay-dev/assay/internal/judge/attempt"
)

// hot: with a lower clock at no more power it should be cooler than the others, and is hotter. Where the driver's own word is known, it counts.
func hot(s *suspect) (Fault, bool) {
	isSlow := s.slowed() && s.temperature.beyond() && !(s.power.value > s.power.most+s.power.step)
	if !isSlow || attempt.Sampled(s.attempt, "gpuThrottled") != nil {
		return Fault{}, false
	}
	return Fault{Kind: Heat, Why: s.state()}, true
}

// patterned: over several number formats, a locked clock is the same in all that would run faster, and the power differs; under a lower power
// limit the power is the same in all that would draw more, and the clock differs.
func patterned(s *suspect) (Fault, bool) {
	var clocks, powers []beside
	for i := range s.attempt.Telemetry {
		if name, ok := strings.CutSuffix(s.attempt.Telemetry[i].Name, "Clock"); ok {
			if power := s.read("W", name+"Power"); !math.IsNaN(power.value) {
				clocks, powers = append(clocks, s.read("MHz", name+"Clock")), append(powers, power)
			}
		}
	}
	isLocked, isCapped := flat(clocks, steps["MHz"]), flat(powers, widest(powers))
	if s.gpu() == "" {
		top := s.most("smClockMaxMHz")
		isLocked, isCapped = len(clocks) > 2 && alike(clocks) && s.clock.value < top-s.clock.step, false
	} else if !s.slowed() {
		return Fault{}, false
	}
	switch {
	case isLocked && !isCapped:
		return Fault{Kind: ClockLock, Why: joined(s.state(), "the same clock in every number format, where others differ")}, true
	case isCapped && !isLocked:
		return Fault{Kind: PowerLimit, Why: joined(s.state(), "the same power in every number format, at different clocks")}, true
	}
	return Fault{}, false
}

// flat: where the others have more than the most of all these, each is as high as that, by what the others are apart at most; and that is so
// of two at least.
func flat(all []beside, width float64) bool {
	top, cut := 0.0, 0
	for _, b := range all {
		top = max(top, b.value)
	}
	for _, b := range all {
		switch {
		case !b.compared() || b.value > b.most+b.most-b.least+b.step:
			return false
		case b.least <= top+width:
		case b.value < top-width:
			return false
		default:
			cut++
		}
	}
	return cut > 1
}

// widest is how far healthy GPUs are from each other in the format in which they differ most, or what a sensor can tell.
func widest(all []beside) float64 {
	most := 0.0
	for _, b := range all {
		most = max(most, b.most-b.least, b.step)
	}
	return most
}

// alike values, as far as a sensor can tell.
func alike(all []beside) bool {
	least, most := math.Inf(1), 0.0
	for _, b := range all {
		least, most = min(least, b.value), max(most, b.value)
	}
	return most-least <= all[0].step
}

// held: a lower clock explains it, and nothing tells what lowers the clock.
func held(s *suspect) (Fault, bool) {
	return Fault{Kind: ClockHeld, Sure: true, Why: s.state()}, s.slowed()
}

// shared: it comes and goes.
func shared(s *suspect) (Fault, bool) {
	return Fault{Kind: Neighbour, Why: "its samples scatter by more than healthy parts are apart, and more than those of any other part"}, s.flickers()
}

// atFullClock: as fast as the others, and yet slow.
func atFullClock(s *suspect) (Fault, bool) {
	return Fault{Kind: GPU, Why: s.state()}, s.clock.compared() && !s.clock.lower()
}
