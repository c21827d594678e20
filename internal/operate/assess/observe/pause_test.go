package observe

import (
	"testing"
	"time"
)

// TestKindOfMPIJobsComesBack: a CRD that is away for a moment costs a run that has begun nothing; without one none waits.
func TestKindOfMPIJobsComesBack(t *testing.T) {
	for sentence, c := range map[string]struct {
		groups              int
		kind                JobKind
		absent              time.Duration
		missing, interrupts bool
	}{
		"it is there":        {0, JobKind{Known: true, Seen: true}, 0, false, false},
		"it was never there": {0, JobKind{}, 0, true, false},
		"it was there, and is away since a moment":     {0, JobKind{Seen: true}, 0, false, true},
		"it was there, and is away for 29 seconds":     {0, JobKind{Seen: true}, 29 * time.Second, false, true},
		"it was there, and is away for 30 seconds":     {0, JobKind{Seen: true}, 30 * time.Second, true, false},
		"another operator takes over and never saw it": {1, JobKind{}, 29 * time.Second, false, true},
		"and it stays away":                            {1, JobKind{}, 30 * time.Second, true, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := pairsScope(c.groups, 0)
			c.kind.MissingSince = s.Now.Add(-c.absent)
			s.observeKind(c.kind)
			if s.MPIMissing != c.missing || s.MPIInterrupted != c.interrupts {
				t.Errorf("missing %v and interrupted %v, want %v and %v", s.MPIMissing, s.MPIInterrupted, c.missing, c.interrupts)
			}
			if s.MPIInterrupted == s.Recheck.IsZero() {
				t.Errorf("it is to be looked at again at %s", s.Recheck)
			}
		})
	}
}
