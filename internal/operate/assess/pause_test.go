package assess

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// groupPass judges the group benchmark anew, as every pass does, and returns how many groups are due.
func (s *state) groupPass() (due int) {
	s.findings = nil
	for _, n := range s.nodes {
		n.decisions, n.grouped = make([]verdict.Decision, 1), make([][]v1alpha1.Attempt, 1)
		if n.facts == (plan.Facts{}) {
			n.facts = plan.Facts{Exists: true, Ready: true}
		}
	}
	for _, g := range s.groups {
		g.due, g.stored, g.changed = false, g.result, false
	}
	s.judgeGroups()
	for _, g := range s.groups {
		if g.due {
			due++
		}
	}
	return due
}

func (s *state) cordon(i int) {
	s.nodes[i].node.Spec.Unschedulable = true
	s.nodes[i].facts = nodeFacts(s.nodes[i])
}

// TestSuspendedGroupsStayOpen: a run that is suspended starts nothing, and nothing is decided by that.
func TestSuspendedGroupsStayOpen(t *testing.T) {
	slow := func(t *testing.T) *state { // a set of eight is slow, its halves are due
		t.Helper()
		s := setScope(8, 8, bandwidth(v1alpha1.Expectation{Min: "9"}))
		s.groupPass()
		s.measureWanted(5)
		return s
	}
	for sentence, c := range map[string]struct {
		begin     func(t *testing.T) *state
		meanwhile func(*state)
		due       int // groups once the run goes on
	}{
		"sets, nothing measured": {func(*testing.T) *state { return setScope(8, 4, bandwidth(v1alpha1.Expectation{Min: "9"})) }, nil, 2},
		"sets, in mid-bisect":    {slow, nil, 2},
		"sets, in mid-bisect, and half of a half was measured": {func(t *testing.T) *state {
			s := slow(t)
			s.groupPass()
			s.add(s.groupOf(0, []string{"n0000", "n0001", "n0002", "n0003"}), 0, parts{"": 5})
			for _, g := range s.groups {
				g.due = false
			}
			return s
		}, nil, 1},
		"sets that are compared, and one was measured": {func(*testing.T) *state {
			s := setScope(12, 4, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
			s.groupPass()
			s.add(s.groupOf(0, []string{"n0000", "n0001", "n0002", "n0003"}), 0, parts{"": 5})
			return s
		}, nil, 2},
		"sets, one is to be confirmed, and a node of it is cordoned for a while": {func(*testing.T) *state {
			s := setScope(4, 4, bandwidth(v1alpha1.Expectation{Min: "9"}))
			s.run.Spec.Confirmations = new(int32(1))
			s.groupPass()
			s.measureWanted(5)
			return s
		}, func(s *state) { s.cordon(1) }, 1},
		"pairs, nothing played": {func(*testing.T) *state {
			return pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
		}, nil, 4},
		"pairs, nothing played, and a node is cordoned for a while": {func(*testing.T) *state {
			return pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
		}, func(s *state) { s.cordon(1) }, 4},
		"pairs, one round played": {func(*testing.T) *state {
			s := pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
			s.groupPass()
			s.measureWanted(5)
			return s
		}, nil, 4},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := c.begin(t)
			s.run.Spec.Suspend = true
			if c.meanwhile != nil {
				c.meanwhile(s)
			}
			if due := s.groupPass(); due > 0 {
				t.Errorf("%d groups are to be started although the run is suspended", due)
			}
			for _, n := range s.nodes {
				if d := n.decisions[0]; d.Verdict != v1alpha1.VerdictPending {
					t.Errorf("node %s is %s/%s although the run is suspended: %s", n.name, d.Verdict, d.Reason, d.Message)
				}
			}
			s.run.Spec.Suspend = false
			for _, n := range s.nodes {
				n.node.Spec.Unschedulable, n.facts = false, plan.Facts{}
			}
			if due := s.groupPass(); due != c.due {
				t.Errorf("%d groups are due when it goes on, want %d", due, c.due)
			}
		})
	}
}

