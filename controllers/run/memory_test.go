package run

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// TestKindOfMPIJobsIsRemembered: since when a run misses the kind, and whether it ever saw it.
func TestKindOfMPIJobsIsRemembered(t *testing.T) {
	begin := time.Unix(1_700_000_000, 0)
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	var m memory
	for _, c := range []struct {
		second int
		known  bool
		want   observe.JobKind
	}{
		{0, false, observe.JobKind{MissingSince: at(0)}},
		{1, false, observe.JobKind{MissingSince: at(0)}},
		{2, true, observe.JobKind{Known: true, Seen: true}},
		{100, false, observe.JobKind{Seen: true, MissingSince: at(100)}},
		{130, false, observe.JobKind{Seen: true, MissingSince: at(100)}},
		{131, true, observe.JobKind{Known: true, Seen: true}},
		{200, false, observe.JobKind{Seen: true, MissingSince: at(200)}},
	} {
		if diff := cmp.Diff(c.want, m.sawKind(c.known, at(c.second))); diff != "" {
			t.Errorf("after %d seconds (-want +got):\n%s", c.second, diff)
		}
	}
}
