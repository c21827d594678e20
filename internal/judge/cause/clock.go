package cause

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/quantity"
)

// sense reads how a GPU fared: what the program read while it measured the metric, else over all of its run, else what was sampled beside it.
func (s *suspect) sense() {
	metric := s.broken[0].Metric
	s.clock, s.power = s.read("MHz", metric+"Clock", "smClock", "gpuSmClock"), s.read("W", metric+"Power", "power", "gpuPower")
	s.temperature = s.read("C", "temperature", "gpuTemperature")
}

// state is how it fared, in words.
func (s *suspect) state() string { return inWords(s.clock, s.power, s.temperature) }

// slowed: the clock is lower than that of any other GPU, by as much as the GPU is slower: nothing computes faster than its clock.
func (s *suspect) slowed() bool {
	return s.clock.lower() && (math.IsNaN(s.loss) || s.clock.lost() >= s.loss-s.allowed)
}

// flagged: the driver says what held the clock down, and this GPU's longer than any other's. What is slowed for a fifth of the time loses a
// fifth at most; where it was seen less often than that, its clock must tell. It is sure only where it was seen often enough.
func flagged(s *suspect) (Fault, bool) {
	for _, by := range []struct {
		kind  Kind
		words string
		names []string
	}{{Heat, "slowed by heat", []string{"hwThermal", "swThermal"}}, {PowerSupply, "slowed by the server's power supply", []string{"hwPowerBrake"}}} {
		own, most, name := s.share(by.names...)
		isSure := own >= s.loss-s.allowed || math.IsNaN(s.loss) && s.slowed()
		if own <= most || !isSure && !s.slowed() {
			continue
		}
		why := fmt.Sprintf("%s (%s) %s of the time", by.words, name, quantity.Percent(100*own))
		return Fault{Kind: by.kind, Sure: isSure, Why: joined(s.state(), why)}, true
	}
	return Fault{}, false
}

// ofOneGPU: what all GPUs do together is slowed by one of them, of which the driver says so.
func ofOneGPU(s *suspect) (Fault, bool) {
	if len(s.place.GPUs) > 0 {
		return Fault{}, false
	}
	for _, d := range s.attempt.Devices {
		one := *s
		one.place = part.Read(fmt.Sprintf("gpu%d", d.Index))
		one.sense()
		if f, ok := flagged(&one); ok && f.Sure {
			f.At = one.gpu()
			return f, true
		}
	}
	return Fault{}, false
}

// share of the time in which the driver held a clock down for one of these reasons: of the suspect, at most of the others, and the reason.
// Where the node is suspect, it is that of the GPU that was held down least.
func (s *suspect) share(reasons ...string) (own, most float64, name string) {
	shares := map[string]float64{}
	for at, v := range attempt.Numbers(attempt.Sampled(s.attempt, "gpuThrottled")) {
		gpu, reason, _ := strings.Cut(at, " ")
		if !slices.Contains(reasons, reason) || v <= shares[gpu] {
			continue
		}
		if shares[gpu] = v; gpu == s.gpu() || s.gpu() == "" {
			name = reason
		}
	}
	if s.gpu() != "" {
		for gpu, v := range shares {
			if gpu != s.gpu() {
				most = max(most, v)
			}
		}
		return shares[s.gpu()], most, name
	}
	if len(shares) < len(s.attempt.Devices) || len(shares) == 0 {
		return 0, 0, ""
	}
	return slices.Min(slices.Collect(maps.Values(shares))), 0, name
}

// limited: its power limit is below its default or that of others, or the driver caps it at less power than others draw.
func limited(s *suspect) (Fault, bool) {
	if s.clock.compared() && !s.slowed() {
		return Fault{}, false
	}
	limit, known := s.number("powerLimitW", s.gpu())
	usual := max(s.most("powerLimitDefaultW"), s.most("powerLimitW"))
	if s.gpu() == "" {
		limit, known = s.most("powerLimitW"), s.facts["powerLimitW"] != nil
	}
	if known && limit < usual {
		return Fault{Kind: PowerLimit, Sure: s.clock.compared(), Why: joined(fmt.Sprintf("its limit is %v W of %v W", limit, usual), s.state())}, true
	}
	if own, _, _ := s.share("swPowerCap"); own > 0 && s.power.lower() {
		return Fault{Kind: PowerLimit, Sure: own >= s.loss-s.allowed, Why: joined(s.state(),
			fmt.Sprintf("power-capped %s of the time", quantity.Percent(100*own)))}, true
	}
	return Fault{}, false
}

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
