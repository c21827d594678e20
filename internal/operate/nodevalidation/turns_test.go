package nodevalidation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestRunsNearTheLimitDoNotTakeTurns: three runs that are active at the same time, and each of which is judged again in each of its passes.
func TestRunsNearTheLimitDoNotTakeTurns(t *testing.T) {
	named := func(j Judgement, name string) Judgement {
		was := j.Result.Benchmarks[0].Name
		j.Result.Benchmarks[0].Name = name
		of := j.Benchmarks[was]
		for i := range 20 {
			of.Held = append(of.Held, v1alpha1.HeldRule{Metric: fmt.Sprintf("metric%02d", i), Rule: "Min", Limit: "10", Value: "11", AsCatalogued: true})
		}
		j.Benchmarks[name] = of
		return j
	}
	small := named(wide(1, 1, 1, 200, strings.Repeat("n", 59)), "small")
	mid := named(wide(2, 1, 2, 1024, strings.Repeat("n", 61)), "mid")
	large := named(wide(3, 1, 2, 1024, strings.Repeat("n", 61)), "large")
	known := after(small, mid, large)
	text := func() string { b, _ := json.Marshal(known.History); return string(b) }
	writes := 0
	for range 5 {
		for _, j := range []Judgement{small, mid} {
			before := text()
			known = Next(known, j)
			if text() != before {
				writes++
			}
		}
	}
	if writes > 2 {
		t.Errorf("%d writes of a history in 5 rounds in which nothing was measured", writes)
	}
}
