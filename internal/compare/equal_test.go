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
