package message

import (
	"fmt"
	"math"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// GPUState is how a GPU fared while it was measured; 0 is not known.
type GPUState struct {
	ClockMHz, PowerW, TemperatureC float64
}

// GPUBeside says how a GPU fared beside the others of its node: "gpu2 at 1.4 GHz, 698 W and 83 C, the other 3 GPUs at 1.75 GHz, 671 W
// and 57 C". gpu is empty where the sentence has named it already; others is 0 for a lone GPU.
func GPUBeside(gpu string, this, median GPUState, others int) string {
	here, there := gpuStates(this, median)
	text := "at " + here
	if gpu != "" {
		text = gpu + " " + text
	}
	switch {
	case others == 1 && there != "":
		return text + ", the other GPU at " + there
	case others > 1 && there != "":
		return fmt.Sprintf("%s, the other %d GPUs at %s", text, others, there)
	}
	return text
}

// gpuStates writes two states in the same units. What is known of one alone is left out of the other.
func gpuStates(this, median GPUState) (here, there string) {
	var mine, theirs []string
	for _, q := range []struct {
		unit string
		a, b float64
	}{{"MHz", this.ClockMHz, median.ClockMHz}, {"W", this.PowerW, median.PowerW}, {"C", this.TemperatureC, median.TemperatureC}} {
		scale := quantity.NewScale(q.unit, max(q.a, q.b))
		if q.a > 0 {
			mine = append(mine, scale.Format(math.Round(q.a)))
		}
		if q.a > 0 && q.b > 0 {
			theirs = append(theirs, scale.Format(math.Round(q.b)))
		}
	}
	return enumerate(mine), enumerate(theirs)
}

// enumerate writes "a, b and c".
func enumerate(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// GPUThrottled says what held a GPU's clock down, and in what share of the samples. reason is the driver's name for it.
func GPUThrottled(reason string, share float64) string {
	words := map[string]string{"swPowerCap": "power-capped", "swThermal": "slowed by heat (swThermal)", "hwThermal": "slowed by heat (hwThermal)",
		"hwPowerBrake": "slowed by the server's power supply (hwPowerBrake)", "syncBoost": "slowed to the pace of another GPU (syncBoost)"}[reason]
	if words == "" {
		words = "slowed (" + reason + ")"
	}
	return fmt.Sprintf("%s %s of the time", words, quantity.Percent(100*share))
}

// OfPeakAtClock compares with what the hardware can do at the clock that it had.
func OfPeakAtClock(percent float64) string {
	return quantity.Percent(percent) + " of the peak at that clock"
}

// End of pairs at which a GPU is.
type End string

// The ends of pairs. An arrow leads from the source to the destination.
const (
	EitherEnd   End = "in"
	Source      End = "the source of"
	Destination End = "the destination of"
)

// SlowPairs of a GPU, by one metric.
type SlowPairs struct {
	// GPU by its name, and its UUIDs where they are known.
	GPU   string
	UUIDs []string
	// At is the end of its pairs that is slow. Mine of all Slow pairs have the GPU at that end; Others is how many other pairs there are.
	At                 End
	Mine, Slow, Others int
	Metric             string
	// Value is the median of the GPU's pairs, Deviation its distance in percent from Median, that of the other pairs.
	Value, Deviation, Median float64
	// Bound that the value breaks, and the direction that is better.
	Bound  float64
	Better v1alpha1.Direction
}

// SlowGPU says that a GPU, and not the links, makes its pairs slow.
func SlowGPU(p SlowPairs, s quantity.Scale) string {
	gpu := p.GPU
	if len(p.UUIDs) > 0 {
		gpu += " (" + strings.Join(p.UUIDs, ", ") + ")"
	}
	pairs := fmt.Sprintf("%d of %d slow pairs", p.Mine, p.Slow)
	if p.Mine == p.Slow {
		pairs = fmt.Sprintf("all %d slow pairs", p.Slow)
	}
	return fmt.Sprintf("%s is %s %s: %s %s, %s %s the other %d pairs (median %s), %s", gpu, p.At, pairs, p.Metric, s.Format(p.Value),
		quantity.Percent(math.Abs(p.Deviation)), side(p.Deviation), p.Others, s.Format(p.Median), Expected(p.Better, p.Bound, s))
}
