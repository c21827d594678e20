package nodevalidation

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func conviction(benchmark, rule string, run string, minute int) v1alpha1.Conviction {
	return v1alpha1.Conviction{Benchmark: benchmark, Metric: "triad", Rule: rule, At: "gpu3",
		RuleNumbers: v1alpha1.RuleNumbers{Unit: "GB/s", Value: "50", Bound: "90", Limit: "90"},
		Run:         v1alpha1.ObjectReference{Name: run, UID: types.UID(run)}, MeasuredAt: at(minute)}
}

func TestConvict(t *testing.T) {
	a, b := conviction("hbm", "Min", "run1", 1), conviction("hbm", "FleetDeviation", "run1", 1)
	newer, older := conviction("hbm", "Min", "run5", 5), conviction("hbm", "Min", "run0", 0)
	softer := newer
	softer.Limit, softer.Bound = "60", "60"
	softerOlder, harder := older, newer
	softerOlder.Limit, harder.Limit = "60", "95"
	more, fewer := newer, newer
	more.Parts, fewer.Parts = 2, 1
	more.Run, more.MeasuredAt = a.Run, a.MeasuredAt
	fleet, nearer, farther := b, conviction("hbm", "FleetDeviation", "run5", 5), conviction("hbm", "FleetDeviation", "run5", 5)
	fleet.Limit, nearer.Limit, farther.Limit = "0.05", "0.05", "0.05"
	nearer.Bound, farther.Bound = "95", "85"
	again := func(c v1alpha1.Conviction) v1alpha1.Conviction { c.Again = true; return c }
	tests := map[string]struct {
		standing, added, want []v1alpha1.Conviction
	}{
		"the first":                                                    {nil, []v1alpha1.Conviction{a}, []v1alpha1.Conviction{a}},
		"one by another rule is added":                                 {[]v1alpha1.Conviction{a}, []v1alpha1.Conviction{b}, []v1alpha1.Conviction{b, a}},
		"the newer one replaces":                                       {[]v1alpha1.Conviction{a}, []v1alpha1.Conviction{newer}, []v1alpha1.Conviction{again(newer)}},
		"its run says it once more":                                    {[]v1alpha1.Conviction{again(newer)}, []v1alpha1.Conviction{newer}, []v1alpha1.Conviction{again(newer)}},
		"an older one does not":                                        {[]v1alpha1.Conviction{newer}, []v1alpha1.Conviction{older}, []v1alpha1.Conviction{newer}},
		"a softer one, older":                                          {[]v1alpha1.Conviction{newer}, []v1alpha1.Conviction{softerOlder}, []v1alpha1.Conviction{newer}},
		"a softer one stands beside it":                                {[]v1alpha1.Conviction{a}, []v1alpha1.Conviction{softer}, []v1alpha1.Conviction{a, softer}},
		"a newer one on fewer parts, too":                              {[]v1alpha1.Conviction{more}, []v1alpha1.Conviction{fewer}, []v1alpha1.Conviction{more, fewer}},
		"a harder one, older, stands, too":                             {[]v1alpha1.Conviction{softer}, []v1alpha1.Conviction{a}, []v1alpha1.Conviction{a, softer}},
		"a harder one, newer, replaces":                                {[]v1alpha1.Conviction{a}, []v1alpha1.Conviction{harder}, []v1alpha1.Conviction{again(harder)}},
		"a newer one with a lower bound of the fleet stands beside it": {[]v1alpha1.Conviction{fleet}, []v1alpha1.Conviction{farther}, []v1alpha1.Conviction{fleet, farther}},
		"a newer one with a higher bound of the fleet replaces":        {[]v1alpha1.Conviction{fleet}, []v1alpha1.Conviction{nearer}, []v1alpha1.Conviction{again(nearer)}},
		"the same again changes nothing":                               {[]v1alpha1.Conviction{b, a}, []v1alpha1.Conviction{a, b}, []v1alpha1.Conviction{b, a}},
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

// TestRefuted: only a later measurement in which the rule held refutes a conviction, whichever run is judged first.
func TestRefuted(t *testing.T) {
	n := node("u1")
	c := conviction("hbm", "Min", "run5", 5)
	c.AsCatalogued, c.Parts, c.Configuration = true, 4, "c1"
	held := v1alpha1.HeldRule{Metric: "triad", Rule: "Min", Limit: "90", Value: "95", Parts: 4, AsCatalogued: true}
	run := func(minute int, v v1alpha1.Verdict, held ...v1alpha1.HeldRule) Judgement {
		out := story(n, minute, v, "hbm")
		out.Benchmarks = map[string]Benchmark{"hbm": {Held: held}}
		return out
	}
	fewer, weaker, otherRule, otherMetric := held, held, held, held
	fewer.Parts, otherRule.Rule, otherMetric.Metric = 3, "FleetDeviation", "copy"
	weaker.AsCatalogued, weaker.Limit, weaker.Value = false, "10", "50"
	share := held
	share.Rule, share.Limit, share.Value = "FractionOfPeak", "0.5", "50"
	fewerOfShare, ownShare, reached := share, share, share
	fewerOfShare.Parts, ownShare.AsCatalogued, reached.Rule = 3, false, "FractionOfReached"
	tests := map[string]struct {
		runs []Judgement
		want bool
		why  string
	}{
		"held later":               {[]Judgement{run(7, v1alpha1.VerdictPass, held)}, true, ""},
		"held before":              {[]Judgement{run(3, v1alpha1.VerdictPass, held)}, false, ""},
		"not judged":               {[]Judgement{run(7, v1alpha1.VerdictPass)}, false, ""},
		"not measured":             {[]Judgement{run(7, v1alpha1.VerdictError, held)}, false, ""},
		"another rule held":        {[]Judgement{run(7, v1alpha1.VerdictPass, otherRule)}, false, ""},
		"of another metric":        {[]Judgement{run(7, v1alpha1.VerdictPass, otherMetric)}, false, ""},
		"fewer parts":              {[]Judgement{run(7, v1alpha1.VerdictPass, fewer)}, false, "Min of triad was judged at 3 parts, and at 4 when it convicted"},
		"weaker":                   {[]Judgement{run(7, v1alpha1.VerdictPass, weaker)}, false, "this run asked for less: Min of triad 10, convicted by 90"},
		"held, and weaker since":   {[]Judgement{run(7, v1alpha1.VerdictPass, held), run(9, v1alpha1.VerdictPass, weaker)}, true, ""},
		"now a share of the peak":  {[]Judgement{run(7, v1alpha1.VerdictPass, share)}, true, ""},
		"of what others reach":     {[]Judgement{run(7, v1alpha1.VerdictPass, reached)}, true, ""},
		"a share before":           {[]Judgement{run(3, v1alpha1.VerdictPass, share)}, false, ""},
		"a share of fewer parts":   {[]Judgement{run(7, v1alpha1.VerdictPass, fewerOfShare)}, false, ""},
		"a share of a run's own":   {[]Judgement{run(7, v1alpha1.VerdictPass, ownShare)}, false, ""},
		"a share, and it failed":   {[]Judgement{run(7, v1alpha1.VerdictFail, share)}, false, ""},
		"it failed by another one": {[]Judgement{run(7, v1alpha1.VerdictFail, held)}, true, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var nv, reversed Known
			for i := range tt.runs {
				nv, reversed = Next(nv, tt.runs[i]), Next(reversed, tt.runs[len(tt.runs)-1-i])
			}
			if got, why := nv.Refuted(&c); got != tt.want || why != tt.why {
				t.Errorf("got %v, %q; want %v, %q", got, why, tt.want, tt.why)
			}
			if got, _ := reversed.Refuted(&c); got != tt.want {
				t.Errorf("judged in the other order: %v", got)
			}
		})
	}
}

// TestANumberRefutesNoShare: the Benchmark may have the share still, and the peak not have been known.
func TestANumberRefutesNoShare(t *testing.T) {
	c := conviction("hbm", "FractionOfPeak", "run5", 5)
	c.AsCatalogued, c.Parts = true, 4
	for _, rule := range []string{"Min", "FractionOfReached"} {
		later := story(node("u1"), 7, v1alpha1.VerdictPass, "hbm")
		later.Benchmarks = map[string]Benchmark{"hbm": {Held: []v1alpha1.HeldRule{{Metric: "triad", Rule: rule, Limit: "40", Value: "50", Parts: 4, AsCatalogued: true}}}}
		if got, _ := Next(Known{}, later).Refuted(&c); got {
			t.Errorf("%s refutes a conviction by FractionOfPeak", rule)
		}
	}
}

// TestOwnTermsAreRefutedByAnyPass: what a run's own terms convicted, the next pass on the Benchmark's refutes, whichever rules judged it.
func TestOwnTermsAreRefutedByAnyPass(t *testing.T) {
	c, pass := conviction("hbm", "Max", "run5", 5), v1alpha1.HistoryEntry{Time: at(7), RunUID: "run7", Verdict: v1alpha1.VerdictPass}
	refuted := func() bool {
		ok, _ := Known{Validation: &v1alpha1.NodeValidation{Benchmarks: []v1alpha1.BenchmarkState{{Name: "hbm", History: []v1alpha1.HistoryEntry{pass}}}}}.Refuted(&c)
		return ok
	}
	if !refuted() {
		t.Error("it does not refute what only a run's own terms convicted")
	}
	if c.AsCatalogued = true; refuted() {
		t.Error("it refutes what the Benchmark's own terms convicted")
	}
	c.AsCatalogued, pass.OwnExpectations = false, true
	if refuted() {
		t.Error("a pass on other terms of a run's own refutes it")
	}
}

// TestARunWithdrawsWhatItNoLongerSays: its fleet may have grown since it convicted.
func TestARunWithdrawsWhatItNoLongerSays(t *testing.T) {
	own, other := conviction("hbm", "FleetDeviation", "run5", 5), conviction("hbm", "Min", "run3", 3)
	nv := Known{Validation: &v1alpha1.NodeValidation{Convictions: []v1alpha1.Conviction{own, other}}}
	if diff := cmp.Diff([]v1alpha1.Conviction{own, other}, nv.Standing("run5", []v1alpha1.Conviction{own})); diff != "" {
		t.Errorf("it still says so (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Conviction{other}, nv.Standing("run5", nil)); diff != "" {
		t.Errorf("it passes the node now (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Conviction{own, other}, nv.Standing("run9", nil)); diff != "" {
		t.Errorf("another run withdraws nothing (-want +got):\n%s", diff)
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

func TestOutstanding(t *testing.T) {
	c := conviction("hbm", "FleetDeviation", "rack7", 1)
	want := "still counts as unfit: run rack7 convicted it by hbm (FleetDeviation of triad at gpu3: 50 GB/s, bound 90 GB/s), and it was not judged; 2 convictions stand"
	if got := Outstanding([]v1alpha1.Conviction{c, c}, "it was not judged"); got != want {
		t.Errorf("got %q", got)
	}
	c.Rule, c.Metric, c.At, c.Value, c.Bound, c.Expected = "FactUniform", "vbios", "gpu0", "", "", "B1"
	want = "still counts as unfit: run rack7 convicted it by hbm (FactUniform of vbios at gpu0: most nodes had B1), and it was not compared"
	if got := Outstanding([]v1alpha1.Conviction{c}, "it was not compared"); got != want {
		t.Errorf("got %q", got)
	}
	if got := Outstanding(nil, ""); got != "" {
		t.Errorf("nothing is outstanding, but %q", got)
	}
}
