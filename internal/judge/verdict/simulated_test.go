package verdict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// hardwareNoise is how simulated hardware varies.
type hardwareNoise struct{ run, part, node float64 }

// simulated is a metric of hardware that varies so, and as much as it claims.
func (n hardwareNoise) metric(deviation v1alpha1.Fraction) v1alpha1.Metric {
	text := func(v float64) v1alpha1.Fraction { return v1alpha1.Fraction(fmt.Sprint(v)) }
	return triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: deviation}), func(m *v1alpha1.Metric) {
		m.Noise = v1alpha1.Noise{Run: text(n.run), Part: text(n.part), Node: text(n.node)}
	})
}

// nodes draws healthy ones; scale times as noisy.
func (n hardwareNoise) nodes(r *rand.Rand, nodes, gpus int, scale float64) [][]float64 {
	out := make([][]float64, nodes)
	for i := range out {
		level := 4370 * (1 + scale*n.node*r.NormFloat64())
		out[i] = make([]float64, gpus)
		for g := range out[i] {
			out[i][g] = level * (1 + scale*n.part*r.NormFloat64()) * (1 + scale*n.run*r.NormFloat64())
		}
	}
	return out
}

// judgeNodes judges each node of a fleet by what it measured once.
func judgeNodes(m v1alpha1.Metric, nodes [][]float64) []rule.Outcome {
	attempts := make([]*v1alpha1.Attempt, len(nodes))
	for i := range nodes {
		attempts[i] = onGPUs(m, nodes[i]...)
	}
	f := fleetOf(bench, []v1alpha1.Metric{m}, attempts, true)
	judged := make([]rule.Outcome, len(nodes))
	for i, a := range attempts {
		judged[i] = judgeIn(f, a, rule.Given{})
	}
	return judged
}

func fails(j rule.Outcome, at string) bool {
	return slices.ContainsFunc(j.Findings, func(f v1alpha1.Finding) bool { return f.Verdict == v1alpha1.VerdictFail && f.At == at })
}

// memory varies as HBM does by several sites' account; products as power-capped GEMM.
var memory, products = hardwareNoise{0.0003, 0.0013, 0.004}, hardwareNoise{0.003, 0.009, 0.007}

// TestHealthyNodesFailAtNoPoolSize: at most one in a thousand nodes, whatever is compared, where the claim is right, and fewer where it is
// too great. Where the noise is half as much again as is claimed, a large fleet learns it.
func TestHealthyNodesFailAtNoPoolSize(t *testing.T) {
	const judged = 3000
	r := seeded(1)
	for _, tt := range []struct {
		scale  float64
		sizes  []int
		atMost float64
	}{{1, []int{1, 2, 4, 8, 32, 128}, 1e-3}, {0.5, []int{1, 2, 4, 8, 32, 128}, 1e-3}, {1.5, []int{4, 8, 32, 128, 512}, 3e-3}} {
		failed, all := 0, 0
		for _, size := range tt.sizes {
			for _, gpus := range []int{1, 2, 4, 8} {
				here := 0
				for range max(1, judged/size) {
					for _, j := range judgeNodes(memory.metric("0"), memory.nodes(r, size, gpus, tt.scale)) {
						all++
						if j.Verdict == v1alpha1.VerdictFail {
							here++
						}
					}
				}
				failed += here
				if float64(here) > 6*tt.atMost*judged/2 {
					t.Errorf("%d nodes of %d GPUs, %v times the noise claimed: %d of %d healthy nodes failed", size, gpus, tt.scale, here, judged)
				}
			}
		}
		t.Logf("%v times the noise claimed: %d of %d failed", tt.scale, failed, all)
		if float64(failed) > tt.atMost*float64(all) {
			t.Errorf("%v times the noise claimed: %d of %d healthy nodes failed", tt.scale, failed, all)
		}
	}
}

// TestSlowPartsAreFound: one GPU of the first node is slow.
func TestSlowPartsAreFound(t *testing.T) {
	tests := map[string]struct {
		noise       hardwareNoise
		deviation   v1alpha1.Fraction
		nodes, gpus int
		slow        float64
		atLeast     float64
	}{
		"memory 1% slow, alone with seven others":                  {memory, "0.005", 1, 8, 0.01, 0.97},
		"memory 1% slow, alone with three others":                  {memory, "0.005", 1, 4, 0.01, 0.93},
		"memory 1% slow in a fleet whose nodes differ by 0.4%":     {memory, "0.005", 32, 8, 0.01, 0.98},
		"memory 1% slow, two nodes that differ by 0.4%":            {memory, "0.005", 2, 8, 0.01, 0.955},
		"memory 3% slow, one GPU a node":                           {memory, "0.005", 32, 1, 0.03, 0.98},
		"products 5% slow, which is little beside their own noise": {products, "0.03", 32, 8, 0.05, 0.6},
		"products 8% slow":                                         {products, "0.03", 32, 8, 0.08, 0.99},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			const runs = 300
			r := seeded(2)
			m, found := tt.noise.metric(tt.deviation), 0
			for range runs {
				nodes := tt.noise.nodes(r, tt.nodes, tt.gpus, 1)
				nodes[0][0] *= 1 - tt.slow
				if fails(judgeNodes(m, nodes)[0], "gpu0") {
					found++
				}
			}
			t.Logf("found %.3f", float64(found)/runs)
			if float64(found) < tt.atLeast*runs {
				t.Errorf("found %d of %d", found, runs)
			}
		})
	}
}

// TestSlowNodesAreFound: all GPUs of the first node are slow, which is told of the node, and not of each GPU again.
func TestSlowNodesAreFound(t *testing.T) {
	for _, size := range []int{4, 32} {
		r := seeded(3)
		found, told := 0, 0
		const runs = 300
		for range runs {
			nodes := even.nodes(r, size, 8, 1)
			for g := range nodes[0] {
				nodes[0][g] *= 0.99
			}
			j := judgeNodes(even.metric("0.005"), nodes)[0]
			if fails(j, "") {
				found++
				told += len(j.Findings)
			}
		}
		t.Logf("%d nodes: found %d of %d with %d findings", size, found, runs, told)
		if found < 0.98*runs || told > 1.1*runs {
			t.Errorf("among %d nodes: found %d of %d with %d findings", size, found, runs, told)
		}
	}
}
