package benchmarks

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// describeBenchmark shows one benchmark in full.
func describeBenchmark(w io.Writer, b *v1alpha1.Benchmark) error {
	fmt.Fprintf(w, "%s\n\n", output.Clean(b.Spec.Description))
	rows := [][]string{
		{"Nodes", benchmarkNodes(b)},
		{"Suites", strings.Join(b.Spec.Suites, ", ")},
		{"Time", benchmarkTime(catalogue.Cost(b), time.Duration(b.Spec.TimeoutSeconds)*time.Second, catalogue.Rounds(b))},
		{"Devices", benchmarkDevices(b)},
		{"Labels", labelsNeeded(b)},
		{"Privileges", strings.Join(privileges(b), ", ")},
		{"Image", cmp.Or(b.Spec.Image, workload.NotProvided(b))},
		{"Command", strings.Join(b.Spec.Command, " ")},
	}
	if err := output.Grid(w, []string{"NAME", b.Name}, rows); err != nil {
		return err
	}
	if err := section(w, []string{"METRIC", "UNIT", "BETTER", "HEADLINE", "PEAK", "EXPECTED"}, metricRows(b)); err != nil {
		return err
	}
	if err := section(w, []string{"FACT", "EXPECTED", "ELSE"}, factRows(b)); err != nil {
		return err
	}
	return section(w, []string{"PARAMETER", "TYPE", "DEFAULT", "ALLOWED", "DESCRIPTION"}, parameterRows(b))
}

// section is a table after an empty line; without rows there is none.
func section(w io.Writer, header []string, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return output.Grid(w, header, rows)
}

func labelsNeeded(b *v1alpha1.Benchmark) string {
	if b.Spec.Needs.Selector == nil {
		return ""
	}
	return metav1.FormatLabelSelector(b.Spec.Needs.Selector)
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

func factRows(b *v1alpha1.Benchmark) (rows [][]string) {
	for f := range list.Each(b.Spec.Facts) {
		rows = append(rows, []string{f.Name, factExpected(f), string(f.Verdict)})
	}
	return rows
}

func parameterRows(b *v1alpha1.Benchmark) (rows [][]string) {
	for p := range list.Each(b.Spec.Parameters) {
		rows = append(rows, []string{p.Name, string(p.Type), p.Default, parameterAllowed(p), p.Description})
	}
	return rows
}
