package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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
	if _, computes := quantity.Factor(s.metric.Unit, "FLOP/s"); !computes {
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
	this := states[gpu]
	if this[clock] == 0 {
		return ""
	}
	clauses := []string{gpuBeside(name, this, states.medianBeside(gpu), len(states)-1)}
	clauses = append(clauses, throttled(s.attempt, gpu)...)
	if percent, ok := s.percentOfPeak(); ok && s.peak.ClockMHz > 0 && name == "" {
		clauses = append(clauses, quantity.Percent(percent*s.peak.ClockMHz/this[clock])+" of the peak at that clock")
	}
	return strings.Join(clauses, "; ")
}

// gpuState is how a GPU fared while it was measured, in stateUnits; 0 is not known.
type gpuState [3]float64

// clock is its place in a gpuState; power and temperature follow.
const clock = 0

var stateUnits = [...]string{"MHz", "W", "C"}

// gpuStates are how the GPUs of a node fared, by name.
type gpuStates map[string]gpuState

// statesOf the GPUs during a metric: what the program read while it measured that metric, else over all of its run, else what was
// sampled beside it.
func statesOf(metric string, a *v1alpha1.Attempt) gpuStates {
	states := gpuStates{}
	for i, sources := range [...][]string{{metric + "Clock", "smClock", "gpuSmClock"}, {metric + "Power", "power", "gpuPower"}, {"temperature", "gpuTemperature"}} {
		for _, name := range sources {
			m := attempt.Reading(a, name, stateUnits[i])
			if m == nil {
				continue
			}
			for at, v := range attempt.Numbers(m) {
				if state := states[at]; part.Kind(at) == "gpu" {
					state[i] = v
					states[at] = state
				}
			}
			break
		}
	}
	return states
}

// slowest is the GPU with the lowest clock; empty where no clock is known.
func (g gpuStates) slowest() string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(g)), func(gpu string) bool { return g[gpu][clock] == 0 })
	if len(names) == 0 {
		return ""
	}
	return slices.MinFunc(names, func(a, b string) int { return cmp.Compare(g[a][clock], g[b][clock]) })
}

// medianBeside is the median of each quantity over all GPUs but one.
func (g gpuStates) medianBeside(gpu string) (median gpuState) {
	for i := range median {
		var others []float64
		for name, state := range g {
			if name != gpu {
				others = append(others, state[i])
			}
		}
		median[i] = stat.Median(others)
	}
	return median
}

// throttled says what held the clock of a GPU down.
func throttled(a *v1alpha1.Attempt, gpu string) []string {
	var reasons []string
	for at, share := range attempt.Numbers(attempt.Sampled(a, "gpuThrottled")) {
		if name, reason, _ := strings.Cut(at, " "); name == gpu && share > 0 {
			reasons = append(reasons, gpuThrottled(reason, share))
		}
	}
	return reasons
}
