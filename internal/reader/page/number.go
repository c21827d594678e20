package page

import (
	"math"
	"strconv"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// bases of the units that a column may mix.
var bases = []string{"B/s", "B", "FLOP/s", "s", "Hz"}

// worth is a value as tables sort it, whatever unit each row writes it in.
func worth(v float64, unit string) string {
	for _, base := range bases {
		if factor, ok := quantity.Factor(unit, base); ok {
			v *= factor
			break
		}
	}
	return strconv.FormatFloat(v, 'g', 9, 64)
}

// sized is the text of a cell, and the number that its column is sorted by; empty: by the text.
type sized struct{ Text, V string }

// kindOf parts, which may be a size.
func kindOf(kind string) sized {
	s := sized{Text: message.PartName(kind)}
	if bytes, _, by := sizeOf(kind); by == "bytes" {
		s.V = worth(bytes, "B")
	}
	return s
}

// ticks at round numbers, about four, and the scale in which they are written.
func (a axis) ticks(unit string) ([]point, quantity.Scale) {
	const about = 4
	span := a.high - a.low
	step := math.Pow(10, math.Floor(math.Log10(span/about)))
	for _, factor := range []float64{2, 2.5, 2} { // 2, 5, 10
		if span/step <= about+1 {
			break
		}
		step *= factor
	}
	var steps []float64
	for i := math.Ceil(a.low / step); i*step <= a.high+step*1e-9 && len(steps) < 20; i++ {
		steps = append(steps, i*step)
	}
	scale := quantity.NewScale(unit, steps...)
	return list.Map(steps, func(v float64) point { return point{Y: coordinate(a.y(v)), Text: scale.Number(v)} }), scale
}

// share of 100, for an attribute of SVG.
func share(v float64) string { return coordinate(100*v) + "%" }

// coordinate has no more digits than can be seen.
func coordinate(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// near the bound begins the part of the way from typical to it that healthy nodes seldom go.
const near = 0.75

// tooFar is how far a value is from typical, where 1 is as far as the bound: below 0 it is better.
func tooFar(value, typical, bound float64) float64 { return (value - typical) / (bound - typical) }

// shadeOf a distance: what is within noise has none.
func shadeOf(far float64) string {
	switch {
	case far >= 2:
		return "d3"
	case far >= 1:
		return "d2"
	case far >= near:
		return "d1"
	}
	return ""
}

// axis turns values into heights.
type axis struct{ low, high float64 }

func (a axis) y(v float64) float64 { return chartHeight * (1 - (v-a.low)/(a.high-a.low)) }

// edge of a value: its height, at the edge if it is beyond that.
func (a axis) edge(v float64) (y float64, beyond bool) {
	return a.y(min(max(v, a.low), a.high)), v < a.low || v > a.high
}

// with a value, if it is no farther than the axis is long.
func (a axis) with(v float64) axis {
	if span := a.high - a.low; v < a.low-span || v > a.high+span {
		return a
	}
	return axis{min(a.low, v), max(a.high, v)}
}

// roomy has a margin at both ends.
func (a axis) roomy() axis {
	margin := 0.08 * (a.high - a.low)
	if margin == 0 {
		margin = max(0.01*math.Abs(a.high), 1e-12)
	}
	return axis{a.low - margin, a.high + margin}
}

// bandAxis reaches from the bound past typical, so that noise looks small and no outlier flattens the others: where those are, it shows the middle
// of the values, and never much more than what is too far, unless a tenth of them is there. Without a bound, 2% of typical are small.
func bandAxis(sorted []float64, typical float64, bound *float64) axis {
	low, high := middleOf(sorted)
	if bound == nil || *bound == typical {
		small := 0.02 * math.Abs(typical)
		return axis{min(low, typical-small), max(high, typical+small)}
	}
	far := math.Abs(*bound - typical)
	low, high = max(low, min(typical-3*far, stat.Quantile(sorted, 0.1))), min(high, max(typical+3*far, stat.Quantile(sorted, 0.9)))
	return axis{min(low, typical-far/4, *bound), max(high, typical+far/4, *bound)}
}

// middleOf values is what most of them span, and as much again at both sides.
func middleOf(sorted []float64) (low, high float64) {
	low, high = stat.Quantile(sorted, 0.05), stat.Quantile(sorted, 0.95)
	span := high - low
	low, high = max(sorted[0], low-span), min(sorted[len(sorted)-1], high+span)
	if high <= low {
		return sorted[0], sorted[len(sorted)-1]
	}
	return low, high
}
