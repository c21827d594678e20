package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/docs"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/golden"
	"github.com/assay-dev/assay/test/testdata"
)

func runs(t *testing.T) []export.Run {
	t.Helper()
	var all []export.Run
	testdata.Node4(&all)
	return all
}

// told is a series on one line: each value with where it is from.
func told(s *Series) string {
	text := fmt.Sprintf("%s %s", s.Metric, s.At)
	if s.Baseline != nil {
		text += fmt.Sprintf(" (%v of %d)", *s.Baseline, s.Passes)
	}
	for _, p := range s.Points {
		from := p.Run
		if from == "" {
			from = p.RunUID
		}
		text += fmt.Sprintf(" %s/%d=%v", from, p.Attempt, p.Value)
	}
	return text
}

// A value that is in the result of a run and in the ring is there once. What is known of one GPU stays its own: GPU-bbbb was replaced by GPU-cccc.
func TestEveryStoredValueIsThereOnce(t *testing.T) {
	h := New("node-4", runs(t))
	var got []string
	for i := range h.Series {
		got = append(got, told(&h.Series[i]))
	}
	want := []string{
		"hbmTriad  rack-1/0=4100",
		"hbmTriad gpu0 (4370 of 6) run-2/0=4370 run-3/0=4371 run-4/0=4369 run-44/0=4370 rack-5/0=4373 rack-6/1=4372 rack-7/1=4368 rack-7/2=4370",
		"hbmTriad gpu1 (4371 of 3) run-44/0=4371 rack-6/1=4369",
		"hbmTriad gpu1 rack-7/1=3600 rack-7/2=3610",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !h.Series[1].Frozen() || h.Series[2].Frozen() {
		t.Error("a baseline is frozen after five passes, and not before")
	}
	if w := h.Series[1].Warnings; len(w) != 1 || !strings.Contains(w[0], "below its own baseline") {
		t.Errorf("warnings %q", w)
	}
}

func TestTheNewestNodeValidationCounts(t *testing.T) {
	all := runs(t)
	old := *all[1].Validations[0].DeepCopy()
	old.ValidatedAt.Time = old.ValidatedAt.AddDate(0, 0, -30)
	old.Benchmarks = nil
	all[0].Validations = append(all[0].Validations, old)
	all = append(all, export.Run{Run: all[0].Run, Validations: all[0].Validations})
	if v, h := Newest("node-4", all); v == nil || len(v.Benchmarks) == 0 || h == nil {
		t.Errorf("got %v", v)
	}
	if v, _ := Newest("node-9", all); v != nil {
		t.Errorf("got %v of a node that is not there", v)
	}
}

// Deleted runs leave what the NodeValidation keeps.
func TestWithoutResults(t *testing.T) {
	all := runs(t)
	all[0].Results, all[1].Results = nil, nil
	h := New("node-4", all)
	var got []string
	for i := range h.Series {
		got = append(got, told(&h.Series[i]))
	}
	want := []string{
		"hbmTriad  rack-1/0=4100 rack-7/0=3605",
		"hbmTriad gpu0 (4370 of 6) run-2/0=4370 run-3/0=4371 run-4/0=4369 run-44/0=4370 rack-5/0=4373 rack-6/0=4372",
		"hbmTriad gpu1 (4371 of 3) run-44/0=4371 rack-6/0=4369",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A benchmark that fails by one part says nothing against the others.
func TestAPartHoldsThatNoRuleNames(t *testing.T) {
	type finding = v1alpha1.Finding
	for name, c := range map[string]struct {
		finding finding
		holds   map[string]bool
	}{
		"one part":            {finding{Metric: "hbmTriad", At: "gpu1", Verdict: v1alpha1.VerdictFail}, map[string]bool{"gpu0": true, "gpu1": false}},
		"the node":            {finding{Metric: "hbmTriad", Verdict: v1alpha1.VerdictFail}, map[string]bool{"gpu0": false, "gpu1": false}},
		"the program":         {finding{Verdict: v1alpha1.VerdictFail}, map[string]bool{"gpu0": false, "gpu1": false}},
		"another metric":      {finding{Metric: "hbmCopy", At: "gpu1", Verdict: v1alpha1.VerdictFail}, map[string]bool{"gpu0": true, "gpu1": true}},
		"a warning of a part": {finding{Metric: "hbmTriad", At: "gpu0", Verdict: v1alpha1.VerdictWarning}, map[string]bool{"gpu0": true, "gpu1": true}},
		"a part not measured": {finding{Metric: "hbmTriad", At: "gpu2", Verdict: v1alpha1.VerdictMissing}, map[string]bool{"gpu0": true, "gpu1": true}},
		"a part not reported": {finding{Metric: "hbmTriad", At: "gpu1", Verdict: v1alpha1.VerdictMissing}, map[string]bool{"gpu0": true, "gpu1": false}},
	} {
		t.Run(name, func(t *testing.T) {
			all := runs(t)[1:]
			all[0].Results[0].Benchmarks[0].Findings = []finding{c.finding}
			h := New("node-4", all)
			got := map[string]bool{}
			for i := range h.Series {
				if p := h.Series[i].Last(); p.Run == "rack-7" && p.Attempt > 0 {
					got[h.Series[i].At] = p.Holds()
				}
			}
			if diff := cmp.Diff(c.holds, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, s := range New("node-4", runs(t)).Series {
		for _, p := range s.Points {
			if p.Run != "rack-7" && p.Holds() {
				t.Errorf("%s of run %s, %s, is said to hold", s.At, p.Run, p.Verdict)
			}
		}
	}
}

func TestChangeFromTheBaseline(t *testing.T) {
	h := New("node-4", runs(t))
	if got := h.Series[1].ChangeOf(4348.15); got == nil || *got > -0.4999 || *got < -0.5001 {
		t.Errorf("got %v, want -0.5", got)
	}
	if got := h.Series[3].Change(); got != nil {
		t.Errorf("a part without a baseline changed by %v", *got)
	}
}

func TestJSONDocument(t *testing.T) {
	text, err := json.MarshalIndent(New("node-4", runs(t)), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "node-4.json", string(text))
	if got, _ := json.Marshal(New("node-9", nil)); !bytes.Contains(got, []byte(`"series":[]`)) {
		t.Errorf("of a node that is not known: %s", got)
	}
}

func TestSparkline(t *testing.T) {
	of := func(values ...float64) string {
		s := Series{}
		for _, v := range values {
			s.Points = append(s.Points, Point{Value: v})
		}
		return s.Sparkline()
	}
	for want, values := range map[string][]float64{"▁█": {1, 2}, "▄▄▄": {3, 3, 3}, "█▅▁": {10, 6, 1}, "▄": {7}} {
		if got := of(values...); got != want {
			t.Errorf("%v: got %s, want %s", values, got, want)
		}
	}
	if got := []rune(of(make([]float64, 100)...)); len(got) != mostBars {
		t.Errorf("%d bars", len(got))
	}
}

func TestEveryFieldIsDocumented(t *testing.T) {
	page, err := docs.Pages.ReadFile("history.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[History](), reflect.TypeFor[Series](), reflect.TypeFor[Point]()} {
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if name != "schema" && !regexp.MustCompile("[`.]"+name+"[`\\[]").Match(page) {
				t.Errorf("docs/history.md says nothing of the field %s", name)
			}
		}
	}
}
