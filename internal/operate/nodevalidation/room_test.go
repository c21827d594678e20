package nodevalidation

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// half of what etcd takes.
const mostOfObject = 768 << 10

// hostile is a text of so many characters that JSON makes the most of.
func hostile(r *rand.Rand, most int) string {
	alphabet := []string{"<", "\x01", "\"", "é", "x", "&", "\u2028"}
	return strings.Repeat(alphabet[r.IntN(len(alphabet))], most/3) + fmt.Sprint(r.IntN(1000))
}

// greatest is a run whose programs say as much as the API takes, of as many benchmarks.
func greatest(r *rand.Rand, minute int) Judgement {
	verdicts := []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictError}
	var names []string
	for b := range 64 {
		names = append(names, fmt.Sprintf("benchmark-%02d", b))
	}
	j := story(node("u1"), minute, verdicts[minute%2], names...)
	j.Run.UID = types.UID(fmt.Sprintf("run-%03d", minute))
	j.Benchmarks = map[string]Benchmark{}
	var held []v1alpha1.HeldRule
	var cleared []v1alpha1.PartReference
	for i := range 128 {
		rule := v1alpha1.HeldRule{Metric: fmt.Sprintf("m%d%s", i, hostile(r, 120)), Rule: "DataCheck", Limit: "1", Value: "1"}
		for range 16 {
			rule.Kinds = append(rule.Kinds, v1alpha1.HeldValue{Kind: hostile(r, 360), Value: "1"})
		}
		held, cleared = append(held, rule), append(cleared, v1alpha1.PartReference{Metric: hostile(r, 180), At: hostile(r, 360)})
	}
	for i := range j.Result.Benchmarks {
		b := &j.Result.Benchmarks[i]
		b.Message, b.Headline = hostile(r, 3000), nil
		if b.Verdict = verdicts[r.IntN(3)]; b.Verdict == v1alpha1.VerdictError {
			b.Reason, b.Attempts[0].Verdict = hostile(r, 180), b.Verdict
		}
		for k := range 32 {
			b.Headline = append(b.Headline, v1alpha1.HeadlineValue{Metric: fmt.Sprintf("%d%s", k, hostile(r, 150)), Unit: hostile(r, 90), Value: "1"})
		}
		found := Benchmark{Held: held, Cleared: cleared}
		if i%8 == minute%8 {
			one := wide(minute, 1, 2, 300, hostile(r, 300))
			b.Attempts[0].Measurements, found.Metrics = one.Result.Benchmarks[0].Attempts[0].Measurements, one.Benchmarks["b00"].Metrics
		}
		j.Benchmarks[b.Name] = found
	}
	return j
}

func sizeOfJSON(t *testing.T, nv any) int {
	t.Helper()
	text, err := json.Marshal(nv)
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}

// TestTheGreatestRecord: whatever programs say, what is known of a node fits into one object, with the newest convictions, and looking again
// changes nothing.
func TestTheGreatestRecord(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var nv Known
	for minute := range 8 {
		j := greatest(r, minute+1)
		nv = Next(nv, j)
		var own []v1alpha1.Conviction
		for _, b := range j.Result.Benchmarks {
			for i := range 20 {
				c := conviction(b.Name, "DataCheck", j.Run.Name, minute+1)
				c.Run.UID, c.Metric, c.At, c.Expected, c.Unit = j.Run.UID, fmt.Sprintf("%d%s", i, hostile(r, 150)), hostile(r, 360), hostile(r, 360), hostile(r, 90)
				own = append(own, c)
			}
		}
		own = Listed(own)
		nv.Validation.Convictions = Convict(nv.Standing(j.Run.UID, own), own)
		for _, o := range []any{nv.Validation, nv.History} {
			if size := sizeOfJSON(t, o); size > mostOfObject {
				t.Fatalf("run %d: the %T takes %d bytes, want at most %d", minute+1, o, size, mostOfObject)
			}
		}
		if again := Next(nv, j); !reflect.DeepEqual(nv, again) {
			t.Fatalf("run %d: looking again changes the record:\n%s", minute+1, cmp.Diff(nv, again))
		}
	}
	t.Logf("%d bytes, %d benchmarks, %d convictions", sizeOfJSON(t, nv.History), len(nv.Validation.Benchmarks), len(nv.Validation.Convictions))
	if len(nv.Validation.Convictions) < 32 || Speaker(nv.Validation) != "run-008" {
		t.Errorf("%d convictions, the newest by %s; want those of the last run", len(nv.Validation.Convictions), Speaker(nv.Validation))
	}
	if len(nv.Validation.Benchmarks) < 16 {
		t.Errorf("only %d benchmarks are left", len(nv.Validation.Benchmarks))
	}
}

// TestOneProgramLeavesTheOthersConvicted: a run that fails by hundreds of checks has a few convictions, and says how many more there are.
func TestOneProgramLeavesTheOthersConvicted(t *testing.T) {
	older := conviction("zzz", "Min", "run1", 1)
	var own []v1alpha1.Conviction
	for i := range 300 {
		c := conviction("hbm", "DataCheck", "run5", 5)
		c.Metric = fmt.Sprintf("check%03d", i)
		own = append(own, c)
	}
	listed := Listed(own)
	if len(listed) != 16 || listed[0].Metric != "check000" || listed[15].More != 284 {
		t.Fatalf("%d are listed, from %s, and %d more; want 16, from check000, and 284 more", len(listed), listed[0].Metric, listed[len(listed)-1].More)
	}
	if got := Convict([]v1alpha1.Conviction{older}, listed); len(got) != 17 || got[16].Benchmark != "zzz" {
		t.Errorf("%d convictions stand, the last by %s; want 17, and the older one among them", len(got), got[len(got)-1].Benchmark)
	}
}

