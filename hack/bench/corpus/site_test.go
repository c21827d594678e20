package corpus

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
)

// week of a site: nodes that passed, and one that failed.
func week(number int, passed ...string) export.Run {
	r := export.Run{Run: &v1alpha1.ValidationRun{}}
	r.Run.CreationTimestamp = metav1.NewTime(time.Unix(int64(number)*604800, 0))
	for _, node := range append(passed, "slow") {
		b := v1alpha1.BenchmarkResult{Name: "gemm", Verdict: v1alpha1.VerdictPass, Attempts: []v1alpha1.Attempt{{Measurements: []v1alpha1.Measurement{
			{Name: "fp64", Unit: "TFLOP/s", Better: v1alpha1.Higher, Parts: []v1alpha1.PartValue{{At: "gpu0", Value: v1alpha1.Decimal(fmt.Sprint(50 + number))}, {At: "gpu1", Value: "50"}}},
			{Name: "latency", Unit: "us", Better: v1alpha1.Lower, Parts: []v1alpha1.PartValue{{At: "gpu0", Value: "3"}}},
		}}}}
		if node == "slow" {
			b.Verdict = v1alpha1.VerdictFail
		}
		r.Results = append(r.Results, v1alpha1.ValidationResult{Node: v1alpha1.ObjectReference{Name: node}, Benchmarks: []v1alpha1.BenchmarkResult{b}})
	}
	return r
}

func TestCasesOfASite(t *testing.T) {
	cases := OfSite([]export.Run{week(2, "a"), week(1, "a", "b")})
	if len(cases) != 1+2*2*len(siteSizes) { // two nodes, one part or all of them
		t.Fatalf("%d cases", len(cases))
	}
	healthy := cases[0]
	if len(healthy.Nodes) != 2 || len(healthy.Nodes[0].Attempts) != 2 || healthy.Nodes[0].Attempts[0]["fp64"]["gpu0"] != 51 || len(healthy.Metrics) != 1 {
		t.Errorf("healthy: %+v", healthy)
	}
	for i, c := range cases[1:] {
		f := c.Label.Fault
		for _, n := range c.Nodes {
			for k, a := range n.Attempts {
				want := 51 + float64(k)
				if n.Name == f.Node {
					want *= 1 - f.Lost
				}
				if a["fp64"]["gpu0"] != want || c.ID != i+2 {
					t.Errorf("case %d, %s of %s: %g, want %g", c.ID, f.Name, n.Name, a["fp64"]["gpu0"], want)
				}
			}
		}
	}
}
