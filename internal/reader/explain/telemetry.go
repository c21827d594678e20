package explain

import (
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

var gpuName = regexp.MustCompile(`gpu\d+`)

// telemetry says what was sampled beside each benchmark that failed: of the parts that failed, beside the median of the others; where it
// is the node as a whole, of all parts.
func (c *knownCase) telemetry() []string {
	var all []string
	for i := range c.result.Benchmarks {
		b := &c.result.Benchmarks[i]
		suspects, failed := suspectsOf(b)
		a := lastAttempt(b)
		if !failed || a == nil {
			continue
		}
		for j := range a.Telemetry {
			all = append(all, readings(b.Name, &a.Telemetry[j], suspects)...)
		}
	}
	return all
}

// suspectsOf a benchmark are the GPUs that its findings name; none where they name the node.
func suspectsOf(b *v1alpha1.BenchmarkResult) (gpus []string, failed bool) {
	for i := range b.Findings {
		if f := &b.Findings[i]; failing(f) {
			failed = true
			gpus = append(gpus, gpuName.FindAllString(f.At, -1)...)
		}
	}
	slices.Sort(gpus)
	return slices.Compact(gpus), failed
}

// lastAttempt that has telemetry.
func lastAttempt(b *v1alpha1.BenchmarkResult) *v1alpha1.Attempt {
	for i := len(b.Attempts) - 1; i >= 0; i-- {
		if len(b.Attempts[i].Telemetry) > 0 {
			return &b.Attempts[i]
		}
	}
	return nil
}

// readings of one quantity.
func readings(benchmark string, m *v1alpha1.Measurement, suspects []string) []string {
	var lines []string
	for i := range m.Parts {
		p := &m.Parts[i]
		gpu := gpuName.FindString(p.At)
		value, ok := quantity.ParseDecimal(p.Value)
		concerned := slices.Contains(suspects, gpu) || len(suspects) == 0 || gpu == ""
		if !ok || !concerned {
			continue
		}
		others := othersThan(m, p, suspects)
		if len(others) == 0 {
			lines = append(lines, explainReading(benchmark, m.Name, p.At, sampled(m.Unit, value)[0], "", 0))
			continue
		}
		both := sampled(m.Unit, value, stat.Median(others))
		lines = append(lines, explainReading(benchmark, m.Name, p.At, both[0], both[1], len(others)))
	}
	return lines
}

// sampled values in one unit; a fraction reads better in percent.
func sampled(unit string, values ...float64) []string {
	scale := quantity.NewScale(unit, values...)
	var texts []string
	for _, v := range values {
		if unit == "fraction" {
			texts = append(texts, quantity.Percent(v*100))
		} else {
			texts = append(texts, scale.Format(v))
		}
	}
	return texts
}

// othersThan a suspect: the values of like parts of the node that are none.
func othersThan(m *v1alpha1.Measurement, p *v1alpha1.PartValue, suspects []string) []float64 {
	gpu := gpuName.FindString(p.At)
	if gpu == "" || len(suspects) == 0 {
		return nil
	}
	kind := strings.Replace(p.At, gpu, "", 1)
	var all []float64
	for i := range m.Parts {
		o := &m.Parts[i]
		other := gpuName.FindString(o.At)
		value, ok := quantity.ParseDecimal(o.Value)
		if ok && other != "" && !slices.Contains(suspects, other) && strings.Replace(o.At, other, "", 1) == kind {
			all = append(all, value)
		}
	}
	return all
}
