package tournament

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/verdict"
)

func (s *scope) cordon(i int) {
	s.Nodes[i].Gone = &verdict.Decision{Verdict: v1alpha1.VerdictSkipped, Reason: v1alpha1.ReasonNodeCordoned, Message: "the node is cordoned"}
}

// TestSuspendedGroupsStayOpen: a run that is suspended starts nothing, and nothing is decided by that.
func TestSuspendedGroupsStayOpen(t *testing.T) {
	slow := func(t *testing.T) *scope { // a set of eight is slow, its halves are due
		t.Helper()
		s := setScope(8, 8, bandwidth(v1alpha1.Expectation{Min: "9"}))
		s.due()
		s.measureDue(5)
		return s
	}
	for sentence, c := range map[string]struct {
		begin     func(t *testing.T) *scope
		meanwhile func(*scope)
		due       int // groups once the run goes on
	}{
		"sets, nothing measured": {func(*testing.T) *scope { return setScope(8, 4, bandwidth(v1alpha1.Expectation{Min: "9"})) }, nil, 2},
		"sets, in mid-bisect":    {slow, nil, 2},
		"sets, in mid-bisect, and half of a half was measured": {func(t *testing.T) *scope {
			s := slow(t)
			s.due()
			s.add(s.groupOf([]string{"n0000", "n0001", "n0002", "n0003"}), 0, parts{"": 5})
			for _, g := range s.played {
				g.due = false
			}
			return s
		}, nil, 1},
		"sets that are compared, and one was measured": {func(*testing.T) *scope {
			s := setScope(12, 4, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
			s.due()
			s.add(s.groupOf([]string{"n0000", "n0001", "n0002", "n0003"}), 0, parts{"": 5})
			return s
		}, nil, 2},
		"sets, one is to be confirmed, and a node of it is cordoned for a while": {func(*testing.T) *scope {
			s := setScope(4, 4, bandwidth(v1alpha1.Expectation{Min: "9"}))
			s.Run.Spec.Confirmations = new(int32(1))
			s.due()
			s.measureDue(5)
			return s
		}, func(s *scope) { s.cordon(1) }, 1},
		"pairs, nothing played": {func(*testing.T) *scope {
			return pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
		}, nil, 4},
		"pairs, nothing played, and a node is cordoned for a while": {func(*testing.T) *scope {
			return pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
		}, func(s *scope) { s.cordon(1) }, 4},
		"pairs, one round played": {func(*testing.T) *scope {
			s := pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
			s.due()
			s.measureDue(5)
			return s
		}, nil, 4},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := c.begin(t)
			s.Run.Spec.Suspend = true
			if c.meanwhile != nil {
				c.meanwhile(s)
			}
			if due := s.due(); due > 0 {
				t.Errorf("%d groups are to be started although the run is suspended", due)
			}
			for _, n := range s.Nodes {
				if d := s.of(n); d.Verdict != v1alpha1.VerdictPending {
					t.Errorf("node %s is %s/%s although the run is suspended: %s", n.Name, d.Verdict, d.Reason, d.Message)
				}
			}
			s.Run.Spec.Suspend = false
			for _, n := range s.Nodes {
				n.Gone = nil
			}
			if due := s.due(); due != c.due {
				t.Errorf("%d groups are due when it goes on, want %d", due, c.due)
			}
		})
	}
}

