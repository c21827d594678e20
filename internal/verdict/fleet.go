// Package verdict judges measurements: it compares every part that a benchmark measured with the hardware's peak, with
// like parts of the same run, with the node's own history and with fixed bounds, and says in words what it found.
// It is pure: the same measurements and catalogue give the same verdict, in whatever order the nodes come. It never
// reads a clock, a cluster or a file, and it never guesses: a rule without enough data says so and convicts nobody.
package verdict

import (
	"math"
	"unique"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// minLikeParts: below this many values the median and the MAD say nothing about one of them.
	minLikeParts = 4
	// madToSigma makes the MAD of normal noise an estimate of its standard deviation.
	madToSigma = 1.4826
	// outlierSigmas is the cut of Iglewicz and Hoaglin for the modified z-score.
	outlierSigmas = 3.5
	// defaultNoiseFloor is that of the API, for a metric that never went through an API server.
	defaultNoiseFloor = 0.01
)

// stats are the robust statistics of one pool of like parts.
type stats struct {
	n           int
	median, mad float64
}

// Fleet holds what like parts measured by one benchmark.
type Fleet struct {
	benchmark string
	metrics   []v1alpha1.Metric
	complete  bool
	pools     map[unique.Handle[pool]]stats
	places    map[string]place // every part's name, read once
}

// NewFleet gathers the statistics of a benchmark's metrics. own are the first measured attempts of a run, one per node, in any order;
// known is what other nodes reached when they last passed. With complete false the fleet rule does not decide yet, because parts that are
// still to come would move the median.
func NewFleet(benchmark string, metrics []v1alpha1.Metric, own, _ []Digest, complete bool) *Fleet {
	f := &Fleet{benchmark: benchmark, metrics: metrics, complete: complete, pools: map[unique.Handle[pool]]stats{}, places: map[string]place{}}
	if !complete {
		return f
	}
	values := map[unique.Handle[pool]][]float64{}
	for i := range own {
		for _, g := range own[i].groups {
			values[g.pool] = append(values[g.pool], g.values...)
		}
	}
	for p, v := range values {
		f.pools[p] = newStats(v)
	}
	return f
}

// place of a part by its name.
func (f *Fleet) place(at string) place {
	p, known := f.places[at]
	if !known {
		p = newPlace(at)
		f.places[at] = p
	}
	return p
}

func newStats(values []float64) stats {
	s := stats{n: len(values), median: quantity.Median(values)}
	distances := make([]float64, len(values))
	for i, v := range values {
		distances[i] = math.Abs(v - s.median)
	}
	s.mad = quantity.Median(distances)
	return s
}

// maxNoiseShare caps what a scattered fleet may excuse, as a share of its median: a part at less than half of the median is
// not explained by noise, and without a cap one disturbed machine among few would hide a really slow one.
const maxNoiseShare = 0.5

// tolerance is how much worse than the median a healthy part may be.
func (s stats) tolerance(maxDeviation, noiseFloor float64) float64 {
	level := math.Abs(s.median)
	noise := max(madToSigma*s.mad, noiseFloor*level)
	return max(maxDeviation*level, min(outlierSigmas*noise, maxNoiseShare*level))
}
