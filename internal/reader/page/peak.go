package page

import (
	"math"

	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/quantity"
)

// exactPeaks replaces peaks that follow from rounded percentages by those of the catalogue that they mean.
func (c *collection) exactPeaks(started *catalogue.Snapshot) {
	if started == nil {
		return
	}
	names := map[[2]string]string{}
	for i := range started.Benchmarks {
		b := &started.Benchmarks[i]
		for j := range b.Spec.Metrics {
			names[[2]string{b.Name, b.Spec.Metrics[j].Name}] = b.Spec.Metrics[j].Peak
		}
	}
	for _, s := range c.all {
		about, ok := math.NaN(), false
		if s.isHeadline() {
			about, ok = known(s.headline.peaks)
		}
		if exact, found := catalogued(started, names[[2]string{s.benchmark, s.metric}], s.unit, about); ok && found {
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
			if p.Name == name && ok && convertible && distance(v*factor, about) <= near {
				exact, found, near = v*factor, true, distance(v*factor, about)
			}
		}
	}
	return exact, found
}
