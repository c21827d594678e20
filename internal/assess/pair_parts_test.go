package assess

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/verdict"
)

// rails are eight fast ones and a slow port for storage, with 1 % noise; a pair is as fast as the slower rail of the two.
func rails(seed uint64, share func(node, rail string) float64) func(a, b string) parts {
	r := rand.New(rand.NewPCG(seed, 11))
	return func(a, b string) parts {
		out := parts{}
		for i := range 9 {
			rail, level := fmt.Sprintf("mlx5_%d", i), 49.0
			if i == 4 {
				level = 12.2
			}
			out[rail] = level * min(share(a, rail), share(b, rail)) * math.Exp(0.01*r.NormFloat64())
		}
		return out
	}
}

// A slow port that all nodes have must not hide a slow rail of one node, which is faster than that port.
func TestASlowRailIsFoundBesideASlowerPort(t *testing.T) {
	s := pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	s.play(t, rails(1, func(node, rail string) float64 {
		if node == "n0003" && rail == "mlx5_6" {
			return 0.5
		}
		return 1
	}))
	for _, n := range s.nodes {
		d := n.decisions[0]
		if (d.Verdict == v1alpha1.VerdictFail) != (n.name == "n0003") {
			t.Fatalf("%s is %s: %s", n.name, d.Verdict, d.Message)
		}
		if n.name != "n0003" {
			continue
		}
		f := d.Findings[0]
		if f.At != "mlx5_6" || f.Rule != verdict.RuleBlame || !strings.HasPrefix(d.Message, "bandwidth mlx5_6: n0003 reached 24.") {
			t.Errorf("the finding is at %q by %s: %s", f.At, f.Rule, d.Message)
		}
	}
}

func TestRailsOfDifferentSpeedConvictNobody(t *testing.T) {
	for seed := range uint64(50) {
		s := pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
		s.play(t, rails(seed, func(string, string) float64 { return 1 }))
		for _, n := range s.nodes {
			if d := n.decisions[0]; d.Verdict != v1alpha1.VerdictPass {
				t.Fatalf("fleet %d: %s is %s: %s", seed, n.name, d.Verdict, d.Message)
			}
		}
	}
}

// What only one pair has cannot be compared: names that mean a pair leave the worst part to judge by.
func TestPartsOfOnePairAloneAreComparedByTheWorst(t *testing.T) {
	s := pairScope(8, 1, bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	value := noisy(1, 10, s.nodes)
	s.play(t, func(a, b string) parts {
		v := value(a, b)[""]
		if a == "n0002" || b == "n0002" {
			v /= 2
		}
		return parts{a + " and " + b: v, a + " or " + b: 1.5 * v}
	})
	if got := s.tally(); got["Fail/"+v1alpha1.ReasonBelowExpectation] != 1 || s.nodes[2].decisions[0].Verdict != v1alpha1.VerdictFail {
		t.Errorf("verdicts %v", got)
	}
}
