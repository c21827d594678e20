package nodevalidation

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var triad = v1alpha1.Metric{Name: "triad", Unit: "GB/s", Headline: true}

// measuring is a run that measured the GPUs with these UUIDs, in the order of their indices: "A=100 B=99".
func measuring(minute int, v v1alpha1.Verdict, gpus string) Judgement {
	j := story(node("u1"), minute, v, "hbm")
	a := &j.Result.Benchmarks[0].Attempts[0]
	got := v1alpha1.Measurement{Name: "triad", Unit: "GB/s"}
	a.Devices = nil
	for i, gpu := range strings.Fields(gpus) {
		uuid, value, _ := strings.Cut(gpu, "=")
		a.Devices = append(a.Devices, v1alpha1.Device{Index: int32(i), UUID: uuid})
		got.Parts = append(got.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", i), Value: v1alpha1.Decimal(value)})
	}
	a.Measurements = []v1alpha1.Measurement{got}
	j.Benchmarks = map[string]Benchmark{"hbm": {Metrics: []v1alpha1.Metric{triad}}}
	return j
}

func after(runs ...Judgement) Known {
	var nv Known
	for _, r := range runs {
		nv = Next(nv, r)
	}
	return nv
}

// told is a history in short: one line per part, with its baseline and its values.
func told(nv Known) []string {
	var out []string
	for _, p := range nv.History.Benchmarks[0].Passes {
		for _, m := range p.Metrics {
			for _, part := range m.Parts {
				line := fmt.Sprintf("%s %s %d x, %s:", part.At, part.Identity, part.Passes, part.Baseline)
				for _, value := range part.Recent {
					line += " " + string(value)
				}
				out = append(out, line)
			}
		}
	}
	return out
}

// passing makes so many passing runs of one GPU, from the third minute on.
func passing(n int) (runs []Judgement) {
	for i := range n {
		runs = append(runs, measuring(i+2, v1alpha1.VerdictPass, fmt.Sprintf("A=%d", 102+i)))
	}
	return runs
}

func TestWhatPartsReachedInPassingRuns(t *testing.T) {
	pass, fail := v1alpha1.VerdictPass, v1alpha1.VerdictFail
	var dozen []Judgement
	for i := range 12 {
		dozen = append(dozen, measuring(i, pass, fmt.Sprintf("A=%d", 100+i)))
	}
	for sentence, c := range map[string]struct {
		runs []Judgement
		want []string
	}{
		"every part has a history of its own": {
			[]Judgement{measuring(1, pass, "A=100 B=90"), measuring(2, pass, "A=102 B=91")},
			[]string{`gpu0  2 x, 101: 100 102`, `gpu1  2 x, 90.5: 90 91`},
		},
		"what failed never enters": {
			[]Judgement{measuring(1, pass, "A=100"), measuring(2, fail, "A=80"), measuring(3, v1alpha1.VerdictInconclusive, "A=70")},
			[]string{`gpu0  1 x, 100: 100`},
		},
		"a run that fails its node once its fleet had grown leaves": {
			[]Judgement{measuring(1, pass, "A=100"), measuring(2, pass, "A=90"), measuring(2, fail, "A=90")},
			[]string{`gpu0  1 x, 100: 100`},
		},
		"the baseline is that of the first five, the ring has the last ten": {
			dozen, []string{`gpu0  12 x, 102: 102 103 104 105 106 107 108 109 110 111`},
		},
		"one fast value among the first does not shift the baseline": {
			[]Judgement{measuring(1, pass, "A=150"), measuring(2, pass, "A=100"), measuring(3, pass, "A=101"), measuring(4, pass, "A=100"), measuring(5, pass, "A=100")},
			[]string{`gpu0  5 x, 100: 150 100 101 100 100`},
		},
		"what leaves the ring before there is a baseline is forgotten": {
			append([]Judgement{measuring(0, pass, "A=100 B=90"), measuring(1, pass, "A=101 B=80")}, passing(9)...),
			[]string{`gpu0  11 x, 102: 101 102 103 104 105 106 107 108 109 110`, `gpu1 B 1 x, 80: 80 - - - - - - - - -`},
		},
		"a GPU in another slot keeps its history": {
			[]Judgement{measuring(1, pass, "A=100 B=90"), measuring(2, pass, "B=91 A=101")},
			[]string{`gpu0  2 x, 90.5: 90 91`, `gpu1  2 x, 100.5: 100 101`},
		},
		"a GPU that was replaced starts afresh": {
			[]Judgement{measuring(1, pass, "A=100 B=90"), measuring(2, pass, "A=101 C=95")},
			[]string{`gpu0  2 x, 100.5: 100 101`, `gpu1  1 x, 95: 95`, `gpu1 B 1 x, 90: 90 -`},
		},
		"a GPU that comes back is known": {
			[]Judgement{measuring(1, pass, "A=100 B=90"), measuring(2, pass, "B=92"), measuring(3, pass, "A=102 B=94")},
			[]string{`gpu0  2 x, 101: 100 - 102`, `gpu1  3 x, 92: 90 92 94`},
		},
		"without UUIDs the name is all there is": {
			[]Judgement{measuring(1, pass, "=100"), measuring(2, pass, "=102")},
			[]string{`gpu0  2 x, 101: 100 102`},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			if diff := cmp.Diff(c.want, told(after(c.runs...))); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFailuresDisplaceNoPasses: or a node that is failed often enough would forget how good it was.
func TestFailuresDisplaceNoPasses(t *testing.T) {
	var runs []Judgement
	for i := range 3 {
		runs = append(runs, measuring(i, v1alpha1.VerdictPass, "A=100"))
	}
	for i := range 30 {
		runs = append(runs, measuring(10+i, v1alpha1.VerdictFail, "A=85"))
	}
	h := after(runs...).History.Benchmarks[0]
	count := map[v1alpha1.Verdict]int{}
	for _, e := range h.Entries {
		count[e.Verdict]++
	}
	if count[v1alpha1.VerdictPass] != 3 || count[v1alpha1.VerdictFail] != 10 {
		t.Errorf("after 3 passes and 30 failures it has %d passes and %d failures, want 3 and 10", count[v1alpha1.VerdictPass], count[v1alpha1.VerdictFail])
	}
	if diff := cmp.Diff([]string{`gpu0  3 x, 100: 100 100 100`}, told(after(runs...))); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestHistoryInAnyOrder: runs that pass and fail, while GPUs are swapped, replaced and away, judged in any order, again and again.
func TestHistoryInAnyOrder(t *testing.T) {
	pass, fail := v1alpha1.VerdictPass, v1alpha1.VerdictFail
	runs := []Judgement{
		measuring(1, pass, "A=100 B=90"), measuring(2, fail, "A=70 B=90"), measuring(3, pass, "B=91 A=101"), measuring(4, pass, "A=102 C=95"),
		measuring(5, pass, "C=96"), measuring(6, pass, "D=80 C=97"), measuring(7, fail, "A=1 C=1"), measuring(8, pass, "A=104 C=98"),
	}
	other := measuring(9, pass, "A=200 C=190")
	other.Result.Benchmarks[0].Attempts[0].Configuration = "c2"
	runs = append(runs, other)
	want := after(runs...)
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		order := r.Perm(len(runs))
		var nv Known
		for i := range order {
			for _, k := range append(order[:i+1:i+1], order[r.IntN(i+1)]) { // those that are active look again
				nv = Next(nv, runs[k])
			}
		}
		if diff := cmp.Diff(want, nv); diff != "" {
			t.Fatalf("judged in order %v (-in order of measurement +got):\n%s", order, diff)
		}
	}
}

// TestAnOldPassStaysOutOfAFullRing: else its values would come and go with every pass over two active runs.
func TestAnOldPassStaysOutOfAFullRing(t *testing.T) {
	var nv Known
	for i := range 12 {
		nv = Next(nv, measuring(i+1, v1alpha1.VerdictPass, "A=100"))
	}
	if diff := cmp.Diff(nv, Next(nv, measuring(1, v1alpha1.VerdictPass, "A=50"))); diff != "" {
		t.Errorf("an older run than all that are kept changes something:\n%s", diff)
	}
}

// TestFourConfigurationsAreRemembered: the one that was measured longest ago is forgotten.
func TestFourConfigurationsAreRemembered(t *testing.T) {
	var runs []Judgement
	for i, c := range []string{"c1", "c2", "c3", "c4", "c1", "c5"} {
		j := measuring(i, v1alpha1.VerdictPass, "A=100")
		j.Result.Benchmarks[0].Attempts[0].Configuration = c
		runs = append(runs, j)
	}
	var got []string
	for _, p := range after(runs...).History.Benchmarks[0].Passes {
		got = append(got, p.Configuration)
	}
	if diff := cmp.Diff([]string{"c3", "c4", "c1", "c5"}, got); diff != "" {
		t.Errorf("configurations, the newest last (-want +got):\n%s", diff)
	}
}

// TestTheValueOfTheLastAttemptCounts: of a part that was cleared, not the glitch that made it suspect.
func TestTheValueOfTheLastAttemptCounts(t *testing.T) {
	j := measuring(1, v1alpha1.VerdictPass, "A=80")
	again := measuring(2, v1alpha1.VerdictPass, "A=100").Result.Benchmarks[0].Attempts[0]
	erred := again
	erred.Verdict, erred.Measurements = v1alpha1.VerdictError, nil
	j.Result.Benchmarks[0].Attempts = append(j.Result.Benchmarks[0].Attempts, again, erred)
	if diff := cmp.Diff([]string{`gpu0  1 x, 100: 100`}, told(after(j))); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestWhatCouldNotBeJudgedIsRemembered: it is no pass, and yet what a loss is told by.
func TestWhatCouldNotBeJudgedIsRemembered(t *testing.T) {
	var runs []Judgement
	for i, reason := range []string{v1alpha1.ReasonNotJudged, v1alpha1.ReasonNotOverRDMA, v1alpha1.ReasonNotJudged} {
		j := measuring(i+1, v1alpha1.VerdictPass, fmt.Sprintf("A=%d", 100+i))
		b := &j.Result.Benchmarks[0]
		b.Verdict, b.Reason = v1alpha1.VerdictInconclusive, reason
		of := j.Benchmarks["hbm"]
		of.Held = []v1alpha1.HeldRule{{Metric: "triad", Rule: "Regression"}}
		j.Benchmarks["hbm"] = of
		runs = append(runs, j)
	}
	k := after(runs...)
	if diff := cmp.Diff([]string{"gpu0  2 x, 101: 100 102"}, told(k)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	passed := Next(k, measuring(4, v1alpha1.VerdictPass, "A=103"))
	late := measuring(5, v1alpha1.VerdictPass, "A=80")
	late.Result.Benchmarks[0].Verdict, late.Result.Benchmarks[0].Reason = v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged
	if diff := cmp.Diff([]string{"gpu0  3 x, 102: 100 102 103"}, told(Next(passed, late))); diff != "" {
		t.Errorf("once it has passed, only passes count (-want +got):\n%s", diff)
	}
	if k.Validation.Benchmark("hbm").LastPass() != nil {
		t.Error("what nothing could judge passed")
	}
	if held := k.History.Benchmarks[0].Held; len(held) == 0 || held[len(held)-1].RunUID != runs[2].Run.UID {
		t.Errorf("held: %v; what it held refutes what it was convicted of", held)
	}
}

// TestWhatIsRememberedOfAMetric: values are kept where somebody will ask what they were: of headlines, and of what is compared with others or the
// past.
func TestWhatIsRememberedOfAMetric(t *testing.T) {
	for sentence, c := range map[string]struct {
		metric v1alpha1.Metric
		want   bool
	}{
		"a headline":                       {v1alpha1.Metric{Headline: true}, true},
		"no headline, and nothing to meet": {v1alpha1.Metric{}, false},
		"a bound alone":                    {v1alpha1.Metric{Expectation: &v1alpha1.Expectation{Min: "1"}}, false},
		"compared with the fleet":          {v1alpha1.Metric{Expectation: &v1alpha1.Expectation{MaxFleetDeviation: "0.1"}}, true},
		"compared with its past":           {v1alpha1.Metric{Expectation: &v1alpha1.Expectation{MaxRegression: "0.1"}}, true},
	} {
		if got := Remembered(&c.metric); got != c.want {
			t.Errorf("%s: remembered %v, want %v", sentence, got, c.want)
		}
	}
}
