package rule

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// context says how the GPU of a slow part fared while it computed: clock, power, temperature and what held the clock down, beside the
// other GPUs of its node. Where a node as a whole is slow, it is about the GPU with the lowest clock. It explains, and pardons nothing:
// no rule asks for it. It is empty for what no clock limits, and where nothing was sampled.
func (s *subject) context() string {
	if _, computes := quantity.Factor(s.metric.Unit, "FLOP/s"); !computes || s.attempt == nil {
		return ""
	}
	states := statesOf(s.metric.Name, s.attempt)
	var gpu, name string
	switch {
	case len(s.place.GPUs) == 1 && !s.place.Whole:
		gpu = fmt.Sprintf("gpu%d", s.place.GPUs[0])
	case s.place.Whole:
		gpu = states.slowest()
		name = gpu
	}
	this, ok := states[gpu]
	if !ok || this.ClockMHz == 0 {
		return ""
	}
	clauses := []string{gpuBeside(name, this, states.medianBeside(gpu), len(states)-1)}
	clauses = append(clauses, throttled(s.attempt, gpu)...)
	if percent, ok := s.percentOfPeak(); ok && s.peak.ClockMHz > 0 && name == "" {
		clauses = append(clauses, quantity.Percent(percent*s.peak.ClockMHz/this.ClockMHz)+" of the peak at that clock")
	}
	return strings.Join(clauses, "; ")
}

// gpuStates are how the GPUs of a node fared, by name.
type gpuStates map[string]gpuState

// statesOf the GPUs during a metric: what the program read while it measured that metric, else over all of its run, else what was
// sampled beside it.
func statesOf(metric string, a *v1alpha1.Attempt) gpuStates {
	states := gpuStates{}
	states.read(a, "MHz", func(s *gpuState, v float64) { s.ClockMHz = v }, metric+"Clock", "smClock", "gpuSmClock")
	states.read(a, "W", func(s *gpuState, v float64) { s.PowerW = v }, metric+"Power", "power", "gpuPower")
	states.read(a, "C", func(s *gpuState, v float64) { s.TemperatureC = v }, "temperature", "gpuTemperature")
	return states
}

// read sets one quantity from the first source that an attempt has.
func (g gpuStates) read(a *v1alpha1.Attempt, unit string, set func(*gpuState, float64), sources ...string) {
	for _, name := range sources {
		m := attempt.Measurement(a, name)
		if m == nil {
			m = attempt.Sampled(a, name)
		}
		if m == nil || m.Unit != unit {
			continue
		}
		for _, p := range m.Parts {
			if v, ok := quantity.ParseDecimal(p.Value); ok && part.Read(p.At).Kind == "gpu" {
				state := g[p.At]
				set(&state, v)
				g[p.At] = state
			}
		}
		return
	}
}

// slowest is the GPU with the lowest clock; empty where no clock is known.
func (g gpuStates) slowest() string {
	slowest := ""
	for name, state := range g {
		if state.ClockMHz == 0 {
			continue
		}
		least := g[slowest].ClockMHz
		if slowest == "" || state.ClockMHz < least || state.ClockMHz == least && name < slowest {
			slowest = name
		}
	}
	return slowest
}

// medianBeside is the median of each quantity over all GPUs but one.
func (g gpuStates) medianBeside(gpu string) gpuState {
	var clocks, watts, celsius []float64
	for name, state := range g {
		if name != gpu {
			clocks, watts, celsius = append(clocks, state.ClockMHz), append(watts, state.PowerW), append(celsius, state.TemperatureC)
		}
	}
	return gpuState{ClockMHz: stat.Median(clocks), PowerW: stat.Median(watts), TemperatureC: stat.Median(celsius)}
}

// throttled says what held the clock of a GPU down.
func throttled(a *v1alpha1.Attempt, gpu string) []string {
	var reasons []string
	if m := attempt.Sampled(a, "gpuThrottled"); m != nil {
		for _, p := range m.Parts {
			name, reason, _ := strings.Cut(p.At, " ")
			if share, ok := quantity.ParseDecimal(p.Value); ok && name == gpu && share > 0 {
				reasons = append(reasons, gpuThrottled(reason, share))
			}
		}
	}
	return reasons
}
