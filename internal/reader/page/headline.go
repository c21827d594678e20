package page

import (
	"cmp"
	"math"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// headline says what the nodes' headline values know of a metric beside its value.
type headline struct {
	kind          string // of the parts that most nodes show
	bounds, peaks []float64
	typicals      []float64
	broken        []float64 // the bounds that failed a node
	kinds         map[string]int
}

// bound that the nodes had to reach: each has its own, for it is compared with the others. The one that was broken counts.
func (h *headline) bound() *float64 { return cmp.Or(known(h.broken), known(h.bounds)) }

func (c *collection) addHeadlines(b *v1alpha1.BenchmarkResult) {
	for h := range list.Each(b.Headline) {
		v, ok := quantity.ParseDecimal(h.Value)
		if !ok {
			continue
		}
		key := [2]string{b.Name, h.Metric}
		head := c.heads[key]
		if head == nil {
			head = &headline{kinds: map[string]int{}}
			c.heads[key] = head
		}
		kind := part.Kind(h.At)
		head.kinds[kind]++
		if head.kinds[kind] > head.kinds[head.kind] {
			head.kind = kind
		}
		if t, ok := quantity.ParseDecimal(h.Typical); ok {
			head.typicals = append(head.typicals, t)
		}
		if e, ok := quantity.ParseDecimal(h.Expected); ok {
			head.bounds = append(head.bounds, e)
			if h.Verdict == v1alpha1.VerdictFail {
				head.broken = append(head.broken, e)
			}
		}
		if p, ok := quantity.ParseDecimal(h.PercentOfPeak); ok && p > 0 && v > 0 {
			head.peaks = append(head.peaks, peakOf(v, p, isLower(b, h.Metric)))
		}
	}
}

// peakOf a value that is so many percent of it; of what is better lower, the peak is the least.
func peakOf(v, percent float64, lower bool) float64 {
	if lower {
		return v * percent / 100
	}
	return v * 100 / percent
}

// isHeadline says whether these parts are what tables show of the metric.
func (s *series) isHeadline() bool { return s.headline != nil && s.headline.kind == s.kind }

// typical is what the nodes were compared with, or else the median of the values.
func (s *series) typical(sorted []float64) float64 {
	if s.isHeadline() && len(s.headline.typicals) > 0 {
		return stat.Median(s.headline.typicals)
	}
	return stat.SortedMedian(sorted)
}

// bound of the headline; nil: there is none, or it only has to be reported.
func (s *series) bound() *float64 {
	if !s.isHeadline() {
		return nil
	}
	bound := s.headline.bound()
	if bound != nil && *bound == 0 && !s.lower {
		return nil
	}
	return bound
}

// exactPeaks replaces peaks that follow from rounded percentages by those of the catalogue that they mean.
func (c *collection) exactPeaks(started *catalogue.Snapshot) {
	if started == nil {
		return
	}
	names := map[[2]string]string{}
	for b := range list.Each(started.Benchmarks) {
		for j := range b.Spec.Metrics {
			names[[2]string{b.Name, b.Spec.Metrics[j].Name}] = b.Spec.Metrics[j].Peak
		}
	}
	for _, s := range c.all {
		if !s.isHeadline() || len(s.headline.peaks) == 0 {
			continue
		}
		if exact, found := catalogued(started, names[[2]string{s.benchmark, s.metric}], s.unit, stat.Median(s.headline.peaks)); found {
			s.headline.peaks = []float64{exact}
		}
	}
}

// catalogued is the peak of this name that is nearest to a number, if it is within half a percent of it.
func catalogued(started *catalogue.Snapshot, name, unit string, about float64) (exact float64, found bool) {
	near := 0.005 * about
	for i := range started.Profiles {
		for _, p := range started.Profiles[i].Spec.Peaks {
			v, ok := quantity.ParseDecimal(p.Value)
			factor, convertible := quantity.Factor(p.Unit, unit)
			if p.Name == name && ok && convertible && math.Abs(v*factor-about) <= near {
				exact, found, near = v*factor, true, math.Abs(v*factor-about)
			}
		}
	}
	return exact, found
}
