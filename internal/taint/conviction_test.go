package taint

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func conviction(benchmark, rule string, run string, minute int) v1alpha1.Conviction {
	return v1alpha1.Conviction{Benchmark: benchmark, Metric: "triad", Rule: rule, At: "gpu3", Unit: "GB/s", Value: "50", Bound: "90", Limit: "90",
		Run: v1alpha1.ObjectReference{Name: run, UID: types.UID(run)}, MeasuredAt: at(minute)}
}

func TestConvict(t *testing.T) {
	a, b := conviction("hbm", "Min", "run1", 1), conviction("hbm", "FleetDeviation", "run1", 1)
	newer, older := conviction("hbm", "Min", "run5", 5), conviction("hbm", "Min", "run0", 0)
	tests := map[string]struct {
		standing, added, want []v1alpha1.Conviction
	}{
		"the first":                      {nil, []v1alpha1.Conviction{a}, []v1alpha1.Conviction{a}},
		"one by another rule is added":   {[]v1alpha1.Conviction{a}, []v1alpha1.Conviction{b}, []v1alpha1.Conviction{b, a}},
		"the newer one replaces":         {[]v1alpha1.Conviction{a}, []v1alpha1.Conviction{newer}, []v1alpha1.Conviction{newer}},
		"an older one does not":          {[]v1alpha1.Conviction{newer}, []v1alpha1.Conviction{older}, []v1alpha1.Conviction{newer}},
		"the same again changes nothing": {[]v1alpha1.Conviction{b, a}, []v1alpha1.Conviction{a, b}, []v1alpha1.Conviction{b, a}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Convict(tt.standing, tt.added)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	var many []v1alpha1.Conviction
	for i := range 200 {
		many = append(many, conviction(string(rune('a'+i%26))+string(rune('a'+i/26)), "Min", "run1", 1))
	}
	if got := len(Convict(nil, many)); got != 128 {
		t.Errorf("%d convictions, the API holds 128", got)
	}
}

// TestComparable: only a later measurement that passed, and that no other run has overtaken, says anything against a conviction.
func TestComparable(t *testing.T) {
	n := node("u1")
	c := conviction("hbm", "Min", "run5", 5)
	history := func(minutes ...int) *v1alpha1.NodeValidation {
		var nv *v1alpha1.NodeValidation
		for _, m := range minutes {
			nv = NextValidation(nv, story(n, m, v1alpha1.VerdictPass, "hbm"))
		}
		return nv
	}
	tests := map[string]struct {
		minute  int
		verdict v1alpha1.Verdict
		nv      *v1alpha1.NodeValidation
		want    string
	}{
		"later and passed":               {7, v1alpha1.VerdictPass, history(5, 7), ""},
		"measured before the failure":    {3, v1alpha1.VerdictPass, history(3, 5), "this run measured hbm before run run5 did"},
		"not passed":                     {7, v1alpha1.VerdictError, history(5), "this run did not pass hbm"},
		"another one has measured since": {7, v1alpha1.VerdictPass, history(5, 7, 9), "a later run has measured hbm"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			out := story(n, tt.minute, tt.verdict, "hbm")
			if got := Comparable(&c, tt.nv, out.Run.UID, &out.Result.Benchmarks[0]); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSpeaker(t *testing.T) {
	proof := &v1alpha1.Proof{Verdict: v1alpha1.VerdictPass, Run: v1alpha1.ObjectReference{Name: "run9", UID: "run9"}, MeasuredAt: at(9)}
	tests := map[string]struct {
		nv   v1alpha1.NodeValidation
		want types.UID
	}{
		"nobody has proved anything":                      {v1alpha1.NodeValidation{}, ""},
		"the newest proof speaks":                         {v1alpha1.NodeValidation{Proof: proof}, "run9"},
		"unless the node is convicted of something still": {v1alpha1.NodeValidation{Proof: proof, Convictions: []v1alpha1.Conviction{conviction("hbm", "Min", "run5", 5)}}, "run5"},
		"of convictions the newest": {v1alpha1.NodeValidation{Proof: proof, Convictions: []v1alpha1.Conviction{
			conviction("a", "Min", "run5", 5), conviction("b", "Min", "run7", 7), conviction("c", "Min", "run6", 6)}}, "run7"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Speaker(&tt.nv); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestOwed(t *testing.T) {
	c := conviction("hbm", "FleetDeviation", "rack7", 1)
	want := "still counts as unfit: run rack7 convicted it by hbm (FleetDeviation of triad at gpu3: 50 GB/s, bound 90), and it was not judged; 1 more to prove"
	if got := Owed([]v1alpha1.Conviction{c, c}, []string{"it was not judged", "nor this"}); got != want {
		t.Errorf("got %q", got)
	}
	if got := Owed(nil, nil); got != "" {
		t.Errorf("nothing is owed, but %q", got)
	}
}
