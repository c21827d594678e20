// Package verdict judges measurements: it compares every part that a benchmark measured with the hardware's peak, with
// like parts of the same run, with the node's own history and with fixed bounds, and says in words what it found.
// It is pure: the same measurements and catalogue give the same verdict, in whatever order the nodes come. It never
// reads a clock, a cluster or a file, and it never guesses: a rule without enough data says so and convicts nobody.
package verdict

import (
	"math"
	"slices"
	"strconv"
	"strings"

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

// pool names a set of like parts: the same metric, the same kind of part, on the same kind of device, in the same configuration.
type pool struct {
	metric, likeness, hardware, configuration string
}

// Fleet holds what like parts of one run measured by one benchmark, in one configuration.
type Fleet struct {
	benchmark string
	metrics   []v1alpha1.Metric
	complete  bool
	pools     map[pool]stats
	places    map[string]place // every part's name, read once
}

// NewFleet gathers the statistics of a benchmark's metrics. attempts are the first measured attempts, one per node, in any order; attempts whose
// data was wrong are left out, for their numbers prove nothing. With complete false the fleet rule does not decide yet,
// because parts that are still to come would move the median.
func NewFleet(benchmark string, metrics []v1alpha1.Metric, attempts []*v1alpha1.Attempt, complete bool) *Fleet {
	f := &Fleet{benchmark: benchmark, metrics: metrics, complete: complete, pools: map[pool]stats{}, places: map[string]place{}}
	values := map[pool][]float64{}
	for _, a := range attempts {
		if a == nil || a.Verdict != v1alpha1.VerdictPass || wrongData(a) {
			continue
		}
		hw := newHardware(a.Devices)
		for i := range metrics {
			f.collect(values, hw, &metrics[i], a)
		}
	}
	if complete {
		for p, v := range values {
			f.pools[p] = newStats(v)
		}
	}
	return f
}

// collect adds the values of one metric of one attempt to their pools.
func (f *Fleet) collect(values map[pool][]float64, hw hardware, m *v1alpha1.Metric, a *v1alpha1.Attempt) {
	got := measurement(a, m.Name)
	if got == nil {
		return
	}
	factor, ok := quantity.Factor(got.Unit, m.Unit)
	if !ok {
		return
	}
	for i := range got.Parts {
		part := &got.Parts[i]
		v, ok := quantity.ParseDecimal(part.Value)
		if !ok {
			continue
		}
		at, known := f.places[part.At]
		if !known {
			at = newPlace(part.At)
			f.places[part.At] = at
		}
		p := pool{m.Name, at.likeness, hw.of(at), a.Configuration}
		values[p] = append(values[p], v*factor)
	}
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

// hardware describes the devices of one attempt, so that unlike ones are never pooled: a run may span two products.
type hardware struct {
	products map[int32]string
	all      string
}

func newHardware(devices []v1alpha1.Device) hardware {
	if len(devices) == 0 {
		return hardware{}
	}
	h := hardware{products: make(map[int32]string, len(devices))}
	count := map[string]int{}
	for i := range devices {
		h.products[devices[i].Index] = devices[i].Product
		count[devices[i].Product]++
	}
	var names []string
	for p, n := range count {
		if p != "" {
			names = append(names, strconv.Itoa(n)+" x "+p)
		}
	}
	slices.Sort(names)
	h.all = strings.Join(names, ", ")
	return h
}

// of names the products that the part at consists of: those of its GPUs, or all of the node for a part that is not one.
func (h hardware) of(at place) string {
	switch {
	case h.products == nil:
		return ""
	case len(at.gpus) == 0:
		return h.all
	case len(at.gpus) == 1:
		return h.products[at.gpus[0]]
	}
	names := make([]string, len(at.gpus))
	for i, index := range at.gpus {
		names[i] = h.products[index]
	}
	return strings.Join(names, ", ")
}