// TestBusyNodesAfterSuspension: the time that a busy node is waited for begins anew when the run goes on.
func TestBusyNodesAfterSuspension(t *testing.T) {
	s := pairScope(4, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	s.nodes[0].busy = "somebody else"
	tour := &tournament{lastEnd: s.now.Add(-time.Hour), members: s.nodes}
	pair := blame.NewPair(s.nodes[0].name, s.nodes[1].name)
	s.started = s.now.Add(-2 * time.Hour)
	if !s.passedOver(tour, pair) {
		t.Error("a pair of a node that was busy for an hour is waited for")
	}
	if s.started = s.now.Add(-passOverAfter + time.Second); s.passedOver(tour, pair) {
		t.Error("a pair is passed over, although the run goes on since less than five minutes")
	}
}

// TestKindOfMPIJobsIsGone: what was measured when the CRD of the MPI Operator was removed stays measured, and the rest says why not.
func TestKindOfMPIJobsIsGone(t *testing.T) {
	bound, compared := bandwidth(v1alpha1.Expectation{Min: "9"}), bandwidth(v1alpha1.Expectation{Min: "5", MaxFleetDeviation: "0.05"})
	set := func(s *state, value float64) {
		s.add(s.groupOf(0, []string{"n0000", "n0001", "n0002", "n0003"}), 0, parts{"": value})
	}
	const missing = "Error/MPIOperatorMissing"
	for sentence, c := range map[string]struct {
		begin func(t *testing.T) *state
		want  map[string]int
	}{
		"sets, nothing measured": {func(*testing.T) *state { return setScope(8, 4, bound) }, map[string]int{missing: 8}},
		"sets, one was measured": {func(*testing.T) *state {
			s := setScope(8, 4, bound)
			set(s, 10)
			return s
		}, map[string]int{"Pass/Passed": 4, missing: 4}},
		"sets, one was slow, and its halves are not measured": {func(*testing.T) *state {
			s := setScope(8, 4, bound)
			set(s, 5)
			return s
		}, map[string]int{"Error/Suspect": 4, missing: 4}},
		"pairs, nothing played": {func(*testing.T) *state { return pairScope(8, 1, compared) }, map[string]int{missing: 8}},
		"pairs, one round played": {func(*testing.T) *state {
			s := pairScope(8, 1, compared)
			s.groupPass()
			s.measureWanted(10)
			return s
		}, map[string]int{missing: 8}},
		"pairs, all played": {func(t *testing.T) *state {
			t.Helper()
			s := pairScope(8, 1, compared)
			s.play(t, noisy(1, 10, s.nodes))
			return s
		}, map[string]int{"Pass/Passed": 8}},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := c.begin(t)
			attempts := s.countAttempts()
			s.mpiMissing = true
			if due := s.groupPass(); due > 0 {
				t.Errorf("%d groups are to be started", due)
			}
			if diff := cmp.Diff(c.want, s.tally()); diff != "" {
				t.Errorf("other verdicts (-want +got):\n%s", diff)
			}
			if n := s.countAttempts(); n != attempts {
				t.Errorf("%d attempts, want the %d that there were", n, attempts)
			}
		})
	}
}

func (s *state) countAttempts() (n int) {
	for _, g := range s.groups {
		n += len(g.attempts())
	}
	return n
}

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
			c.kind.MissingSince = s.now.Add(-c.absent)
			s.observeKind(c.kind)
			if s.mpiMissing != c.missing || s.mpiInterrupted != c.interrupts {
				t.Errorf("missing %v and interrupted %v, want %v and %v", s.mpiMissing, s.mpiInterrupted, c.missing, c.interrupts)
			}
			if s.mpiInterrupted == s.recheck.IsZero() {
				t.Errorf("it is to be looked at again at %s", s.recheck)
			}
		})
	}
}
