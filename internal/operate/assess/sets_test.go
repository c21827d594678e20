package assess

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/message"
)

// setScope has sets of so many nodes that a Benchmark measures.
func setScope(nodes int, size int32, metrics ...v1alpha1.Metric) *state {
	s := pairScope(nodes, 0, metrics...)
	s.tasks[0].Benchmark.Spec.Group.Size = intstr.FromInt32(size)
	return s
}

// passSets judges the sets anew, as every pass does, and stores what is to be stored.
func (s *state) passSets() (written int) {
	s.findings = nil
	for _, n := range s.nodes {
		n.decisions, n.grouped = make([]verdict.Decision, 1), make([][]v1alpha1.Attempt, 1)
	}
	s.judgeSets(0, s.nodes)
	for _, g := range s.groups {
		if g.changed {
			g.stored, g.changed = g.result, false
			written++
		}
	}
	return written
}

func (s *state) measureWanted(value float64) {
	for _, g := range s.sortedGroups() {
		if g.due {
			g.due = false
			s.add(g, 0, parts{"": value})
		}
	}
}

// TestSlowSetsKeepTheirResults: of two slow sets neither is a part of the other.
func TestSlowSetsKeepTheirResults(t *testing.T) {
	s := setScope(8, 4, bandwidth(v1alpha1.Expectation{Min: "9"}))
	s.passSets()
	s.measureWanted(5)
	s.passSets()
	s.measureWanted(10) // the halves of both are fast
	if n := s.passSets(); n != 4 {
		t.Errorf("%d results written, want those of 4 parts", n)
	}
	if n := s.passSets(); n != 0 {
		t.Errorf("%d results written again, though nothing was measured", n)
	}
	results := map[int][]v1alpha1.Verdict{}
	for _, g := range s.sortedGroups() {
		if g.stored != nil {
			results[len(g.nodes)] = append(results[len(g.nodes)], g.stored.Verdict)
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
	set := func(nodes ...int) *Group {
		names := make([]string, len(nodes))
		for i, n := range nodes {
			names[i] = s.nodes[n].name
		}
		g := s.groupOf(0, names)
		s.add(g, 0, parts{"": 5})
		return g
	}
	drawn, other := set(0, 1, 2, 3), set(2, 3, 4, 5)
	left := set(0, 1)
	across, beyond, larger := set(1, 4), set(6, 7), set(0, 1, 2, 3, 4)
	larger.result.Verdict, beyond.result.Verdict = v1alpha1.VerdictFail, v1alpha1.VerdictFail
	s.compareSets(0, []*Group{drawn, other})
	drawn.decision.Verdict = v1alpha1.VerdictFail
	var got []string
	for _, trial := range s.trials(0, drawn, s.partsOf(0, []*Group{drawn, other})) {
		got = append(got, message.Nodes(trial.Members))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{message.Nodes(left.names()), message.Nodes(drawn.names())}, got); diff != "" {
		t.Errorf("other trials (-want +got):\n%s", diff)
	}
	for _, g := range []*Group{larger, beyond} {
		if g.result.Verdict != v1alpha1.VerdictFail {
			t.Errorf("the result of %s says %s now", message.Nodes(g.names()), g.result.Verdict)
		}
	}
	if across.result.Verdict != v1alpha1.VerdictPending {
		t.Errorf("the result of %s, which is part of no group, says %s", message.Nodes(across.names()), across.result.Verdict)
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
			s.tasks[0].Benchmark.Spec.Group.Size, s.tasks[0].Benchmark.Spec.Group.Within = intstr.FromString("All"), "rack"
			for i, n := range s.nodes {
				n.node.Labels = map[string]string{"rack": string(rune('a' + i/8))}
			}
			s.passSets()
			for _, g := range s.sortedGroups() {
				s.add(g, 0, parts{"all": 10 * float64(len(g.nodes))})
			}
			s.passSets()
			for _, g := range s.sortedGroups() {
				want := v1alpha1.VerdictPass
				if len(g.nodes) == 7 {
					want = c.verdict
				}
				if d := s.decideSet(0, g); len(g.attempts()) > 0 && d.Verdict != want {
					t.Errorf("%d nodes: %s: %s, want %s", len(g.nodes), d.Verdict, d.Message, want)
				}
			}
		})
	}
}

func TestTextsOfSetsFitTheAPI(t *testing.T) {
	s := setScope(8, 4, bandwidth(v1alpha1.Expectation{Min: "9"}))
	s.longest()
	s.passSets()
	s.measureWanted(5)
	s.passSets()
	s.measureWanted(10)
	s.passSets()
	s.checkTexts(t)
}
