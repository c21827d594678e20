package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/stat"
)

const (
	// clip: what is farther off than so many standard deviations counts as so far, so that one disturbed value does not stand for all.
	clip = 3
	// few: of fewer values than this none is clipped. Their median deviation can be 0 by chance.
	few = 12
	// sure: the printed noise is, of the values that would explain what was seen, the one that is greater than so many others (one-sided).
	sure = 1.2816 // of the normal distribution: 90%
	// least noise that is printed: 0 would ask for exactness.
	least = 1e-4
)

// component is a standard deviation, as a fraction, and what it is known from.
type component struct {
	sigma, freedom float64
}

func (c component) known() bool { return c.freedom > 0 }

// upper limit of what the standard deviation may really be: little evidence leaves much room (Wilson and Hilferty's approximation).
func (c component) upper() float64 {
	a := 2 / (9 * c.freedom)
	quantile := c.freedom * math.Pow(max(0.05, 1-a-sure*math.Sqrt(a)), 3)
	return c.sigma * math.Sqrt(c.freedom/quantile)
}

// estimate of one pool.
type estimate struct {
	run, part, node         component
	machines, parts, values int
	// worst and best value against its part's own median, as fractions.
	worst, best float64
}

// estimateOf takes the variance of values apart: from run to run, between the parts of a machine, between machines. Each level is the
// median of the one below, and what that leaves of the scatter below is subtracted.
func estimateOf(machines []machine) estimate {
	e := estimate{machines: len(machines)}
	var runs, parts, nodes []float64 // residuals, as fractions
	var runFreedom, partFreedom, perPart, perNode float64
	var levels []float64
	for _, m := range machines {
		var medians []float64
		for _, values := range m {
			center := stat.Median(values)
			if center == 0 {
				continue
			}
			medians = append(medians, center)
			e.parts++
			e.values += len(values)
			for _, v := range values {
				e.worst, e.best = min(e.worst, v/center-1), max(e.best, v/center-1)
			}
			runs = append(runs, residuals(values, center)...)
			runFreedom += float64(len(values) - 1)
		}
		if len(medians) == 0 {
			continue
		}
		center := stat.Median(medians)
		levels = append(levels, center)
		parts = append(parts, residuals(medians, center)...)
		partFreedom += float64(len(medians) - 1)
	}
	if e.parts == 0 {
		return e
	}
	perPart, perNode = float64(e.values)/float64(e.parts), float64(e.parts)/float64(len(levels))
	nodes = residuals(levels, stat.Median(levels))
	e.run = spread(runs, runFreedom, 0)
	e.part = spread(parts, partFreedom, e.run.sigma*e.run.sigma*ofMedian(perPart))
	e.node = spread(nodes, float64(len(levels)-1), (e.part.sigma*e.part.sigma+e.run.sigma*e.run.sigma*ofMedian(perPart))*ofMedian(perNode))
	return e
}

// ofMedian is the variance of the median of n normal values, as a share of that of one: exact for 1, and nearly right for others.
func ofMedian(n float64) float64 { return 5 / (3*n + 2) }

// residuals from a center that was taken from the same values, scaled up by what that hides.
func residuals(values []float64, center float64) []float64 {
	n := float64(len(values))
	if n < 2 || center == 0 {
		return nil
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = (v/center - 1) * math.Sqrt(n/(n-1))
	}
	return out
}

// spread of residuals beyond what is explained already.
func spread(residuals []float64, freedom, explained float64) component {
	if freedom <= 0 || len(residuals) == 0 {
		return component{}
	}
	limit := math.Inf(1)
	if len(residuals) >= few {
		distances := make([]float64, len(residuals))
		for i, r := range residuals {
			distances[i] = math.Abs(r)
		}
		limit = clip * stat.MADToSigma * stat.Median(distances)
	}
	square := 0.0
	for _, r := range residuals {
		square += min(r*r, limit*limit) / float64(len(residuals))
	}
	return component{math.Sqrt(max(0, square-explained)), freedom}
}

// yaml is the noise as a Benchmark says it: upper limits, rounded up. What was not seen is left out, and then has the API's default.
func (e *estimate) yaml() string {
	var fields []string
	for _, f := range []struct {
		name string
		component
	}{{"run", e.run}, {"part", e.part}, {"node", e.node}} {
		if f.known() {
			fields = append(fields, fmt.Sprintf("%s: %q", f.name, roundUp(max(least, f.upper()))))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// roundUp to two digits.
func roundUp(v float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(v))-1)
	return strconv.FormatFloat(math.Ceil(v/unit-1e-9)*unit, 'f', max(0, 1-int(math.Floor(math.Log10(v)))), 64)
}

func (e *estimate) evidence() string {
	return fmt.Sprintf("%d values of %d parts on %d machines; seen: run %.3f%%, part %.3f%%, node %.3f%%; %+.1f to %+.1f%% of a part's median",
		e.values, e.parts, e.machines, 100*e.run.sigma, 100*e.part.sigma, 100*e.node.sigma, 100*e.worst, 100*e.best)
}
