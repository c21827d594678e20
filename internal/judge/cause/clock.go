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
