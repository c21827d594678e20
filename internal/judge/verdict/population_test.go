package verdict

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// capped draws n nodes of which the first nodes are slower than the others: by another power cap, say.
func capped(seed uint64, n, slower int, by float64) [][]float64 {
	nodes := even.nodes(seeded(seed), n, 8, 1)
	for i := range slower {
		for g := range nodes[i] {
			nodes[i][g] *= 1 - by
		}
	}
	return nodes
}

// even is hardware whose nodes hardly differ.
var even = hardwareNoise{0.0003, 0.0013, 0.001}

func TestTwoPopulationsAreJudgedApart(t *testing.T) {
	m := even.metric("0.005")
	tests := map[string]struct {
		nodes, slower int
		by            float64
		failed        int // of the slower ones
	}{
		"a half is slower":                                   {16, 8, 0.04, 0},
		"a quarter is slower":                                {32, 8, 0.02, 0},
		"four of eight are slower":                           {8, 4, 0.09, 0},
		"fewer than a quarter are outliers":                  {32, 6, 0.04, 6},
		"three of six are too few to be a kind of their own": {6, 3, 0.04, 3},
		"so much slower is no other setting":                 {16, 6, 0.5, 6},
		"a quarter that is broken alike":                     {16, 4, 0.12, 4},
		"exactly half of a fleet that is broken alike":       {16, 8, 0.4, 8},
		"most of a fleet that is broken alike":               {16, 12, 0.4, 12},
		"by less than is allowed they do not differ":         {16, 8, 0.004, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			failed := 0
			for i, j := range judgeNodes(m, capped(1, tt.nodes, tt.slower, tt.by)) {
				if j.Verdict != v1alpha1.VerdictFail {
					continue
				}
				failed++
				if i >= tt.slower {
					t.Errorf("one of the faster nodes failed: %s", j.Message)
				}
			}
			if failed != tt.failed {
				t.Errorf("%d nodes failed, want %d", failed, tt.failed)
			}
		})
	}
}

// TestSlowPartsWithinTheirPopulation: neither kind of node hides a slow one.
func TestSlowPartsWithinTheirPopulation(t *testing.T) {
	m := even.metric("0.005")
	nodes := capped(2, 32, 12, 0.05)
	nodes[3][5] *= 0.9
	for g := range nodes[20] {
		nodes[20][g] *= 0.98
	}
	for i, j := range judgeNodes(m, nodes) {
		want := v1alpha1.VerdictPass
		if i == 3 || i == 20 {
			want = v1alpha1.VerdictFail
		}
		if j.Verdict != want {
			t.Errorf("node %d: %s: %s", i, j.Verdict, j.Message)
		}
	}
}

// TestBetweenTwoPopulations: a slow node of the better kind is not excused by the worse kind, even where it is nearer to that.
func TestBetweenTwoPopulations(t *testing.T) {
	for _, better := range []v1alpha1.Direction{v1alpha1.Higher, v1alpha1.Lower} {
		m := even.metric("0.005")
		m.Better = better
		nodes := capped(5, 15, 6, 0.09)
		for g := range nodes[6] {
			nodes[6][g] *= 0.95
		}
		if better == v1alpha1.Lower {
			for i := range nodes {
				for g := range nodes[i] {
					nodes[i][g] = 1e6 / nodes[i][g]
				}
			}
		}
		for i, j := range judgeNodes(m, nodes) {
			if failed := j.Verdict == v1alpha1.VerdictFail; failed != (i == 6) {
				t.Errorf("%s is better, node %d: %s: %s", better, i, j.Verdict, j.Message)
			}
		}
	}
}

// A fleet of which most measure nothing has no level that two groups of nodes could be apart by a share of, and nobody is judged by some of it.
func TestNothingHasNoPopulations(t *testing.T) {
	m := even.metric("0.005")
	own := make([]fleet.Digest, 10)
	for i := range own {
		values := []float64{0, 0, 0, 0}
		if i >= 6 {
			values = []float64{5, 5, 5, 5}
		}
		own[i] = fleet.DigestAttempt([]v1alpha1.Metric{m}, onGPUs(m, values...))
		own[i].Node = fmt.Sprintf("n%02d", i)
	}
	f := newFleet(bench, []v1alpha1.Metric{m}, own, nil, true)
	if got := f.Populations(); got != nil {
		t.Errorf("populations %+v", got)
	}
	if j := f.rules.Outcome(onGPUs(m, 0, 0, 0, 0), rule.Given{Node: "n00"}, bounds.MeanOf(3)); j.Verdict == v1alpha1.VerdictFail {
		t.Errorf("a node like most: %s", j.Message)
	}
}

