package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/report"
)

// sensed is a quantity that was read beside the programs: "gpu power", by benchmark.
type sensed struct {
	what, unit string
	categories []string
	index      map[string]int
	parts      []string
	partAt     map[string]int32
	values     []sensedValue
}

// sensedValue of a part of a node in an attempt.
type sensedValue struct {
	node, category, at int32
	attempt            uint8
	value              float64
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
				c.sensed = append(c.sensed, &sensed{what: what, unit: m.Unit, index: map[string]int{}, partAt: map[string]int32{}})
			}
			c.sensed[i].add(sensedValue{node: node, attempt: uint8(a.Number)}, strings.TrimSpace(b.Name+" "+during), m)
		}
	}
}

// add the parts of one reading, whose node and attempt are in v.
func (s *sensed) add(v sensedValue, category string, m *v1alpha1.Measurement) {
	at, known := s.index[category]
	if !known {
		at = len(s.categories)
		s.index[category] = at
		s.categories = append(s.categories, category)
	}
	v.category = int32(at)
	for i := range m.Parts {
		number, ok := quantity.ParseDecimal(m.Parts[i].Value)
		if !ok {
			continue
		}
		name := m.Parts[i].At
		if _, known := s.partAt[name]; !known {
			s.partAt[name] = int32(len(s.parts))
			s.parts = append(s.parts, name)
		}
		v.at, v.value = s.partAt[name], number
		s.values = append(s.values, v)
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
			dots[i] = dot{outer: int(v.category), node: int(v.node), part: int(v.at), value: v.value, first: v.attempt}
			if bad[c.nodes[v.node]] {
				dots[i].standing = warned
			}
		}
		all = append(all, s.chart(dots, c.nodes))
	}
	return all
}

func (s *sensed) chart(dots []dot, nodes []string) chart {
	values := make([][]float64, len(s.categories))
	for i := range dots {
		values[dots[i].outer] = append(values[dots[i].outer], dots[i].value)
	}
	a, least, most := axis{math.Inf(1), math.Inf(-1)}, math.Inf(1), math.Inf(-1)
	for _, in := range values { // each has a level of its own
		if len(in) > 0 {
			slices.Sort(in)
			low, high := middleOf(in)
			a = axis{min(a.low, low), max(a.high, high)}
			least, most = min(least, in[0]), max(most, in[len(in)-1])
		}
	}
	ch := chart{Title: s.what, Few: len(dots) <= 96, Parts: s.parts, Slots: newSlots(len(nodes), len(s.parts), len(s.categories))}
	scale := ch.plot(dots, nodes, a.roomy(), s.unit)
	ch.Of = pageInUnit(pageDuring(len(s.categories)), unitOf(scale))
	ch.categories(s.categories, true)
	text := quantity.NewScale(s.unit, least, most)
	ch.About = fmt.Sprintf("%s while the benchmarks ran: %s to %s", s.what, text.Format(least), text.Format(most))
	return ch
}

// pageDuring says what the horizontal axis of telemetry is.
func pageDuring(benchmarks int) string {
	if benchmarks == 1 {
		return "during one benchmark"
	}
	return fmt.Sprintf("during %d measurements", benchmarks)
}
