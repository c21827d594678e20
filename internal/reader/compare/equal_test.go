package compare

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Equal values are equal, whatever the rounding of their logarithms and means adds, also where no noise is declared that would cover it.
func TestEqualCountsAreTheSame(t *testing.T) {
	count := listed(v1alpha1.Metric{Name: "speed", Noise: v1alpha1.Noise{Run: "0", Part: "0", Node: "0"}})
	for _, c := range []struct {
		value string
		a, b  int // nodes
		gpus  int
	}{{"3", 2, 3, 8}, {"3", 3, 5, 1}, {"7", 5, 8, 3}, {"0.3", 6, 7, 8}, {"1000", 12, 30, 7}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			of := func(run string, first, nodes int) *Side {
				s := base(run, count, marked(func(_ string, b *v1alpha1.BenchmarkResult) {
					for i := range b.Attempts[0].Measurements[0].Parts {
						b.Attempts[0].Measurements[0].Parts[i].Value = v1alpha1.Decimal(c.value)
					}
				}))
				s.nodes = nil
				for i := range nodes {
					node := fmt.Sprintf("node-%d", first+i)
					s.nodes, s.gpus[node] = append(s.nodes, node), make([]string, c.gpus)
				}
				return s.side()
			}
			r := New(of("a", 0, c.a), of("b", 100, c.b), Options{}).Rows[0]
			if r.Outcome != Same || r.Estimate.P != 1 {
				t.Errorf("%s: %+v", r.Outcome, r.Estimate)
			}
		})
	}
}

// A node that was replaced stands for itself: pairing leaves it out, and a gate must not.
func TestWhatPairingLeavesOutIsSaidAndComparedOnDemand(t *testing.T) {
	known := listed(v1alpha1.Metric{Name: "speed", Headline: true})
	replaced := func(s *setup) {
		s.nodes[3], s.nodes[5] = "new-3", "new-5"
		s.gpus["new-3"], s.gpus["new-5"] = []string{"GPU-n0", "GPU-n1"}, []string{"GPU-n2", "GPU-n3"}
	}
	slow := marked(func(node string, b *v1alpha1.BenchmarkResult) {
		for i := range b.Attempts[0].Measurements[0].Parts {
			if node == "new-3" || node == "new-5" {
				b.Attempts[0].Measurements[0].Parts[i].Value = "600"
			}
		}
	})
	compared := func(o Options) Comparison {
		return New(base("a", known).side(), base("b", known, replaced, slow).side(), o)
	}
	c := compared(Options{})
	if len(c.Rows) != 1 || c.A.Unpaired != 2 || c.B.Unpaired != 2 || c.Rows[0].Outcome != Same {
		t.Errorf("%d rows, %d and %d nodes unpaired, %s", len(c.Rows), c.A.Unpaired, c.B.Unpaired, c.Rows[0].Outcome)
	}
	if said := c.B.Warnings("B", "A"); len(said) != 2 || said[0] != "B: 2 nodes have parts that are not in A: what is compared in pairs leaves them out" {
		t.Errorf("%q", said)
	}
	c = compared(Options{NotInA: true})
	if len(c.Rows) != 2 || c.Rows[1].Outcome != Worse || c.Rows[1].B.Parts != 4 || c.Rows[1].A.Parts != 16 || c.Rows[1].Name() != "bench speed gpu (not in A)" {
		t.Fatalf("%+v", c.Rows)
	}
	if c.Overall.Rows != 1 || c.Tested != 2 {
		t.Errorf("%d rows in the mean, %d tested", c.Overall.Rows, c.Tested)
	}
}
