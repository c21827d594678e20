package result

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// readingUnits are the ends of parameters by which programs say how each GPU fared while they measured: fp64ClockMHz is the mean
// clock during fp64, temperatureC that of the whole run. One value per GPU, separated by commas, "-" where none was read.
var readingUnits = []string{"MHz", "W", "C"}

// readings are those parameters as measurements, named without their unit: fp64Clock, temperature. What the runner sampled counts
// for more, and the API takes only so many.
func (d *Document) readings(sampled []v1alpha1.Measurement) []Measurement {
	var all []Measurement
	taken := map[string]bool{}
	for i := range sampled {
		taken[sampled[i].Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(d.Parameters)) {
		if m, ok := d.reading(name); ok && !taken[m.Name] && len(taken) < maxMeasurements {
			all, taken[m.Name] = append(all, m), true
		}
	}
	return all
}

// reading of one parameter; ok is false where it is none.
func (d *Document) reading(parameter string) (m Measurement, ok bool) {
	text, isText := d.Parameters[parameter].(string)
	at := slices.IndexFunc(readingUnits, func(unit string) bool { return strings.HasSuffix(parameter, unit) })
	if !isText || at < 0 {
		return Measurement{}, false
	}
	values := strings.Split(text, ",")
	m = Measurement{Name: strings.TrimSuffix(parameter, readingUnits[at]), Unit: readingUnits[at], Better: BetterLower}
	if m.Unit == "MHz" {
		m.Better = BetterHigher
	}
	if len(values) != len(d.Device) || checkName("reading", m.Name) != nil {
		return Measurement{}, false
	}
	for i, value := range values {
		if value == "-" {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || checkFinite(parameter, v) != nil {
			return Measurement{}, false
		}
		m.Parts = append(m.Parts, Part{At: fmt.Sprintf("gpu%d", d.Device[i].Index), Value: v})
	}
	return m, len(m.Parts) > 0
}

// parametersNote keeps the settings of the measurement in the API, which has no field for them.
func (d *Document) parametersNote() string {
	var text strings.Builder
	text.WriteString("parameters:")
	for _, name := range slices.Sorted(maps.Keys(d.Parameters)) {
		if _, ok := d.reading(name); ok {
			continue // it is telemetry
		}
		fmt.Fprintf(&text, " %s=%v", name, d.Parameters[name])
	}
	return text.String()
}
