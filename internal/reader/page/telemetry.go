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
	dots       []dot
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

// telemetry of all attempts that count: one chart for each quantity, benchmark by benchmark.
func telemetry(results []*v1alpha1.ValidationResult, nodes []report.Node) []chart {
	bad := map[string]bool{}
	for i := range nodes {
		bad[nodes[i].Name] = nodes[i].Verdict == v1alpha1.VerdictFail
	}
	var order []*sensed
	byName := map[string]*sensed{}
	for n, r := range results {
		for i := range r.Benchmarks {
			for _, a := range calm(&r.Benchmarks[i]) {
				for j := range a.Telemetry {
					m := &a.Telemetry[j]
					what, during := senseOf(m)
					if what == "" {
						continue
					}
					s := byName[what]
					if s == nil {
						s = &sensed{what: what, unit: m.Unit, index: map[string]int{}}
						byName[what] = s
						order = append(order, s)
					}
					s.add(strings.TrimSpace(r.Benchmarks[i].Name+" "+during), m, sensedNode{r.Node.Name, float64(n), float64(len(results)), bad[r.Node.Name]})
				}
			}
		}
	}
	var all []chart
	for _, s := range order {
		if len(s.dots) > 1 {
			all = append(all, s.chart())
		}
	}
	return all
}

// sensedNode is a node, and which of how many it is.
type sensedNode struct {
	name   string
	n, all float64
	bad    bool
}

// add the parts of one reading; those of one node stand above each other.
func (s *sensed) add(category string, m *v1alpha1.Measurement, node sensedNode) {
	at, known := s.index[category]
	if !known {
		at = len(s.categories)
		s.index[category] = at
		s.categories = append(s.categories, category)
	}
	for i := range m.Parts {
		v, ok := quantity.ParseDecimal(m.Parts[i].Value)
		if !ok {
			continue
		}
		d := dot{at, (node.n + (float64(i)+0.5)/float64(len(m.Parts))) / node.all, v, fine, node.name + partName(m.Parts[i].At)}
		if node.bad {
			d.standing = warned
		}
		s.dots = append(s.dots, d)
	}
}

func (s *sensed) chart() chart {
	values := make([]float64, len(s.dots))
	for i := range s.dots {
		values[i] = s.dots[i].value
	}
	slices.Sort(values)
	a := newAxis(values)
	ch := chart{Title: s.what, Few: len(s.dots) <= 96}
	scale := ch.plot(s.dots, len(s.categories), a, s.unit)
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