func TestPopulationsAreTold(t *testing.T) {
	m := even.metric("0.005")
	nodes := capped(3, 16, 5, 0.04)
	own := make([]fleet.Digest, len(nodes))
	var slower, faster []string
	for i, values := range nodes {
		own[i] = fleet.DigestAttempt([]v1alpha1.Metric{m}, onGPUs(m, values...))
		own[i].Node = fmt.Sprintf("n%02d", i)
		if i < 5 {
			slower = append(slower, own[i].Node)
		} else {
			faster = append(faster, own[i].Node)
		}
	}
	slices.Reverse(own)
	got := newFleet(bench, []v1alpha1.Metric{m}, own[:10], own[10:], true).Populations()
	if len(got) != 1 || got[0].Better < got[0].Worse*1.03 {
		t.Fatalf("populations %+v", got)
	}
	want := fleet.Population{Metric: m.Name, Unit: m.Unit, Kind: "gpu", Worse: got[0].Worse, Better: got[0].Better, WorseNodes: slower, BetterNodes: faster}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	m.Better = v1alpha1.Lower
	if got := newFleet(bench, []v1alpha1.Metric{m}, own, nil, true).Populations(); len(got) != 1 || !slices.Equal(got[0].BetterNodes, slower) {
		t.Errorf("where less is better: %+v", got)
	}
	if got := newFleet(bench, []v1alpha1.Metric{m}, own, nil, false).Populations(); len(got) != 0 {
		t.Errorf("before all are measured: %+v", got)
	}
}

// TestOnePopulationIsNotCut: like nodes are one kind, however many there are and however much they vary.
func TestOnePopulationIsNotCut(t *testing.T) {
	for _, size := range []int{8, 9, 16, 64, 1000} {
		for _, scale := range []float64{0.5, 1, 2} {
			for seed := range uint64(max(3, 300/size)) {
				m := even.metric("0")
				var own []fleet.Digest
				for _, values := range even.nodes(seeded(seed), size, 4, scale) {
					own = append(own, fleet.DigestAttempt([]v1alpha1.Metric{m}, onGPUs(m, values...)))
				}
				if got := newFleet(bench, []v1alpha1.Metric{m}, own, nil, true).Populations(); len(got) > 0 {
					t.Errorf("%d nodes, %v times the noise claimed, seed %d: cut between %v and %v", size, scale, seed, got[0].Worse, got[0].Better)
				}
			}
		}
	}
}

// remembered is the fleet of a run of the first node alone, which is compared with what the others reached when they last passed.
func remembered(m v1alpha1.Metric, nodes [][]float64) (*Judge, *v1alpha1.Attempt) {
	return rememberedBeside(m, 1, nodes)
}

// rememberedBeside is the fleet of a run of the first nodes, which are compared with what the others reached, too.
func rememberedBeside(m v1alpha1.Metric, own int, nodes [][]float64) (*Judge, *v1alpha1.Attempt) {
	digests := make([]fleet.Digest, len(nodes))
	for i, values := range nodes {
		digests[i] = fleet.DigestAttempt([]v1alpha1.Metric{m}, onGPUs(m, values...))
		digests[i].Node = fmt.Sprintf("n%02d", i)
		if i >= own {
			digests[i].Time = time.Unix(1_700_000_000, 0)
		}
	}
	return newFleet(bench, []v1alpha1.Metric{m}, digests[:own], digests[own:], true), onGPUs(m, nodes[0]...)
}

