package benchmarks

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/catalogue"
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
