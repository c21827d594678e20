package nodevalidation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// before is what is known of a node after some runs, as an earlier version had it: all of it in one object, and the history that is read of it.
func before(runs ...Judgement) (*v1alpha1.NodeValidation, *v1alpha1.NodeHistory) {
	k := after(runs...)
	v, h := k.Validation.DeepCopy(), k.History
	v.NodeHistory = nil
	for i := range v.Benchmarks { // it kept all entries
		machine := v.Benchmarks[i].History[len(v.Benchmarks[i].History)-1].Machine
		v.Benchmarks[i].History = h.Benchmark(v.Benchmarks[i].Name).DeepCopy().Entries
		v.Benchmarks[i].History[len(v.Benchmarks[i].History)-1].Machine = machine
	}
	return v, h
}

// TestMoved: an object of an earlier version is split into what this one would have stored, once and again.
func TestMoved(t *testing.T) {
	want := after(passing(12)...)
	v, h := before(passing(12)...)
	got := Moved(v, h, nil)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(got, Moved(v, h, got.History)); diff != "" {
		t.Errorf("moved once more, after a stop between the two writes (-once +twice):\n%s", diff)
	}
}

// TestMovedAfterARollback: what the earlier version measured meanwhile, without the past, joins what was measured before.
func TestMovedAfterARollback(t *testing.T) {
	runs := passing(9)
	want, kept := after(runs...), after(runs[:6]...)
	v, h := before(runs[6:]...)
	got := Moved(v, h, kept.History)
	if diff := cmp.Diff(want.History, got.History); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	another := kept.History.DeepCopy()
	another.NodeUID = "another"
	if got = Moved(v, h, another); len(got.History.Benchmarks[0].Entries) != 3 || got.History.NodeUID != "u1" {
		t.Errorf("what another machine of the name reached is kept: %+v", got.History)
	}
}

// TestMovedAfterAnyRollback: whatever was measured of which parts, in which configurations, before and after, it comes to what one version would have kept.
func TestMovedAfterAnyRollback(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 29))
		var runs []Judgement
		for i := range 2 + r.IntN(8) {
			gpus := []string{"A=%d", "A=%d B=90", "B=%d", "A=%d C=80 B=85"}[r.IntN(4)]
			j := measuring(i+1, []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictPass, v1alpha1.VerdictPass, v1alpha1.VerdictFail}[r.IntN(4)], fmt.Sprintf(gpus, 100+r.IntN(9)))
			j.Result.Benchmarks[0].Attempts[0].Configuration = fmt.Sprint("c", r.IntN(1+int(seed%6)))
			runs = append(runs, j)
		}
		at := 1 + r.IntN(len(runs)-1)
		v, h := before(runs[at:]...)
		want := after(runs...).History
		v.OffenceCount = want.OffenceCount // it went on counting
		got := Moved(v, h, after(runs[:at]...).History).History
		if seed%6 >= maxConfigurations { // each version has forgotten others for want of room
			if passes := got.Benchmark("hbm").Passes; len(passes) > maxConfigurations || !slices.IsSortedFunc(passes, byNewestRun) {
				t.Fatalf("seed %d: %d configurations are kept, or not in order of time: %+v", seed, len(passes), passes)
			}
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d, %d of %d runs after the rollback (-want +got):\n%s", seed, len(runs)-at, len(runs), diff)
		}
	}
}

// TestWhatIsKnownOfARunStays: an earlier version may have judged it by less.
func TestWhatIsKnownOfARunStays(t *testing.T) {
	holding := func(metrics ...string) Judgement {
		j, of := story(node("u1"), 1, v1alpha1.VerdictPass, "hbm"), Benchmark{}
		for _, m := range metrics {
			of.Held = append(of.Held, v1alpha1.HeldRule{Metric: m, Rule: "Min", Limit: "90", Value: "95"})
		}
		j.Benchmarks = map[string]Benchmark{"hbm": of}
		return j
	}
	v, h := before(holding("triad", "old"))
	stored := after(holding("triad", "copy")).History
	if diff := cmp.Diff(stored.Benchmarks[0].Held, Moved(v, h, stored).History.Benchmarks[0].Held); diff != "" {
		t.Errorf("held (-want +got):\n%s", diff)
	}
}

// TestAStopBetweenTheTwoWrites: the history has a run that the state does not know. The run goes on as if nothing had been.
func TestAStopBetweenTheTwoWrites(t *testing.T) {
	first, second := story(node("u1"), 1, v1alpha1.VerdictPass, "hbm"), story(node("u1"), 5, v1alpha1.VerdictFail, "hbm")
	old := after(first)
	want := Next(old, second)
	if diff := cmp.Diff(want, Next(Known{old.Validation, want.History}, second)); diff != "" {
		t.Errorf("(-without a stop +with one):\n%s", diff)
	}
	if diff := cmp.Diff(want, Next(Next(Known{old.Validation, want.History}, first), second)); diff != "" {
		t.Errorf("another run is judged in between (-without a stop +with one):\n%s", diff)
	}
}

// TestALostHistoryIsNoted, with what is lost: until when measurements are missing. It is as good as new for what is measured later.
func TestALostHistoryIsNoted(t *testing.T) {
	k := after(story(node("u1"), 5, v1alpha1.VerdictPass, "hbm"))
	k.Validation.NodeHistory.UID = "lost"
	older, newer := conviction("hbm", "Min", "run3", 3), conviction("hbm", "Min", "run9", 9)
	if k.Forgotten(&older) {
		t.Error("nothing is forgotten yet")
	}
	next := Next(Known{k.Validation, nil}, story(node("u1"), 3, v1alpha1.VerdictFail, "hbm"))
	if until := next.Validation.NodeHistory.IncompleteUntil; !until.Equal(new(at(5))) || next.Validation.NodeHistory.UID != "" {
		t.Errorf("it refers to %+v", next.Validation.NodeHistory)
	}
	if !next.Forgotten(&older) || next.Forgotten(&newer) {
		t.Error("what may have refuted the older conviction is forgotten, and nothing that is newer")
	}
	if len(next.Validation.Benchmarks[0].History) != 1 || next.Validation.Benchmarks[0].History[0].RunUID != "run5" {
		t.Errorf("the proof is lost: %+v", next.Validation.Benchmarks[0].History)
	}
}

// TestADeletedStateStaysDeleted: what was proved is not taken from the history again.
func TestADeletedStateStaysDeleted(t *testing.T) {
	k := after(story(node("u1"), 1, v1alpha1.VerdictPass, "hbm", "p2p"), story(node("u1"), 2, v1alpha1.VerdictFail, "hbm"))
	next := Next(Known{nil, k.History}, story(node("u1"), 5, v1alpha1.VerdictFail, "hbm"))
	if h := next.Validation.Benchmarks[0].History; len(h) != 1 || h[0].RunUID != "run5" {
		t.Errorf("proved are %+v", h)
	}
	if n := len(next.History.Benchmarks[0].Entries); n != 3 || len(next.History.Benchmarks) != 2 || next.History.OffenceCount != 2 {
		t.Errorf("the history is %+v, want 3 entries, the other benchmark's, and 2 offences", next.History)
	}
	if again := Next(Known{nil, next.History}, story(node("u1"), 2, v1alpha1.VerdictFail, "hbm")); again.History.OffenceCount != 2 {
		t.Errorf("an offence counts again where the state is not stored: %d, want 2", again.History.OffenceCount)
	}
}
