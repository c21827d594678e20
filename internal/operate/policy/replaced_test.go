package policy

import (
	"strings"
	"testing"
)

// TestARowIsOfTheNodeThatHadTheName: a node is made anew under its name while the operator is down. The row of the one before says nothing of it: it is not overdue since
// before it was made, and what cannot run on it yet is tried again soon, as on any new node.
func TestARowIsOfTheNodeThatHadTheName(t *testing.T) {
	w := played(t, `terse
benchmark gemm
nodes 1
policy gpu gate=assay.dev/unvalidated overdue=1h timeout=1h
at 1m node new gate=assay.dev/unvalidated cordoned=true
at 5h down
at 5h remove new
at 6h node new gate=assay.dev/unvalidated
at 6h finds new gemm=nopull
at 6h1m up
until 6h50m`)
	_, since, _ := strings.Cut(w.said.String(), "-- up")
	overdue, runs := strings.Contains(since, "overdue"), strings.Count(since, "  run     ")
	if overdue || runs < 3 {
		t.Errorf("a new node is overdue: %v, and tried %d times in 50 minutes, want several:\n%s", overdue, runs, since)
	}
}
