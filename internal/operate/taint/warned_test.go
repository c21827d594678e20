package taint

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestNoted: what a run's benchmarks warn of stands beside what was done about the node; other benchmarks' warnings are no news.
func TestNoted(t *testing.T) {
	warned := &v1alpha1.NodeValidation{Benchmarks: []v1alpha1.BenchmarkState{
		{Name: "other", Warnings: []v1alpha1.Finding{{Message: "of another run"}}}, {Name: "fine"},
		{Name: "hbm", Warnings: []v1alpha1.Finding{{Message: "gpu3 drifts"}, {Message: "gpu5 drifts"}}}}}
	j := Judgement{Benchmarks: []Benchmark{{Name: "hbm"}, {Name: "fine"}}}
	fact := Judgement{Benchmarks: []Benchmark{{Name: "inventory", Findings: []v1alpha1.Finding{{Rule: "Min", Verdict: v1alpha1.VerdictSkipped, Message: "too few"},
		{Rule: "FactEqual", Verdict: v1alpha1.VerdictWarning, Message: "governor is powersave"}}}}}
	if got, want := fact.Noted("", nil), "inventory warns: governor is powersave"; got != want {
		t.Errorf("of a fact, and nothing is known of the node: %q, want %q", got, want)
	}
	fact.Benchmarks = append(fact.Benchmarks, j.Benchmarks...)
	if got, want := fact.Noted("", warned), "inventory warns: governor is powersave (and 2 more warnings)"; got != want {
		t.Errorf("of a fact and of the past: %q, want %q", got, want)
	}
	for sentence, c := range map[string]struct {
		note string
		v    *v1alpha1.NodeValidation
		want string
	}{
		"nothing is known":         {"done", nil, "done"},
		"nothing is warned of":     {"done", &v1alpha1.NodeValidation{}, "done"},
		"nothing but warnings":     {"", warned, "hbm warns: gpu3 drifts (and 1 more warning)"},
		"warnings beside the note": {"done", warned, "done; hbm warns: gpu3 drifts (and 1 more warning)"},
	} {
		if got := j.Noted(c.note, c.v); got != c.want {
			t.Errorf("%s: %q, want %q", sentence, got, c.want)
		}
	}
}
