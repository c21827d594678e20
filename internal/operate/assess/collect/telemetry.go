package collect

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// worthKeeping leaves out how the GPUs fared during metrics that nothing is expected of: it explains readings that fall short, and a
// program that measures many number formats says it of each.
func worthKeeping(telemetry []v1alpha1.Measurement, metrics []v1alpha1.Metric, measured []v1alpha1.Measurement) []v1alpha1.Measurement {
	idle := map[string]bool{}
	for i := range measured {
		name := measured[i].Name
		expected := slices.ContainsFunc(metrics, func(m v1alpha1.Metric) bool { return m.Name == name && m.Expectation != nil })
		idle[name] = !expected
	}
	return slices.DeleteFunc(telemetry, func(t v1alpha1.Measurement) bool {
		return idle[strings.TrimSuffix(strings.TrimSuffix(t.Name, "Clock"), "Power")]
	})
}
