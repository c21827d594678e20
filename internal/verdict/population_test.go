package verdict

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// capped draws a fleet of which the first nodes are slower than the others: by another power cap, say.
func capped(seed uint64, nodes, slower int, by float64) [][]float64 {
	fleet := even.nodes(seeded(seed), nodes, 8, 1)
	for i := range slower {
		for g := range fleet[i] {
			fleet[i][g] *= 1 - by
		}
	}
	return fleet
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
	fleet := capped(2, 32, 12, 0.05)
	fleet[3][5] *= 0.9
	for g := range fleet[20] {
		fleet[20][g] *= 0.98
	}
	for i, j := range judgeNodes(m, fleet) {
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
		fleet := capped(5, 15, 6, 0.09)
		for g := range fleet[6] {
			fleet[6][g] *= 0.95
		}
		if better == v1alpha1.Lower {
			for i := range fleet {
				for g := range fleet[i] {
					fleet[i][g] = 1e6 / fleet[i][g]
				}
			}
		}
		for i, j := range judgeNodes(m, fleet) {
			if failed := j.Verdict == v1alpha1.VerdictFail; failed != (i == 6) {
				t.Errorf("%s is better, node %d: %s: %s", better, i, j.Verdict, j.Message)
			}
		}
	}
}

func TestPopulationsAreTold(t *testing.T) {
	m := even.metric("0.005")
	fleet := capped(3, 16, 5, 0.04)
	own := make([]Digest, len(fleet))
	var slower, faster []string
	for i, values := range fleet {
		own[i] = DigestAttempt([]v1alpha1.Metric{m}, attempt(m, values...))
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
	want := Population{Metric: m.Name, Unit: m.Unit, Kind: "gpu", Worse: got[0].Worse, Better: got[0].Better, WorseNodes: slower, BetterNodes: faster}
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
				var own []Digest
				for _, values := range even.nodes(seeded(seed), size, 4, scale) {
					own = append(own, DigestAttempt([]v1alpha1.Metric{m}, attempt(m, values...)))
				}
				if got := newFleet(bench, []v1alpha1.Metric{m}, own, nil, true).Populations(); len(got) > 0 {
					t.Errorf("%d nodes, %v times the noise claimed, seed %d: cut between %v and %v", size, scale, seed, got[0].Worse, got[0].Better)
				}
			}
		}
	}
}
