package report_test

import (
	"reflect"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/report"
	"github.com/assay-dev/assay/test/page/runs"
)

// A report of what is kept of large runs tells the same causes as one of everything, and those alike together.
func TestLeanResultsTellTheSameCauses(t *testing.T) {
	run := runs.Simulated(30)
	for i := range run.Results {
		for _, a := range export.Attempts(&run.Results[i]) {
			a.Configuration = "cfg"
		}
	}
	whole := report.New(report.Input{Run: run.Run, Results: run.Results})
	var kept []v1alpha1.ValidationResult
	for i := range run.Results {
		kept = append(kept, report.Lean(&run.Results[i]))
	}
	lean := report.New(report.Input{Run: run.Run, Results: kept})
	groups, causes := whole.Faults(), map[string]bool{}
	for _, alike := range groups {
		causes[string(alike[0].Cause)] = true
	}
	if len(groups) != 4 || len(causes) != 4 || causes["NotKnown"] {
		t.Errorf("%d kinds of faults: %v", len(groups), causes)
	}
	if !reflect.DeepEqual(groups, lean.Faults()) {
		t.Errorf("got\n%+v\nwant\n%+v", lean.Faults(), groups)
	}
}

// One kind of fault at several nodes is told once, with all of them.
func TestFaultsOfOneKindAreTogether(t *testing.T) {
	fault := func(name, metric string) report.Node {
		return report.Node{Name: name, Faults: []report.Fault{{Told: cause.Told{Cause: "Heat"}, Metric: metric, Benchmarks: []string{"gemm"}}}}
	}
	r := report.Report{Nodes: []report.Node{fault("a", "fp32"), fault("b", "fp16"), fault("c", "fp32")}}
	groups := r.Faults()
	if len(groups) != 2 || len(groups[0]) != 2 || groups[0][1].Name != "c" {
		t.Errorf("got %+v", groups)
	}
}
