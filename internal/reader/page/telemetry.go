package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/report"
	"github.com/assay-dev/assay/internal/stat"
)

// sensed is a quantity that was read beside the programs: "gpu power", by benchmark.
type sensed struct {
	what, unit string
	categories []string
	index      map[string]int
	values     []sensedValue
}

// sensedValue of a part of a node; those of one reading stand beside each other, at so much of their node's place.
type sensedValue struct {
	node, category int32
	share          float32
	value          float64
}

// ends of the names of what is read beside the programs, and what they mean.
var quantityNames = []struct{ end, unit, what string }{
	{"Clock", "MHz", "clock"}, {"Frequency", "MHz", "clock"}, {"Power", "W", "power"}, {"power", "W", "power"}, {"emperature", "C", "temperature"},
}

// senseOf says what a name means; which part of the benchmark it is about stands in front: fp64Clock.
func senseOf(m *v1alpha1.Measurement) (what, during string) {
	for _, q := range quantityNames {
		if m.Unit != q.unit || !strings.HasSuffix(m.Name, q.end) {
			continue
		}
		front := strings.TrimRight(strings.TrimSuffix(m.Name, q.end), "tT") // temperature, gpuTemperature
		switch {
		case strings.HasPrefix(m.Name, "cpu"):
			return "cpu " + q.what, ""
		case strings.HasPrefix(m.Name, "node"):
			return "node " + q.what, ""
		case strings.HasPrefix(strings.ToLower(strings.TrimPrefix(m.Name, "gpu")), "mem"):
			return "memory " + q.what, ""
		case front == "" || front == "sm" || front == "gpu" || front == "gpuSm":
			return "gpu " + q.what, ""
		default:
			return "gpu " + q.what, front
		}
	}
	return "", ""
}

// addSensed takes what was read beside a benchmark in all attempts that count.
func (c *collection) addSensed(node int32, b *v1alpha1.BenchmarkResult) {
	for _, a := range calm(b) {
		for j := range a.Telemetry {
			m := &a.Telemetry[j]
			what, during := senseOf(m)
			if what == "" {
				continue
			}
			i := slices.IndexFunc(c.sensed, func(s *sensed) bool { return s.what == what })
			if i < 0 {
				i = len(c.sensed)
				c.sensed = append(c.sensed, &sensed{what: what, unit: m.Unit, index: map[string]int{}})
			}
			c.sensed[i].add(node, strings.TrimSpace(b.Name+" "+during), m)
		}
	}
}

// add the parts of one reading.
func (s *sensed) add(node int32, category string, m *v1alpha1.Measurement) {
	at, known := s.index[category]
	if !known {
		at = len(s.categories)
		s.index[category] = at
		s.categories = append(s.categories, category)
	}
	for i := range m.Parts {
		if v, ok := quantity.ParseDecimal(m.Parts[i].Value); ok {
			s.values = append(s.values, sensedValue{node, int32(at), (float32(i) + 0.5) / float32(len(m.Parts)), v})
		}
	}
}

// telemetry is one chart for each quantity, benchmark by benchmark.
func (c *collection) telemetry(nodes []report.Node) []chart {
	bad := map[string]bool{}
	for i := range nodes {
		bad[nodes[i].Name] = nodes[i].Verdict == v1alpha1.VerdictFail
	}
	var all []chart
	for _, s := range c.sensed {
		if len(s.values) < 2 {
			continue
		}
		dots := make([]dot, len(s.values))
		for i, v := range s.values {
			dots[i] = dot{category: int(v.category), offset: (float64(v.node) + float64(v.share)) / float64(len(c.nodes)), value: v.value}
			if bad[c.nodes[v.node]] {
				dots[i].standing = warned
			}
		}
		all = append(all, s.chart(dots))
	}
	return all
}

func (s *sensed) chart(dots []dot) chart {
	values := make([]float64, len(dots))
	for i := range dots {
		values[i] = dots[i].value
	}
	slices.Sort(values)
	a := newAxis(values)
	ch := chart{Title: s.what, Few: len(dots) <= 96}
	scale := ch.plot(dots, len(s.categories), a, s.unit)
	ch.Of = pageInUnit(pageDuring(len(s.categories)), unitOf(scale))
	ch.categories(s.categories, true)
	text := quantity.NewScale(s.unit, stat.SortedMedian(values))
	ch.About = fmt.Sprintf("%s while the benchmarks ran: %s to %s", s.what, text.Format(values[0]), text.Format(values[len(values)-1]))
	return ch
}

// pageDuring says what the horizontal axis of telemetry is.
func pageDuring(benchmarks int) string {
	if benchmarks == 1 {
		return "during one benchmark"
	}
	return fmt.Sprintf("during %d measurements", benchmarks)
}
