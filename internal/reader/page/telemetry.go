package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/report"
)

// sensed is a quantity that was read beside the programs: "gpu power", by benchmark.
type sensed struct {
	series
	what       string
	categories []string
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
		for m := range list.Each(a.Telemetry) {
			what, during := senseOf(m)
			if what == "" {
				continue
			}
			i := slices.IndexFunc(c.sensed, func(s *sensed) bool { return s.what == what })
			if i < 0 {
				i = len(c.sensed)
				c.sensed = append(c.sensed, &sensed{what: what, series: series{unit: m.Unit, partAt: map[string]int32{}}})
			}
			c.sensed[i].add(value{node: node, first: uint8(a.Number)}, strings.TrimSpace(b.Name+" "+during), m)
		}
	}
}

// add the parts of one reading, whose node and attempt are in v.
func (s *sensed) add(v value, category string, m *v1alpha1.Measurement) {
	i := slices.Index(s.categories, category)
	if i < 0 {
		i = len(s.categories)
		s.categories = append(s.categories, category)
	}
	v.category = int32(i)
	for i := range m.Parts {
		if number, ok := quantity.ParseDecimal(m.Parts[i].Value); ok {
			v.at, v.value = s.placeOf(m.Parts[i].At), number
			s.values = append(s.values, v)
		}
	}
}

// telemetry is one chart for each quantity, benchmark by benchmark.
func (c *collection) telemetry(nodes []report.Node) []chart {
	bad := map[string]bool{}
	for n := range list.Each(nodes) {
		bad[n.Name] = n.Verdict == v1alpha1.VerdictFail
	}
	var all []chart
	for _, s := range c.sensed {
		if len(s.values) < 2 {
			continue
		}
		for v := range list.Each(s.values) {
			if bad[c.nodes[v.node]] {
				v.standing = warned
			}
		}
		all = append(all, s.chart(c.nodes))
	}
	return all
}

func (s *sensed) chart(nodes []string) chart {
	a, least, most := axis{math.Inf(1), math.Inf(-1)}, math.Inf(1), math.Inf(-1)
	for _, of := range list.Groups(s.values, func(v value) int32 { return v.category }) { // each has a level of its own
		in := slices.Sorted(slices.Values(numbersOf(of)))
		low, high := middleOf(in)
		a = axis{min(a.low, low), max(a.high, high)}
		least, most = min(least, in[0]), max(most, in[len(in)-1])
	}
	ch, scale := s.plot(s.what, nodes, len(s.categories), a.roomy())
	during := "during one benchmark"
	if n := len(s.categories); n > 1 {
		during = fmt.Sprintf("during %d measurements", n)
	}
	ch.Of = message.With(during, ", in ", scale.Unit())
	ch.categories(s.categories, true)
	text := quantity.NewScale(s.unit, least, most)
	ch.About = fmt.Sprintf("%s while the benchmarks ran: %s to %s", s.what, text.Format(least), text.Format(most))
	return ch
}
