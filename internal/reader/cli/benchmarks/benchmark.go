package benchmarks

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// Section is a table about one benchmark.
type Section struct {
	Header []string
	Rows   [][]string
}

// Reference is all that a user of a benchmark needs to know: what it takes, then its metrics, facts and parameters, where it has some.
func Reference(b *v1alpha1.Benchmark) []Section {
	labels := ""
	if b.Spec.Needs.Selector != nil { // which is told as <none> else
		labels = metav1.FormatLabelSelector(b.Spec.Needs.Selector)
	}
	all := []Section{
		{[]string{"NAME", b.Name}, [][]string{
			{"Nodes", benchmarkNodes(b)},
			{"Suites", strings.Join(b.Suites(), ", ")},
			{"Time", benchmarkTime(catalogue.Cost(b), time.Duration(b.Spec.TimeoutSeconds)*time.Second, catalogue.Rounds(b))},
			{"Devices", benchmarkDevices(b)},
			{"Labels", labels},
			{"Privileges", strings.Join(privileges(b), ", ")},
			{"Image", cmp.Or(b.Spec.Image, workload.NotProvided(b))},
			{"Command", strings.Join(b.Spec.Command, " ")},
		}},
		{[]string{"METRIC", "UNIT", "BETTER", "HEADLINE", "PEAK", "EXPECTED"}, metricRows(b)},
		{[]string{"FACT", "EXPECTED", "ELSE"}, list.Map(b.Spec.Facts, func(f v1alpha1.FactExpectation) []string {
			return []string{f.Name, factExpected(&f), string(f.Verdict)}
		})},
		{[]string{"PARAMETER", "TYPE", "DEFAULT", "ALLOWED", "DESCRIPTION"}, list.Map(b.Spec.Parameters, func(p v1alpha1.ParameterSpec) []string {
			return []string{p.Name, string(p.Type), p.Default, parameterAllowed(&p), p.Description}
		})},
	}
	return slices.DeleteFunc(all, func(s Section) bool { return len(s.Rows) == 0 })
}

// describeBenchmark shows one benchmark in full.
func describeBenchmark(w io.Writer, b *v1alpha1.Benchmark) error {
	fmt.Fprintln(w, output.Clean(b.Spec.Description))
	for _, s := range Reference(b) {
		fmt.Fprintln(w)
		if err := output.Grid(w, s.Header, s.Rows); err != nil {
			return err
		}
	}
	return nil
}

func metricRows(b *v1alpha1.Benchmark) (rows [][]string) {
	for m := range list.Each(b.Spec.Metrics) {
		headline := ""
		if m.Headline {
			headline = "yes"
		}
		rows = append(rows, []string{m.Name, m.Unit, strings.ToLower(string(m.Better)), headline, m.Peak, expectationTold(m)})
	}
	return rows
}

// benchmarkNodes says how many nodes one measurement of a benchmark spans, and which.
func benchmarkNodes(b *v1alpha1.Benchmark) string {
	g := b.Spec.Group
	if g == nil {
		return "each node alone"
	}
	text := fmt.Sprintf("%s nodes together, in one MPIJob", g.Size.String())
	switch {
	case g.Size.StrVal != "":
		text = "all nodes that passed so far together, in one MPIJob"
	case g.Size.IntVal == 2:
		text = "pairs of nodes, each in one MPIJob"
	}
	text = message.With(text, ", with the same ", g.Within)
	text = message.With(text, ", with different ", g.Across)
	return text
}

// benchmarkTime says about how long a benchmark takes, and when a program of it is killed.
func benchmarkTime(cost, timeout time.Duration, rounds int32) string {
	text := "about " + message.Duration(cost)
	if rounds > 1 {
		text += fmt.Sprintf(" in %d rounds", rounds)
	}
	return text + "; a program is killed after " + message.Duration(timeout)
}

// benchmarkDevices says which devices of a node a benchmark takes; empty: none.
func benchmarkDevices(b *v1alpha1.Benchmark) string {
	n := b.Spec.Needs
	if n.DeviceResource == "" {
		return ""
	}
	text := "all " + n.DeviceResource + " of the node"
	if n.MinDevices != nil && *n.MinDevices > 1 {
		text += fmt.Sprintf(", at least %d", *n.MinDevices)
	}
	return text
}

// expectationTold says what a metric must reach; empty: nothing.
func expectationTold(m *v1alpha1.Metric) string {
	e := m.Expectation
	if e == nil {
		return ""
	}
	worse := "below"
	if m.Better == v1alpha1.Lower {
		worse = "above"
	}
	var all []string
	add := func(limit string, write func(float64) string, format string) {
		if limit == "" {
			return
		}
		text := strconv.Quote(limit)
		if v, ok := quantity.ParseDecimal(v1alpha1.Decimal(limit)); ok {
			text = write(v)
		}
		all = append(all, fmt.Sprintf(format, text))
	}
	inUnit := func(v float64) string { return quantity.Format(v, m.Unit) }
	percent := func(v float64) string { return quantity.Percent(100 * v) }
	if least, ok := quantity.ParseDecimal(e.Min); ok && least == 0 && m.Better != v1alpha1.Lower {
		all = append(all, "to be reported") // any value will do
	} else {
		add(string(e.Min), inUnit, "at least %s")
	}
	add(string(e.Max), inUnit, "at most %s")
	add(string(e.MinFractionOfPeak), percent, "at least %s of peak")
	add(string(e.MinFractionOfReached), percent, "at least %s of what healthy hardware reaches")
	add(string(e.MaxFleetDeviation), percent, "at most %s "+worse+" like parts")
	add(string(e.MaxRegression), percent, "at most %s "+worse+" its own past")
	add(string(e.MinEfficiency), percent, "parallel efficiency at least %s")
	return strings.Join(all, ", ")
}

// factExpected says what a fact must be.
func factExpected(f *v1alpha1.FactExpectation) string {
	var all []string
	if f.Equal != "" {
		all = append(all, f.Equal)
	}
	if f.AtLeast != "" {
		all = append(all, "at least "+string(f.AtLeast))
	}
	if f.Uniform {
		all = append(all, "as on most nodes of its kind")
	}
	return strings.Join(all, ", ")
}

// parameterAllowed says which values a parameter takes.
func parameterAllowed(p *v1alpha1.ParameterSpec) string {
	switch {
	case len(p.Values) > 0:
		return strings.Join(p.Values, ", ")
	case p.Type == v1alpha1.ParameterBoolean:
		return "true, false"
	case p.Minimum != "" && p.Maximum != "":
		return string(p.Minimum) + " to " + string(p.Maximum)
	case p.Minimum != "":
		return "at least " + string(p.Minimum)
	case p.Maximum != "":
		return "at most " + string(p.Maximum)
	}
	return ""
}