// TestBusyNodesAfterSuspension: the time that a busy node is waited for begins anew when the run goes on.
func TestBusyNodesAfterSuspension(t *testing.T) {
	s := pairScope(4, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	s.Nodes[0].Held = true
	passedOver := func(p blame.Pair) (bool, time.Time) {
		return (&tournament{field: newField(s.Input), lastEnd: s.Now.Add(-time.Hour)}).passedOver(p)
	}
	pair := blame.NewPair(s.Nodes[0].Name, s.Nodes[1].Name)
	s.Started = s.Now.Add(-2 * time.Hour)
	if over, _ := passedOver(pair); !over {
		t.Error("a pair of a node that was busy for an hour is waited for")
	}
	s.Started = s.Now.Add(-passOverAfter + time.Second)
	if over, until := passedOver(pair); over || !until.Equal(s.Now.Add(time.Second)) {
		t.Errorf("a pair is passed over, although the run goes on since less than five minutes; it is looked at again at %s", until)
	}
}

// TestABusyNodeIsPassedOver: five minutes after all else of a round was measured, the tournament goes on without it.
func TestABusyNodeIsPassedOver(t *testing.T) {
	s := pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	measure := func(g *played) {
		s.add(g, g.Round, parts{"": 10})
		g.Attempts[len(g.Attempts)-1].EndTime = new(metav1.NewTime(s.Now))
	}
	s.due()
	for _, g := range s.sorted() {
		measure(g)
	}
	busy := s.Nodes[0].Name
	s.Nodes[0].Held = true
	s.due()
	s.Now = s.Now.Add(time.Minute)
	for _, g := range s.sorted() {
		if g.due && !slices.Contains(g.Names(), busy) {
			measure(g)
		}
	}
	until := s.Now.Add(passOverAfter)
	s.Now = until.Add(-time.Second)
	if due := s.due(); due != 1 || !s.out.Recheck.Equal(until) {
		t.Errorf("a second too early %d pairs are due, and the next look is at %s, want that of the busy node, and %s", due, s.out.Recheck, until)
	}
	s.Now = until
	s.due()
	others := 0
	for _, g := range s.sorted() {
		if g.due && !slices.Contains(g.Names(), busy) {
			others++
		}
	}
	if others < 3 {
		t.Errorf("%d pairs of other nodes are due after five minutes, want another round", others)
	}
}

// TestKindOfMPIJobsIsGone: what was measured when the CRD of the MPI Operator was removed stays measured, and the rest says why not.
func TestKindOfMPIJobsIsGone(t *testing.T) {
	bound, compared := bandwidth(v1alpha1.Expectation{Min: "9"}), bandwidth(v1alpha1.Expectation{Min: "5", MaxFleetDeviation: "0.05"})
	set := func(s *scope, value float64) {
		s.add(s.groupOf([]string{"n0000", "n0001", "n0002", "n0003"}), 0, parts{"": value})
	}
	const missing = "Error/MPIOperatorMissing"
	for sentence, c := range map[string]struct {
		begin func(t *testing.T) *scope
		want  map[string]int
	}{
		"sets, nothing measured": {func(*testing.T) *scope { return setScope(8, 4, bound) }, map[string]int{missing: 8}},
		"sets, one was measured": {func(*testing.T) *scope {
			s := setScope(8, 4, bound)
			set(s, 10)
			return s
		}, map[string]int{"Pass/Passed": 4, missing: 4}},
		"sets, one was slow, and its halves are not measured": {func(*testing.T) *scope {
			s := setScope(8, 4, bound)
			set(s, 5)
			return s
		}, map[string]int{"Error/Suspect": 4, missing: 4}},
		"pairs, nothing played": {func(*testing.T) *scope { return pairScope(8, 1, compared) }, map[string]int{missing: 8}},
		"pairs, one round played": {func(*testing.T) *scope {
			s := pairScope(8, 1, compared)
			s.due()
			s.measureDue(10)
			return s
		}, map[string]int{missing: 8}},
		"pairs, all played": {func(t *testing.T) *scope {
			t.Helper()
			s := pairScope(8, 1, compared)
			s.play(t, noisy(1, 10, s.Nodes))
			return s
		}, map[string]int{"Pass/Passed": 8}},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := c.begin(t)
			attempts := s.countAttempts()
			s.Missing = true
			if due := s.due(); due > 0 {
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

func (s *scope) countAttempts() (n int) {
	for _, g := range s.played {
		n += len(g.Attempts)
	}
	return n
}
