package attempt

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

// Mean is what several attempts measured together: each part that all of them have, at the mean of its values. It was measured when
// the first of them was, so that their own run is no past of it.
func Mean(attempts []*v1alpha1.Attempt) *v1alpha1.Attempt {
	if len(attempts) == 1 {
		return attempts[0]
	}
	first := attempts[0]
	mean := *attempts[len(attempts)-1]
	mean.LaunchTime, mean.Measurements = first.LaunchTime, nil
	for m := range list.Each(first.Measurements) {
		values := make(map[string][]float64, len(m.Parts))
		for _, a := range attempts {
			for _, part := range Values(a, &v1alpha1.Metric{Name: m.Name, Unit: m.Unit}) {
				values[part.At] = append(values[part.At], part.Value)
			}
		}
		out := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit}
		for _, part := range m.Parts {
			if all := values[part.At]; len(all) == len(attempts) {
				out.Parts = append(out.Parts, v1alpha1.PartValue{At: part.At, Value: quantity.Decimal(stat.Mean(all), quantity.Exact)})
			}
		}
		mean.Measurements = append(mean.Measurements, out)
	}
	return &mean
}

// MeanValues are the parts of a metric at the mean of all attempts that measured and verified them, and that nothing disturbed.
func MeanValues(attempts []v1alpha1.Attempt, m *v1alpha1.Metric) []PartValue {
	calm, _ := Apart(attempts)
	good := list.Those(calm, func(a *v1alpha1.Attempt) bool { return a.Verdict == v1alpha1.VerdictPass && !FailedCheck(a) })
	if len(good) == 0 {
		return nil
	}
	return Values(Mean(good), m)
}
