package tournament

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
)

// remember that the node reached a bandwidth in three runs.
func (n *Node) remember(value v1alpha1.Decimal) {
	h := v1alpha1.PassHistory{Runs: make([]v1alpha1.PassingRun, 3), Metrics: []v1alpha1.MetricHistory{{Metric: "bandwidth", Unit: "GB/s",
		Parts: []v1alpha1.PartHistory{{At: "node", Passes: 3, Recent: past.RecentOf([]v1alpha1.Decimal{value, value, value})}}}}}
	n.Past = past.Past{Without: "run-uid", Passes: []v1alpha1.PassHistory{h}}
}

// A healthy node whose partners have become slow is as fast as it was: its pairs are slower, and it is not.
func TestSlowPartnersAreNoRegression(t *testing.T) {
	for seed := range uint64(30) {
		s := pairScope(16, 1, bandwidth(v1alpha1.Expectation{MaxRegression: "0.05", MaxFleetDeviation: "0.1"}))
		r := rand.New(rand.NewPCG(seed, 3))
		slow := map[string]bool{}
		for _, i := range r.Perm(16)[:2] {
			slow[s.Nodes[i].Name] = true
		}
		for _, n := range s.Nodes {
			n.remember("100")
		}
		s.play(t, func(a, b string) parts {
			v := 100.0
			if slow[a] || slow[b] {
				v = 60
			}
			return parts{"": v * math.Exp(0.03*r.NormFloat64())}
		})
		for _, n := range s.Nodes {
			if d := s.of(n); !slow[n.Name] && d.Verdict != v1alpha1.VerdictPass {
				t.Errorf("seed %d: healthy %s is %s: %s", seed, n.Name, d.Verdict, d.Message)
			}
		}
	}
}
