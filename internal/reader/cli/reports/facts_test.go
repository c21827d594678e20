package reports

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/report"
)

// TestFactsAreToldOnce: what is a fault or in the node's note is not told again, and very many are counted.
func TestFactsAreToldOnce(t *testing.T) {
	b := &report.Benchmark{Name: "inventory", Verdict: v1alpha1.VerdictFail,
		Facts: []report.Fact{{Message: "told", Verdict: v1alpha1.VerdictFail}, {Message: "smt is on", Verdict: v1alpha1.VerdictWarning}}}
	if got, _ := facts(b, false); !slices.Equal(got, []string{"inventory warns: smt is on"}) {
		t.Errorf("%q", got)
	}
	if got, still := facts(b, true); got != nil || still {
		t.Errorf("beside a note that warns of it: %q, still to come: %v", got, still)
	}
	for i := range 10 {
		b.Facts = append(b.Facts, report.Fact{Message: fmt.Sprint("fact ", i), Verdict: v1alpha1.VerdictWarning})
	}
	got, _ := facts(b, false)
	if last := got[len(got)-1]; len(got) != mostFacts+1 || last != "inventory: 3 more facts: see -o json" {
		t.Errorf("%d lines, the last is %q", len(got), last)
	}
}