// TestAMinorityOfKubeletsConvictsNobody: whatever fewer than half of the remembered nodes say that they reached, better or worse, near or
// far, no healthy node of others fails by it; and a node that is slow beside most is still found.
func TestAMinorityOfKubeletsConvictsNobody(t *testing.T) {
	for _, better := range []v1alpha1.Direction{v1alpha1.Higher, v1alpha1.Lower} {
		for _, others := range []int{1, 2, 3, 4, 7, 15, 31} {
			for liars := range (others + 1) / 2 {
				for _, by := range []float64{-0.5, -0.12, -0.09, -0.03, 0.01, 0.03, 0.06, 0.09, 0.099, 0.12, 0.5, 10} {
					m := even.metric("0.005")
					m.Better = better
					nodes := even.nodes(seeded(uint64(others)), others+1, 8, 1)
					for i := range liars {
						for g := range nodes[others-i] {
							nodes[others-i][g] *= 1 + by
						}
					}
					f, a := remembered(m, nodes)
					if j := f.rules.Outcome(a, rule.Given{Node: "n00"}, bounds.MeanOf(1)); j.Verdict == v1alpha1.VerdictFail {
						t.Errorf("%s is better, %d of %d others %+.3f: a healthy node fails: %s", better, liars, others, by, j.Message)
					}
				}
			}
		}
	}
	// One other node is no fleet, whatever it says.
	f, a := remembered(even.metric("0.005"), [][]float64{{100, 100, 100, 100}, {120, 120, 120, 120}})
	if j := f.rules.Outcome(a, rule.Given{Node: "n00"}, bounds.MeanOf(1)); j.Verdict == v1alpha1.VerdictFail {
		t.Errorf("beside one other node: %s", j.Message)
	}
	for name, others := range map[string]int{"three others": 3, "many": 31} {
		nodes := capped(9, others+1, 1, 0.05)
		f, a := remembered(even.metric("0.005"), nodes)
		if j := f.rules.Outcome(a, rule.Given{Node: "n00"}, bounds.MeanOf(1)); j.Verdict != v1alpha1.VerdictFail {
			t.Errorf("a node that is 5%% slow beside %s: %s: %s", name, j.Verdict, j.Message)
		}
	}
}

// TestOtherClocksConvictNobody: of two honest kinds under one label, neither fails beside the other, whichever is larger.
func TestOtherClocksConvictNobody(t *testing.T) {
	for _, slower := range []int{8, 16, 24} {
		for _, first := range []bool{true, false} { // the node that is judged is one of the slower ones, or of the faster ones
			nodes := capped(11, 32, slower, 0.05)
			if !first {
				slices.Reverse(nodes)
			}
			f, a := remembered(even.metric("0.005"), nodes)
			if j := f.rules.Outcome(a, rule.Given{Node: "n00"}, bounds.MeanOf(1)); j.Verdict == v1alpha1.VerdictFail {
				t.Errorf("%d of 32 are slower, the node is one of these: %v: %s", slower, first, j.Message)
			}
		}
	}
}

// TestAMinorityBesideOwnNodesConvictsNobody: what a part of a run's nodes says counts no more than what is remembered of others.
func TestAMinorityBesideOwnNodesConvictsNobody(t *testing.T) {
	for _, better := range []v1alpha1.Direction{v1alpha1.Higher, v1alpha1.Lower} {
		for _, c := range []struct{ own, liars, others int }{{8, 4, 8}, {10, 5, 30}, {12, 7, 30}, {12, 4, 30}, {16, 9, 5}} {
			for _, by := range []float64{-0.5, -0.12, -0.05, 0.05, 0.12, 0.5, 10} {
				m := even.metric("0.005")
				m.Better = better
				nodes := even.nodes(seeded(uint64(c.own)), c.own+c.others, 8, 1)
				for i := range c.liars {
					for g := range nodes[c.own-1-i] {
						nodes[c.own-1-i][g] *= 1 + by
					}
				}
				f, a := rememberedBeside(m, c.own, nodes)
				if j := f.rules.Outcome(a, rule.Given{Node: "n00"}, bounds.MeanOf(1)); j.Verdict == v1alpha1.VerdictFail {
					t.Errorf("%s is better, %d of %d own nodes %+.2f beside %d others: a healthy node fails: %s", better, c.liars, c.own, by, c.others, j.Message)
				}
			}
		}
	}
	// Where most of all nodes are as good, or nothing is remembered, the better ones show what all should reach.
	for _, others := range []int{0, 30} {
		f, a := rememberedBeside(even.metric("0.005"), 12, capped(9, 12+others, 8, 0.2))
		if j := f.rules.Outcome(a, rule.Given{Node: "n00"}, bounds.MeanOf(1)); j.Verdict != v1alpha1.VerdictFail {
			t.Errorf("a slow node beside %d others: %s", others, j.Verdict)
		}
	}
}
