package tournament

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// setScope has sets of so many nodes that a Benchmark measures.
func setScope(nodes int, size int32, metrics ...v1alpha1.Metric) *scope {
	s := pairScope(nodes, 0, metrics...)
	s.Benchmark.Spec.Group.Size = intstr.FromInt32(size)
	return s
}

// TestSlowSetsKeepTheirResults: of two slow sets neither is a part of the other.
func TestSlowSetsKeepTheirResults(t *testing.T) {
	s := setScope(8, 4, bandwidth(v1alpha1.Expectation{Min: "9"}))
	s.pass()
	s.measureDue(5)
	s.pass()
	s.measureDue(10) // the halves of both are fast
	if n := s.pass(); n != 4 {
		t.Errorf("%d results written, want those of 4 parts", n)
	}
	if n := s.pass(); n != 0 {
		t.Errorf("%d results written again, though nothing was measured", n)
	}
	results := map[int][]v1alpha1.Verdict{}
	for _, g := range s.sorted() {
		if g.stored.Verdict != "" {
			results[len(g.Nodes)] = append(results[len(g.Nodes)], g.stored.Verdict)
		}
	}
	want := map[int][]v1alpha1.Verdict{4: {"Fail", "Fail"}, 2: {"Pass", "Pass", "Pass", "Pass"}}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Errorf("other results by size (-want +got):\n%s", diff)
	}
}

// TestTrialsAreOfPartsOnly: what was measured over other nodes says nothing about a group.
func TestTrialsAreOfPartsOnly(t *testing.T) {
	s := setScope(8, 4, bandwidth(v1alpha1.Expectation{Min: "9"}))
	set := func(nodes ...int) *played {
		names := make([]string, len(nodes))
		for i, n := range nodes {
			names[i] = s.Nodes[n].Name
		}
		g := s.groupOf(names)
		s.add(g, 0, parts{"": 5})
		return g
	}
	drawn, other := set(0, 1, 2, 3), set(2, 3, 4, 5)
	left := set(0, 1)
	across, beyond, larger := set(1, 4), set(6, 7), set(0, 1, 2, 3, 4)
	larger.Verdict, beyond.Verdict = v1alpha1.VerdictFail, v1alpha1.VerdictFail
	f := newField(s.input())
	groups := []*Group{&drawn.Group, &other.Group}
	slow := f.compareSets(groups)[0]
	slow.decision.Verdict = v1alpha1.VerdictFail
	trials, _ := f.trials(slow, f.partsOf(groups))
	var got []string
	for _, trial := range trials {
		got = append(got, message.Nodes(trial.Members))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{message.Nodes(left.Names()), message.Nodes(drawn.Names())}, got); diff != "" {
		t.Errorf("other trials (-want +got):\n%s", diff)
	}
	for _, c := range f.Concluded {
		for _, g := range []*played{larger, beyond, across} {
			if c.ID == g.ID {
				t.Errorf("the result of %s, which is no part of the group, says %s now", message.Nodes(g.Names()), c.Decision.Verdict)
			}
		}
	}
}

// TestSetsOfOtherSizes: a rack of seven nodes is not slow because one of eight reaches more; what does not add up is compared all the same.
func TestSetsOfOtherSizes(t *testing.T) {
	for sentence, c := range map[string]struct {
		unit    string
		verdict v1alpha1.Verdict
	}{
		"arithmetic adds up over the nodes": {"TFLOP/s", v1alpha1.VerdictInconclusive},
		"a bandwidth does not":              {"GB/s", v1alpha1.VerdictFail},
	} {
		t.Run(sentence, func(t *testing.T) {
			rate := bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"})
			rate.Unit, rate.Noise = c.unit, v1alpha1.Noise{Run: "0.001", Part: "0.001", Node: "0.001"}
			s := setScope(5*8-1, 0, rate)
			s.Benchmark.Spec.Group.Size, s.Benchmark.Spec.Group.Within = intstr.FromString("All"), "rack"
			for i, n := range s.Nodes {
				n.Object.Labels = map[string]string{"rack": string(rune('a' + i/8))}
			}
			s.pass()
			for _, g := range s.sorted() {
				s.add(g, 0, parts{"all": 10 * float64(len(g.Nodes))})
			}
			s.pass()
			for _, g := range s.sorted() {
				want := v1alpha1.VerdictPass
				if len(g.Nodes) == 7 {
					want = c.verdict
				}
				if d := g.stored; len(g.Attempts) > 0 && d.Verdict != want {
					t.Errorf("%d nodes: %s: %s, want %s", len(g.Nodes), d.Verdict, d.Message, want)
				}
			}
		})
	}
}

// TestNodesLeftOverAreMeasuredWithOthersAgain: the set of those that are left over, filled up from the first, stays when that is measured.
func TestNodesLeftOverAreMeasuredWithOthersAgain(t *testing.T) {
	s := setScope(6, 4, bandwidth(v1alpha1.Expectation{Min: "9"}))
	rest := s.groupOf([]string{"n0000", "n0001", "n0004", "n0005"})
	s.due()
	s.add(s.groupOf([]string{"n0000", "n0001", "n0002", "n0003"}), 0, parts{"": 10})
	if s.due() != 1 || !rest.due {
		t.Errorf("due are %+v, want only %v", s.out.Due, rest.Names())
	}
	s.add(rest, 0, parts{"": 10})
	s.pass()
	if diff := cmp.Diff(map[string]int{"Pass/Passed": 6}, s.tally()); diff != "" {
		t.Errorf("other verdicts (-want +got):\n%s", diff)
	}
}

func TestTextsOfSetsFitTheAPI(t *testing.T) {
	s := setScope(8, 4, bandwidth(v1alpha1.Expectation{Min: "9"}))
	s.longest()
	s.pass()
	s.measureDue(5)
	s.pass()
	s.measureDue(10)
	s.pass()
	s.checkTexts(t)
}

// TestANodeOfTwoSetsWaitsForBoth: it has no verdict while one of them is still open, whichever of the two that is.
func TestANodeOfTwoSetsWaitsForBoth(t *testing.T) {
	first, rest := []string{"n0000", "n0001", "n0002", "n0003"}, []string{"n0000", "n0001", "n0004", "n0005"}
	for _, slow := range [][]string{first, rest} {
		s := setScope(6, 4, bandwidth(v1alpha1.Expectation{Min: "9"}))
		s.due()
		s.add(s.groupOf(first), 0, parts{"": 10})
		s.due()
		s.add(s.groupOf(rest), 0, parts{"": 10})
		s.groupOf(slow).Attempts[0].Measurements[0].Parts[0].Value = "5"
		s.pass()
		if diff := cmp.Diff(map[string]int{"Pass/Passed": 2, "Pending/": 4}, s.tally()); diff != "" {
			t.Errorf("%v are slow: other verdicts (-want +got):\n%s", slow, diff)
		}
	}
}
