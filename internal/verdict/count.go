package verdict

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// speaksForItself says whether a metric is a count that needs nothing to be compared with: other metrics depend on it, and either each
// part counts all the other devices, so that there is no more to reach, or there is nothing to count and a profile says that this is right.
func (f *Fleet) speaksForItself(m *v1alpha1.Metric, a *v1alpha1.Attempt, peaks Peaks) bool {
	count := measurement(a, m.Name)
	if count == nil || len(count.Parts) == 0 {
		return false
	}
	counts, absent := false, true
	for i := range f.metrics {
		if d := &f.metrics[i]; d.DependsOn == m.Name {
			_, excused := nothingToMeasure(d, a, peaks)
			counts, absent = true, absent && excused
		}
	}
	return counts && (absent || countsAllOthers(count, len(a.Devices)))
}

func countsAllOthers(count *v1alpha1.Measurement, devices int) bool {
	if devices < 2 || len(count.Parts) != devices {
		return false
	}
	for i := range count.Parts {
		if n, ok := quantity.ParseDecimal(count.Parts[i].Value); !ok || n != float64(devices-1) {
			return false
		}
	}
	return true
}
