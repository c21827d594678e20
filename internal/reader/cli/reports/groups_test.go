package reports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/report"
)

// A run whose groups could not be measured says so, though each of its nodes passed.
func TestATableShowsGroupsThatDidNotPass(t *testing.T) {
	r := report.Report{Nodes: []report.Node{{Name: "node-1", Verdict: v1alpha1.VerdictPass}}}
	for i := range mostGroups + 3 {
		r.Groups = append(r.Groups, report.Group{Nodes: []string{"node-1", fmt.Sprintf("node-%d", i+2)}, Verdict: v1alpha1.VerdictError, Message: "mpibench: no\x1b[2J MPI"})
	}
	for _, failed := range []bool{false, true} {
		if failed {
			r.LeaveOutPassed()
		}
		var out strings.Builder
		if err := writeTable(&out, &r, false); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, "\nGroup node-1, node-2: Error\n  mpibench: no[2J MPI\n") || strings.Count(got, "\nGroup ") != mostGroups ||
			!strings.Contains(got, "\n3 more groups did not pass: ") {
			t.Errorf("got\n%s", got)
		}
	}
}
