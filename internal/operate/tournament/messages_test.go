package tournament

import (
	"testing"

	"github.com/assay-dev/assay/internal/judge/summary"
)

// What kept a node from being measured is told, with the limit that passed first.
func TestWhyANodeWasNotMeasuredInTime(t *testing.T) {
	const waited = "waiting for the node to become Ready"
	for _, c := range []struct {
		by     summary.Cut
		waited string
		want   string
	}{
		{summary.CutByDeadline, "", "not measured within activeDeadlineSeconds (5400): raise it, or measure more nodes at once"},
		{summary.CutByDeadline, waited, waited + "; activeDeadlineSeconds (5400) passed first: remove what delayed the node, or raise it"},
		{summary.CutOnHost, "", "not measured within --deadline (1h30m): raise it"},
		{summary.CutOnHost, waited, waited + "; --deadline (1h30m) passed first: raise it"},
		{summary.CutByUser, "", "not measured: the run was interrupted"},
		{summary.CutByUser, waited, waited + "; then the run was interrupted"},
	} {
		if got := notMeasuredInTime(c.by, c.waited, 5400); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
