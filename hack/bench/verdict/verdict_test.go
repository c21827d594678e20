package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

func testLab(t *testing.T) *lab {
	t.Helper()
	l, err := newLab(false)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The seeds are fixed, so that only a change of the rules, the catalogue or the recordings changes these figures. `make bench-verdict`
// prints them all, with more trials.
func TestFaultsAreFound(t *testing.T) {
	l := testLab(t)
	alone4, alone8, four, thirtyTwo := setup{nodes: 1, gpus: 4}, setup{nodes: 1, gpus: 8}, setup{nodes: 4, gpus: 8}, setup{nodes: 32, gpus: 8}
	known, past := setup{nodes: 1, gpus: 8, known: 8}, setup{nodes: 1, gpus: 8, past: 5}
	for name, tt := range map[string]struct {
		setup
		fault   string
		size    float64
		rule    string // empty: any
		atLeast float64
	}{
		"memory of one GPU by its node's other 3":                  {alone4, "one GPU, HBM", 0.01, "", 0.95},
		"memory of one GPU by its node's other 7":                  {alone8, "one GPU, HBM", 0.01, "", 0.95},
		"memory of one GPU in a fleet":                             {four, "one GPU, HBM", 0.01, "", 0.95},
		"a link of a node of 4":                                    {alone4, "one link", 0.01, "", 0.99},
		"a link in a fleet":                                        {thirtyTwo, "one link", 0.01, "", 0.99},
		"FP32 of one GPU":                                          {alone4, "one GPU, fp32", 0.05, "", 0.99},
		"NCCL in a fleet":                                          {four, "NCCL all-reduce", 0.05, "", 0.95},
		"a node's CPU in a fleet":                                  {four, "node, DGEMM", 0.05, "", 0.95},
		"a new node's CPU by nodes that it was not measured with":  {known, "node, DGEMM", 0.05, "", 0.95},
		"a new node's FP32 by nodes that it was not measured with": {known, "node, fp32", 0.05, "", 0.99},
		"memory of one GPU by its past":                            {past, "one GPU, HBM", 0.01, "Regression", 0.99},
		"a link by its past":                                       {past, "one link", 0.01, "Regression", 0.99},
		"FP64 of one GPU by 6 seconds and its past":                {past, "one GPU, fp64 for 6 s", 0.02, "Regression", 0.95},
		"FP16 of one GPU by its past":                              {past, "one GPU, fp16", 0.02, "Regression", 0.9},
		"FP32 of one GPU by its past":                              {past, "one GPU, fp32", 0.02, "Regression", 0.99},
		"a node's CPU by its past":                                 {past, "node, DGEMM", 0.03, "Regression", 0.95},
	} {
		t.Run(name, func(t *testing.T) {
			f := faults[slices.IndexFunc(faults, func(f fault) bool { return f.name == tt.fault })]
			f.size = tt.size
			got := recallOf(l, tt.setup, []fault{f}, 40, 1)[cell{tt.setup, f.name, f.size}]
			found := got.found
			if tt.rule != "" {
				found = got.by(tt.rule)
			}
			t.Logf("found %d of %d: %s", found.yes, found.all, got.byRule())
			if found.all < 40 || found.share() < tt.atLeast {
				t.Errorf("found %d of %d, want %.2f of 40", found.yes, found.all, tt.atLeast)
			}
		})
	}
}

func TestHealthyNodesPass(t *testing.T) {
	l := testLab(t)
	for name, tt := range map[string]struct {
		setup
		notJudged float64 // at most, of all benchmarks
	}{
		"a node of 4":                     {setup{nodes: 1, gpus: 4}, 0.5},
		"4 nodes of 8":                    {setup{nodes: 4, gpus: 8}, 0},
		"32 nodes of 4":                   {setup{nodes: 32, gpus: 4}, 0},
		"a node with a past and a fleet":  {setup{nodes: 1, gpus: 4, past: 5, known: 8}, 0},
		"a node with a past and profiles": {setup{nodes: 1, gpus: 4, past: 5, profile: true}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h := healthOf(l, tt.setup, 64, 2)
			if failed := h.gpuNodes.yes + h.cpuNodes.yes; failed > 1 {
				t.Errorf("%d of %d healthy nodes failed", failed, h.gpuNodes.all)
			}
			if perBenchmark := float64(h.attempts) / float64(h.benches); perBenchmark > 1.2 {
				t.Errorf("%.2f attempts for each benchmark of a healthy node", perBenchmark)
			}
			if h.notJudged.share() > tt.notJudged {
				t.Errorf("%d of %d benchmarks were not judged", h.notJudged.yes, h.notJudged.all)
			}
		})
	}
}

func TestALastingLossNeverBecomesTheBaseline(t *testing.T) {
	l, f := testLab(t), fault{benchmark: "gpustream", where: onNode, size: 0.015}
	l.weekly(rand.New(rand.NewPCG(3, 3)), f.benchmark, 40, since(settledIn, &f), func(week int, s settled, _ nodevalidation.Known) {
		if failed := s.Verdict == v1alpha1.VerdictFail; failed != (week >= settledIn) {
			t.Errorf("week %d: %s: %s", week+1, s.Verdict, s.Message)
		}
	})
}

func TestTheSlowerOfTwoKindsIsNotFailed(t *testing.T) {
	p := program{lab: testLab(t)}
	out := p.population(rand.New(rand.NewPCG(4, 4)), mixture{16, 8, "hbmTriad", "gpustream", 0.05})
	if out[0].yes+out[1].yes > 0 || out[2].yes == 0 {
		t.Errorf("failed %d of %d slower nodes and %d of %d faster ones; found the slow GPU: %t", out[0].yes, out[0].all, out[1].yes, out[1].all, out[2].yes > 0)
	}
}

func TestASlowThirdOfAFleetFails(t *testing.T) {
	p := program{lab: testLab(t)}
	got := p.shareFails(setup{nodes: 16, gpus: 8}, &fault{benchmark: "gemm", metrics: []string{"fp16"}, where: onNode, size: 0.15}, 5)
	if got.slow.yes < got.slow.all || got.healthy.yes > 0 || got.twoKinds.yes > 0 {
		t.Errorf("failed %d of %d slow nodes and %d healthy ones; %d runs tell of two kinds", got.slow.yes, got.slow.all, got.healthy.yes, got.twoKinds.yes)
	}
}

func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		tally
		low, high float64
	}{
		{tally{0, 10}, 0, 0.2775},
		{tally{5, 10}, 0.2366, 0.7634},
		{tally{1, 1000}, 0.0002, 0.0056},
	} {
		if low, high := tt.wilson(); math.Abs(low-tt.low) > 1e-4 || math.Abs(high-tt.high) > 1e-4 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", tt.yes, tt.all, low, high, tt.low, tt.high)
		}
	}
}
