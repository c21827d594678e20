package reports

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/report"
)

// TestFactsAreToldOnce: what the benchmark's message or the node's note says is not told again, and very many are counted.
func TestFactsAreToldOnce(t *testing.T) {
	b := &report.Benchmark{Name: "inventory", Facts: []report.Fact{{Message: "told"}, {Message: "smt is on", Verdict: v1alpha1.VerdictWarning}}}
	if got := facts(b, []string{"inventory: told (and 1 more finding)"}); !slices.Equal(got, []string{"inventory warns: smt is on"}) {
		t.Errorf("%q", got)
	}
	for i := range 10 {
		b.Facts = append(b.Facts, report.Fact{Message: fmt.Sprint("fact ", i)})
	}
	got := facts(b, []string{"inventory: told"})
	if last := got[len(got)-1]; len(got) != mostFacts+1 || last != "inventory: 3 more facts: see -o json" {
		t.Errorf("%d lines, the last is %q", len(got), last)
	}
}
