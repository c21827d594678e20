package nodevalidation

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestLater(t *testing.T) {
	for sentence, tt := range map[string]struct {
		minute, than int
		run, other   string
		want         bool
	}{
		"a later minute":                           {2, 1, "a", "b", true},
		"an earlier minute":                        {1, 2, "b", "a", false},
		"the same second, the greater name":        {1, 1, "b", "a", true},
		"the same second, the lesser name":         {1, 1, "a", "b", false},
		"a run is never later than itself":         {1, 1, "a", "a", false},
		"not even where its second attempt counts": {2, 1, "a", "a", false},
	} {
		if got := later(at(tt.minute), types.UID(tt.run), at(tt.than), types.UID(tt.other)); got != tt.want {
			t.Errorf("%s: %v", sentence, got)
		}
	}
}

// What was not launched, or not measured, has no time of measurement.
func TestMeasuredAt(t *testing.T) {
	pass, fail, failed := v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictError
	launched := func(v v1alpha1.Verdict, minute int) v1alpha1.Attempt {
		return v1alpha1.Attempt{Verdict: v, LaunchTime: new(at(minute)), Configuration: string(v)}
	}
	for sentence, tt := range map[string]struct {
		attempts      []v1alpha1.Attempt
		want          metav1.Time
		configuration string
	}{
		"none":                            {nil, metav1.Time{}, ""},
		"the last that was measured":      {[]v1alpha1.Attempt{launched(fail, 1), launched(pass, 3), launched(failed, 5)}, at(3), "Pass"},
		"in whatever order they are kept": {[]v1alpha1.Attempt{launched(pass, 3), launched(fail, 1)}, at(3), "Fail"},
		"none that was measured":          {[]v1alpha1.Attempt{launched(failed, 5)}, metav1.Time{}, ""},
		"one without a time":              {[]v1alpha1.Attempt{{Verdict: pass, Configuration: "c"}}, metav1.Time{}, "c"},
	} {
		b := &v1alpha1.BenchmarkResult{Attempts: tt.attempts}
		if got := MeasuredAt(b); !got.Equal(&tt.want) {
			t.Errorf("%s: measured at %v, want %v", sentence, got, tt.want)
		}
		if got := Configuration(b); got != tt.configuration {
			t.Errorf("%s: configuration %q, want %q", sentence, got, tt.configuration)
		}
	}
}

// Of more benchmarks than the API holds, those of the latest run stay, then those measured last.
func TestTheOldestBenchmarksAreForgotten(t *testing.T) {
	var nv Known
	names := func(prefix string, n int) []string {
		var all []string
		for i := range n {
			all = append(all, prefix+string(rune('a'+i/26))+string(rune('a'+i%26)))
		}
		return all
	}
	old, kept, current := names("old-", 30), names("kept-", 40), names("now-", 24)
	nv = Next(nv, story(node("u1"), 1, v1alpha1.VerdictPass, old...))
	nv = Next(nv, story(node("u1"), 5, v1alpha1.VerdictPass, kept...))
	nv = Next(nv, story(node("u1"), 9, v1alpha1.VerdictPass, current...))
	var got []string
	for _, b := range nv.Validation.Benchmarks {
		got = append(got, b.Name)
	}
	if diff := cmp.Diff(slices.Concat(current, kept), got); diff != "" {
		t.Errorf("benchmarks (-want +got):\n%s", diff)
	}
	late := Next(nv, story(node("u1"), 3, v1alpha1.VerdictPass, "judged-late"))
	if n := len(late.Validation.Benchmarks); n != maxBenchmarks || late.Validation.Benchmarks[0].Name != "judged-late" {
		t.Errorf("%d benchmarks, the first is %s: a benchmark of the run that is judged stays, though it was measured earlier", n, late.Validation.Benchmarks[0].Name)
	}
}

// TestWhatKeepsAGateShutIsForgottenLast: 40 and then 40 other benchmarks pass since a run failed the node by its own terms alone, or nothing could judge it.
func TestWhatKeepsAGateShutIsForgottenLast(t *testing.T) {
	own := story(node("u1"), 1, v1alpha1.VerdictFail, "hbm")
	own.Benchmarks = map[string]Benchmark{"hbm": {OwnTerms: true, Asked: "own"}}
	for sentence, first := range map[string]Judgement{"it failed": own, "nothing could judge it": unproved(1, v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged)} {
		nv := Next(Known{}, first)
		for minute := range 2 {
			var all []string
			for i := range 40 {
				all = append(all, fmt.Sprintf("b%d-%02d", minute, i))
			}
			nv = Next(nv, story(node("u1"), minute+2, v1alpha1.VerdictPass, all...))
		}
		if len(nv.Validation.Benchmarks) != maxBenchmarks || nv.Validation.Benchmark("hbm") == nil {
			t.Errorf("%s: of %d benchmarks none says so", sentence, len(nv.Validation.Benchmarks))
		}
	}
}

// What a node has is told by newer entries once they held as much.
func TestHeldRulesArePruned(t *testing.T) {
	held := v1alpha1.HeldRule{Metric: "triad", Rule: "Min", Limit: "90", Value: "95", Parts: 4, AsCatalogued: true}
	other := held
	other.Metric = "copy"
	run := func(minute int, rules ...v1alpha1.HeldRule) Judgement {
		j := story(node("u1"), minute, v1alpha1.VerdictPass, "hbm")
		j.Benchmarks = map[string]Benchmark{"hbm": {Held: rules}}
		return j
	}
	nv := Next(Next(Known{}, run(1, held, other)), run(5, held))
	kept := nv.History.Benchmarks[0].Held
	if diff := cmp.Diff([][]v1alpha1.HeldRule{{other}, {held}}, [][]v1alpha1.HeldRule{kept[0].Rules, kept[1].Rules}); diff != "" {
		t.Errorf("held rules, oldest first (-want +got):\n%s", diff)
	}
	nv = Next(nv, run(7, other))
	if kept = nv.History.Benchmarks[0].Held; len(kept) != 2 || kept[0].RunUID != "run5" || kept[1].RunUID != "run7" {
		t.Errorf("what the first run held, newer ones held: %+v", kept)
	}
}

// A driver's version is as long as its labels tell it without a gap.
func TestDriver(t *testing.T) {
	for want, labels := range map[string]map[string]string{
		"580.82.07":  {labelsDriver[0]: "580", labelsDriver[1]: "82", labelsDriver[2]: "07"},
		"580.82":     {labelsDriver[0]: "580", labelsDriver[1]: "82"},
		"580":        {labelsDriver[0]: "580", labelsDriver[2]: "07"},
		"":           {labelsDriver[1]: "82", labelsDriver[2]: "07"},
		"580.105.08": {labelDriverFull: "580.105.08", labelsDriver[0]: "580", labelsDriver[1]: "82"},
	} {
		if got := driverOf(labels); got != want {
			t.Errorf("driver(%v) = %q, want %q", labels, got, want)
		}
	}
}
