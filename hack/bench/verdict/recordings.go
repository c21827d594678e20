package main

import (
	"math"

	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/stat"
	"github.com/assay-dev/assay/test/testdata"
)

// noise of one metric is what repetitions on the same healthy part differed by, as shares of the part's own mean: common to all parts
// of a repetition, and of each part beside that.
type noise struct {
	level       float64 // median over machines of the median over their parts
	common, own []float64
}

// repetitions of one metric on one machine, by part. Only parts that the catalogue's command measures count: of the message sizes of
// collectives the largest.
func repetitions(r testdata.Recording, benchmark, metric string) (map[string][]float64, error) {
	values := map[string][]float64{}
	for _, run := range r.Series[benchmark].Runs {
		document, err := result.Read(run.Document)
		if err != nil {
			return nil, err
		}
		for _, m := range document.Measurements {
			if m.Name != metric {
				continue
			}
			for _, p := range m.Parts {
				if benchmark != "collectives" || p.At == largest {
					values[p.At] = append(values[p.At], p.Value)
				}
			}
		}
	}
	return values, nil
}

// largest message of collectives.
const largest = "8GiB"

// noiseOf a metric over all machines.
func noiseOf(all []testdata.Recording, benchmark, metric string) (n noise, err error) {
	var levels []float64
	ownInCommon := 0.0
	for i := range all {
		parts, err := repetitions(all[i], benchmark, metric)
		if err != nil {
			return n, err
		}
		if len(parts) == 0 {
			continue
		}
		var means []float64
		var residuals [][]float64
		for _, at := range sortedKeys(parts) {
			mean := average(parts[at])
			means = append(means, mean)
			residuals = append(residuals, aroundMean(parts[at], mean))
		}
		levels = append(levels, stat.Median(means))
		ownInCommon += n.add(residuals)
	}
	n.level = stat.Median(levels)
	n.narrow(ownInCommon)
	return n, nil
}

// narrow the common residuals by what they hold of the parts' own: the mean of m values has 1/m of their variance, which is drawn with each
// part's own residual, and not twice.
func (n *noise) narrow(own float64) {
	all := 0.0
	for _, v := range n.common {
		all += v * v
	}
	for i := range n.common {
		n.common[i] *= math.Sqrt(max(0, 1-own/max(all, own, math.SmallestNonzeroFloat64)))
	}
}

// add the residuals of one machine, part by part. Where a mean was subtracted, what is left is scaled up to the spread it is from. Returned is
// the sum of squares of what the common residuals hold of it.
func (n *noise) add(residuals [][]float64) (ownInCommon float64) {
	parts := float64(len(residuals))
	for k := range residuals[0] {
		common := 0.0
		for _, part := range residuals {
			common += part[k] / parts
		}
		n.common = append(n.common, common)
		for _, part := range residuals {
			if parts > 1 {
				own := (part[k] - common) * math.Sqrt(parts/(parts-1))
				n.own = append(n.own, own)
				ownInCommon += own * own / (parts * parts) // their mean square, over the number of parts
			}
		}
	}
	return ownInCommon
}

func aroundMean(values []float64, mean float64) []float64 {
	out := make([]float64, len(values))
	scale := math.Sqrt(float64(len(values)) / float64(max(1, len(values)-1)))
	for i, v := range values {
		if mean != 0 {
			out[i] = (v/mean - 1) * scale
		}
	}
	return out
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
