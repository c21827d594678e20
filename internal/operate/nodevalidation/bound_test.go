package nodevalidation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// wide is a run that measured so many parts of each metric by each benchmark; their names end in a text.
func wide(minute, benchmarks, metrics, parts int, end string) Judgement {
	j := measuring(minute, v1alpha1.VerdictPass, "A=100")
	b := j.Result.Benchmarks[0]
	b.Attempts[0].Measurements = nil
	var known []v1alpha1.Metric
	for m := range metrics {
		known = append(known, v1alpha1.Metric{Name: fmt.Sprintf("m%02d", m), Unit: "GB/s", Headline: true})
		got := v1alpha1.Measurement{Name: known[m].Name, Unit: "GB/s"}
		for i := range parts {
			got.Parts = append(got.Parts, v1alpha1.PartValue{At: fmt.Sprintf("x%04d%s", i, end), Value: "4370.12"})
		}
		b.Attempts[0].Measurements = append(b.Attempts[0].Measurements, got)
	}
	j.Result.Benchmarks = nil
	for i := range benchmarks {
		b.Name = fmt.Sprintf("b%02d", i)
		j.Result.Benchmarks = append(j.Result.Benchmarks, *b.DeepCopy())
		j.Benchmarks[b.Name] = Benchmark{Metrics: known}
	}
	return j
}

// partsIn the rings of a benchmark, by metric.
func partsIn(h *v1alpha1.BenchmarkHistory) map[string]int {
	n := map[string]int{}
	for _, p := range h.Passes {
		for _, m := range p.Metrics {
			n[m.Metric] += len(m.Parts)
		}
	}
	return n
}

// TestHistoriesFitIntoOneObject: whatever programs report, and however many benchmarks there are. etcd takes 1.5 MiB, of which the rest of
// what is known needs some.
func TestHistoriesFitIntoOneObject(t *testing.T) {
	for sentence, run := range map[string]func(minute int) Judgement{
		"many parts":            func(i int) Judgement { return wide(i, 10, 1, 3000, "") },
		"long names":            func(i int) Judgement { return wide(i, 3, 4, 500, strings.Repeat("n", 120)) },
		"many metrics":          func(i int) Judgement { return wide(i, 2, 32, 400, "") },
		"many small benchmarks": func(i int) Judgement { return wide(i, 64, 4, 56, "") },
	} {
		t.Run(sentence, func(t *testing.T) {
			nv := after(run(1), run(2), run(3))
			text, err := json.Marshal(nv.History)
			if err != nil || len(text) > 1<<20 {
				t.Errorf("it takes %d bytes, want at most 1 MiB; error %v", len(text), err)
			}
			kept := 0
			for i := range nv.History.Benchmarks {
				all := 0
				for metric, n := range partsIn(&nv.History.Benchmarks[i]) {
					if all += n; n > 1024 {
						t.Errorf("%d parts of %s, the API takes 1024", n, metric)
					}
				}
				if kept += all; all > 2048 {
					t.Errorf("%s has %d parts, want at most 2048", nv.History.Benchmarks[i].Name, all)
				}
			}
			if kept < 1000 {
				t.Errorf("only %d parts are left", kept)
			}
		})
	}
}

// TestOneLargeBenchmarkLeavesTheOthers: it loses parts, of its largest metrics first; the others lose nothing.
func TestOneLargeBenchmarkLeavesTheOthers(t *testing.T) {
	small, large := wide(1, 3, 2, 50, ""), wide(2, 1, 9, 600, "")
	large.Result.Benchmarks[0].Name, large.Benchmarks["large"] = "large", large.Benchmarks["b00"]
	few := &large.Result.Benchmarks[0].Attempts[0].Measurements[0]
	few.Parts = few.Parts[:8]
	nv := after(small, large)
	for i := range nv.History.Benchmarks {
		h := &nv.History.Benchmarks[i]
		got := partsIn(h)
		if h.Name != "large" && (got["m00"] != 50 || got["m01"] != 50) {
			t.Errorf("%s has %v, want 50 parts of both metrics", h.Name, got)
		}
		if h.Name == "large" && (got["m00"] != 8 || got["m01"] != 255 || got["m08"] != 255) {
			t.Errorf("the large one has %v, want 8 parts of m00 and 255 of the others", got)
		}
	}
}

// TestLongNamesLeaveTheOthers: names so long that one benchmark would need all the room cost it parts, and the others nothing.
func TestLongNamesLeaveTheOthers(t *testing.T) {
	small, large := wide(1, 3, 2, 50, ""), wide(2, 1, 4, 600, strings.Repeat("n", 240))
	large.Result.Benchmarks[0].Name, large.Benchmarks["large"] = "large", large.Benchmarks["b00"]
	nv := after(small, large)
	got := map[string]int{}
	for i := range nv.History.Benchmarks {
		for _, n := range partsIn(&nv.History.Benchmarks[i]) {
			got[nv.History.Benchmarks[i].Name] += n
		}
	}
	if got["b00"] != 100 || got["b01"] != 100 || got["b02"] != 100 || got["large"] < 500 {
		t.Errorf("of each benchmark so many parts are left: %v; want 100, and at least 500 of the large one", got)
	}
}
