package nodevalidation

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// clearing is a run that measured two GPUs, of which these were suspect at first.
func clearing(minute int, v v1alpha1.Verdict, gpus string, cleared ...v1alpha1.PartReference) Judgement {
	j := measuring(minute, v, gpus)
	j.Benchmarks["hbm"] = Benchmark{Metrics: j.Benchmarks["hbm"].Metrics, Cleared: cleared}
	return j
}

func TestWhatComesAndGoesIsUnstable(t *testing.T) {
	pass, fail := v1alpha1.VerdictPass, v1alpha1.VerdictFail
	at := func(part string) v1alpha1.PartReference { return v1alpha1.PartReference{Metric: "triad", At: part} }
	copied := v1alpha1.PartReference{Metric: "copy", At: "gpu1"}
	const both = "A=100 B=100"
	for sentence, c := range map[string]struct {
		runs []Judgement
		want []string
	}{
		"suspect in two runs": {[]Judgement{clearing(1, pass, both, at("gpu1")), clearing(2, pass, both, at("gpu1"))}, nil},
		"suspect in three runs": {
			[]Judgement{clearing(1, pass, both, at("gpu1")), clearing(2, pass, both), clearing(3, fail, both, at("gpu1")), clearing(4, pass, both, at("gpu1"), copied)},
			[]string{"gpu1 Unstable: gpu1 (B) fell short in 3 of the last 4 runs (copy, triad) and was fine each time it was measured again, last on 2026-01-01: look for an intermittent cause, such as heat, power or a loose link"},
		},
		"three times in one run": {[]Judgement{clearing(1, pass, both, at("gpu1"), copied, at("gpu1"))}, nil},
		"another part each time": {[]Judgement{clearing(1, pass, both, at("gpu0")), clearing(2, pass, both, at("gpu1")), clearing(3, pass, "B=100 A=100", at("gpu1"))}, nil},
		"what is suspect is more than one part": {
			[]Judgement{clearing(1, pass, both, at("*->gpu1")), clearing(2, pass, both, at("*->gpu1")), clearing(3, pass, "B=100 A=100", at("*->gpu0"))},
			[]string{"*->gpu0 Unstable: *->gpu0 (B) fell short in 3 of the last 3 runs (triad) and was fine each time it was measured again, last on 2026-01-01: look for an intermittent cause, such as heat, power or a loose link"},
		},
		"in another slot in the meantime": {
			[]Judgement{clearing(1, pass, both, at("gpu1")), clearing(2, pass, both, at("gpu1")), clearing(3, pass, "B=100 A=100", at("gpu0"))},
			[]string{"gpu0 Unstable: gpu0 (B) fell short in 3 of the last 3 runs (triad) and was fine each time it was measured again, last on 2026-01-01: look for an intermittent cause, such as heat, power or a loose link"},
		},
		"replaced since": {[]Judgement{clearing(1, pass, both, at("gpu1")), clearing(2, pass, both, at("gpu1")), clearing(3, pass, both, at("gpu1")),
			clearing(4, pass, "A=100 C=100")}, nil},
		"ten runs ago": {append([]Judgement{clearing(1, pass, both, at("gpu1")), clearing(2, pass, both, at("gpu1")), clearing(3, pass, both, at("gpu1"))}, quiet(4, 8)...), nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			nv := after(c.runs...)
			var got []string
			for _, w := range nv.Validation.Benchmarks[0].Warnings {
				got = append(got, fmt.Sprintf("%s %s: %s", w.At, w.Rule, w.Message))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			if nv.Validation.OffenceCount > 1 || len(nv.Validation.Convictions) > 0 {
				t.Errorf("a warning counts as %d offences", nv.Validation.OffenceCount)
			}
		})
	}
}

func quiet(from, n int) (runs []Judgement) {
	for i := range n {
		runs = append(runs, clearing(from+i, v1alpha1.VerdictPass, "A=100 B=100"))
	}
	return runs
}

// TestAWarningGoesWithWhatItIsAbout: a drifting GPU is warned of until it is replaced, also while runs fail.
func TestAWarningGoesWithWhatItIsAbout(t *testing.T) {
	pass, fail := v1alpha1.VerdictPass, v1alpha1.VerdictFail
	var runs []Judgement
	warned := func() (all []string) {
		for _, w := range after(runs...).Validation.Benchmarks[0].Warnings {
			all = append(all, w.Rule+" "+w.At)
		}
		return all
	}
	for i := range 9 {
		runs = append(runs, measuring(i, pass, fmt.Sprintf("A=100 B=%d", min(100, 140-10*i))))
	}
	for _, step := range []struct {
		sentence string
		run      Judgement
		want     []string
	}{
		{"it drifts", measuring(10, pass, "A=100 B=50"), []string{"Drift gpu1"}},
		{"it fails", measuring(11, fail, "A=100 B=40"), []string{"Drift gpu1"}},
		{"it changed places", measuring(12, pass, "B=50 A=100"), []string{"Drift gpu0"}},
		{"it is replaced", measuring(13, pass, "C=100 A=100"), nil},
	} {
		runs = append(runs, step.run)
		if diff := cmp.Diff(step.want, warned()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.sentence, diff)
		}
	}
}