// TestTheNewestConvictionsStay: where there is no room for all, the oldest go, whatever their benchmarks are called.
func TestTheNewestConvictionsStay(t *testing.T) {
	var standing []v1alpha1.Conviction
	for i := range 128 {
		standing = append(standing, conviction(fmt.Sprintf("a%03d", i), "Min", fmt.Sprintf("run%d", i), i))
	}
	got := Convict(standing, []v1alpha1.Conviction{conviction("zzz", "Min", "run200", 200)})
	if len(got) != 128 || got[127].Benchmark != "zzz" || got[0].Benchmark != "a001" {
		t.Errorf("%d convictions, from %s to %s; want 128, from a001 to zzz", len(got), got[0].Benchmark, got[len(got)-1].Benchmark)
	}
}

// TestRoomForWhatConvicted: a program that reports more checks than there is room for still refutes what it was convicted of.
func TestRoomForWhatConvicted(t *testing.T) {
	j := story(node("u1"), 7, v1alpha1.VerdictPass, "hbm")
	var held []v1alpha1.HeldRule
	for i := range 300 {
		held = append(held, v1alpha1.HeldRule{Metric: fmt.Sprintf("check%03d", i), Rule: "DataCheck"})
	}
	j.Benchmarks = map[string]Benchmark{"hbm": {Held: held}}
	nv := Next(Known{}, story(node("u1"), 1, v1alpha1.VerdictFail, "hbm"))
	c := conviction("hbm", "DataCheck", "run1", 1)
	c.Metric, c.AsCatalogued, c.Limit, c.Bound = "check299", true, "", ""
	nv.Validation.Convictions = []v1alpha1.Conviction{c}
	nv = Next(nv, j)
	kept := nv.History.Benchmarks[0].Held
	e := kept[len(kept)-1]
	if size := len(e.Rules); size > 128 || int(e.More)+size != 300 {
		t.Errorf("%d rules are held, and %d more; want at most 128, and 300 together", size, e.More)
	}
	if ok, why := nv.Refuted(&c); !ok {
		t.Errorf("not refuted: %s", why)
	}
}

// TestWhatThereIsNoRoomForLast: first comes what convicted, then that the data was right, then what the Benchmark asks, and last the checks that a program
// names as it likes. As much as there is room for stays as it is.
func TestWhatThereIsNoRoomForLast(t *testing.T) {
	checks := func(n int) (all []v1alpha1.HeldRule) {
		for i := range n {
			all = append(all, v1alpha1.HeldRule{Metric: fmt.Sprintf("check%03d", i), Rule: "DataCheck"})
		}
		return all
	}
	others := []v1alpha1.HeldRule{{Metric: "triad", Rule: "Min"}, {Rule: "DataCheck"}, {Metric: "ecc", Rule: "DataCheck"}}
	convicted := []v1alpha1.Conviction{{Metric: "ecc", Rule: "DataCheck"}}
	long := strings.Repeat("x", 1000)
	for sentence, c := range map[string]struct {
		held []v1alpha1.HeldRule
		want string // the first four
		kept int
		more int32
	}{
		"room for all":                        {append(checks(125), others...), "check000 check001 check002 check003", 128, 0},
		"one too many":                        {append(checks(126), others...), "ecc  triad check000", 128, 1},
		"many too many":                       {append(checks(300), others...), "ecc  triad check000", 128, 175},
		"few, with names too long to have":    {append([]v1alpha1.HeldRule{{Metric: long + "1", Rule: "DataCheck"}, {Metric: long + "2", Rule: "Min"}}, others...), long + "1 " + long + "2 triad ", 5, 0},
		"more such names than there is room":  {slices.Concat(slices.Repeat([]v1alpha1.HeldRule{{Metric: long, Rule: "DataCheck"}}, 20), others), "ecc  triad " + long, 17, 6},
		"kinds of parts without room are cut": {[]v1alpha1.HeldRule{{Metric: "a", Rule: "Min", Kinds: slices.Repeat([]v1alpha1.HeldValue{{Kind: long, Value: "1"}}, 20)}}, "a", 1, 0},
	} {
		kept, more := mostHeld(c.held, convicted)
		var first []string
		for _, h := range kept[:min(4, len(kept))] {
			first = append(first, h.Metric)
			if len(h.Kinds) > 1 {
				t.Errorf("%s: %d kinds of %s", sentence, len(h.Kinds), h.Metric)
			}
		}
		if got := strings.Join(first, " "); got != c.want || len(kept) != c.kept || more != c.more {
			t.Errorf("%s: %d are kept and %d more, the first %q; want %d, %d, %q", sentence, len(kept), more, got, c.kept, c.more, c.want)
		}
	}
}

// TestOwnTermsProveNothing: what failed a run's own terms alone is in the history as such. It is no proof, and no offence.
func TestOwnTermsProveNothing(t *testing.T) {
	passed, failed := story(node("u1"), 1, v1alpha1.VerdictPass, "hbm"), story(node("u1"), 5, v1alpha1.VerdictFail, "hbm")
	failed.Benchmarks = map[string]Benchmark{"hbm": {OwnTerms: true}}
	nv := Next(Next(Known{}, passed), failed)
	if nv.Validation.Proof.Run.Name != "run1" || nv.Validation.OffenceCount != 0 || nv.Validation.LastRun.Name != "run5" || !nv.Validation.Benchmarks[0].History[1].OwnTerms {
		t.Errorf("proof %+v, %d offences, last run %s, entry %+v", nv.Validation.Proof, nv.Validation.OffenceCount, nv.Validation.LastRun.Name, nv.Validation.Benchmarks[0].History[1])
	}
}
