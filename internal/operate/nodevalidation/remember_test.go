package nodevalidation

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func node(uid types.UID) *corev1.Node {
	n := &corev1.Node{}
	n.Name, n.UID = "n1", uid
	n.Status.NodeInfo = corev1.NodeSystemInfo{BootID: "boot", KernelVersion: "6.8"}
	n.Labels = map[string]string{labelsDriver[0]: "580", labelsDriver[1]: "82", labelsDriver[2]: "07"}
	return n
}

// story is one run's outcome on a node, at its minute; every benchmark has the run's verdict.
func story(n *corev1.Node, minute int, v v1alpha1.Verdict, benchmarks ...string) Judgement {
	run := fmt.Sprintf("run%d", minute)
	r := &v1alpha1.ValidationResult{Verdict: v, Message: run + " says", Node: v1alpha1.ObjectReference{Name: n.Name, UID: n.UID}}
	for _, b := range benchmarks {
		r.Benchmarks = append(r.Benchmarks, v1alpha1.BenchmarkResult{Name: b, Verdict: v, Message: b + " says",
			Headline: []v1alpha1.HeadlineValue{{Benchmark: b, Metric: "triad", Unit: "GB/s", Value: "4370", Verdict: v}},
			Attempts: []v1alpha1.Attempt{{Number: 1, Verdict: v, LaunchTime: new(at(minute)), Configuration: "c1", Machine: new(MachineOf(n, "", "")), Devices: []v1alpha1.Device{{Index: 0, UUID: "GPU-b"}, {Index: 1, UUID: "GPU-a"}, {Index: 2}}}}})
	}
	return Judgement{Node: n, Run: v1alpha1.ObjectReference{Name: run, UID: types.UID(run)}, Result: r, Time: at(minute)}
}

func TestNextValidation(t *testing.T) {
	got := Next(Known{}, story(node("u1"), 1, v1alpha1.VerdictFail, "hbm"))
	want := &v1alpha1.NodeValidation{
		NodeHistory: &v1alpha1.HistoryReference{},
		Fingerprint: v1alpha1.Fingerprint{NodeUID: "u1", BootID: "boot", Kernel: "6.8", Driver: "580.82.07", DeviceUUIDs: []string{"GPU-a", "GPU-b"}},
		Verdict:     v1alpha1.VerdictFail, Message: "run1 says", LastRun: v1alpha1.ObjectReference{Name: "run1", UID: "run1"},
		ValidatedAt: at(1), MeasuredAt: at(1), OffenceCount: 1,
		Proof: &v1alpha1.Proof{Verdict: v1alpha1.VerdictFail, Run: v1alpha1.ObjectReference{Name: "run1", UID: "run1"}, MeasuredAt: at(1)},
		Benchmarks: []v1alpha1.BenchmarkState{{Name: "hbm", Verdict: v1alpha1.VerdictFail, Message: "hbm says", History: []v1alpha1.HistoryEntry{{
			Run: "run1", RunUID: "run1", Time: at(1), Verdict: v1alpha1.VerdictFail, Configuration: "c1",
			Machine: &v1alpha1.Machine{BootID: "boot", Kernel: "6.8", Driver: "580.82.07"},
			Values:  []v1alpha1.HistoryValue{{Metric: "triad", Unit: "GB/s", Value: "4370"}}}}}},
	}
	want.Name = "n1"
	if diff := cmp.Diff(want, got.Validation); diff != "" {
		t.Errorf("first outcome (-want +got):\n%s", diff)
	}
	past := want.Benchmarks[0].History
	past[0].Machine = nil
	history := &v1alpha1.NodeHistory{NodeUID: "u1", OffenceCount: 1, Benchmarks: []v1alpha1.BenchmarkHistory{{Name: "hbm", Entries: past}}}
	history.Name = "n1"
	if diff := cmp.Diff(history, got.History); diff != "" {
		t.Errorf("its history (-want +got):\n%s", diff)
	}
}

func TestTheSameOutcomeTwiceChangesNothing(t *testing.T) {
	n := node("u1")
	a, b := story(n, 1, v1alpha1.VerdictFail, "hbm", "p2p"), story(n, 2, v1alpha1.VerdictPass, "hbm")
	once := Next(Known{}, a)
	later := a
	later.Time = at(9)
	if diff := cmp.Diff(once, Next(once, later)); diff != "" {
		t.Errorf("again, later (-once +twice):\n%s", diff)
	}
	both := Next(once, b)
	if both.Validation.Verdict != v1alpha1.VerdictPass || both.Validation.OffenceCount != 1 {
		t.Errorf("after a pass: %s, %d offences", both.Validation.Verdict, both.Validation.OffenceCount)
	}
	if diff := cmp.Diff(both, Next(both, later)); diff != "" {
		t.Errorf("an older run, seen again after another (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(once, Next(Known{}, a)); diff != "" {
		t.Errorf("what was known before was modified:\n%s", diff)
	}
}

func TestOffencesAreCountedPerRun(t *testing.T) {
	n := node("u1")
	var nv Known
	for minute, v := range []v1alpha1.Verdict{v1alpha1.VerdictFail, v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictError} {
		out := story(n, minute, v, "hbm", "p2p")
		nv = Next(Next(nv, out), out)
	}
	if nv.Validation.OffenceCount != 2 {
		t.Errorf("%d offences, want 2", nv.Validation.OffenceCount)
	}
	passed, failed := story(n, 9, v1alpha1.VerdictPass, "hbm"), story(n, 9, v1alpha1.VerdictFail, "hbm") // once its fleet had grown
	if nv = Next(Next(nv, passed), failed); nv.Validation.OffenceCount != 3 {
		t.Errorf("%d offences after a run that judged the node anew, want 3", nv.Validation.OffenceCount)
	}
}

func TestRingOfTen(t *testing.T) {
	n := node("u1")
	var nv Known
	for minute := range 15 {
		nv = Next(nv, story(n, minute, v1alpha1.VerdictPass, "hbm"))
	}
	nv = Next(nv, story(n, 15, v1alpha1.VerdictError, "hbm"))
	h, ring := nv.Validation.Benchmarks[0], nv.History.Benchmarks[0].Entries
	if len(ring) != 10 || ring[0].Run != "run5" || ring[9].Run != "run14" {
		t.Errorf("%d entries from %s to %s", len(ring), ring[0].Run, ring[len(ring)-1].Run)
	}
	if h.Verdict != v1alpha1.VerdictError || nv.Validation.LastRun.Name != "run15" {
		t.Errorf("an error leaves the ring alone but not the verdict: %s of %s", h.Verdict, nv.Validation.LastRun.Name)
	}
}

func TestANewNodeOfTheSameNameStartsAfresh(t *testing.T) {
	old := Next(Known{}, story(node("u1"), 1, v1alpha1.VerdictFail, "hbm"))
	old.Validation.Quarantine = &v1alpha1.Quarantine{Key: "k"}
	old.Validation.ResourceVersion, old.History.ResourceVersion = "7", "8"
	fresh := Next(old, story(node("u2"), 2, v1alpha1.VerdictPass, "hbm"))
	if fresh.Validation.OffenceCount != 0 || fresh.Validation.Quarantine != nil || len(fresh.Validation.Benchmarks[0].History) != 1 || fresh.Validation.Fingerprint.NodeUID != "u2" {
		t.Errorf("inherited: %+v", fresh)
	}
	if fresh.Validation.ResourceVersion != "7" || fresh.History.ResourceVersion != "8" {
		t.Error("the object's own metadata is lost")
	}
	stale := story(node("u2"), 3, v1alpha1.VerdictFail, "hbm")
	stale.Result.Node.UID = "u1"
	if diff := cmp.Diff(fresh, Next(fresh, stale)); diff != "" {
		t.Errorf("a result of the old node was counted against the new one:\n%s", diff)
	}
	if got := Next(Known{}, stale); got.Validation != nil || got.History != nil {
		t.Errorf("a result of another node made %+v", got)
	}
}

func TestARunWithoutDevicesKeepsThem(t *testing.T) {
	n := node("u1")
	nv := Next(Known{}, story(n, 1, v1alpha1.VerdictPass, "hbm"))
	cpu := story(n, 2, v1alpha1.VerdictPass, "stream")
	cpu.Result.Benchmarks[0].Attempts[0].Devices = nil
	if got := Next(nv, cpu).Validation.Fingerprint.DeviceUUIDs; len(got) != 2 {
		t.Errorf("devices: %v", got)
	}
}

func TestValidationStaysWithinTheAPI(t *testing.T) {
	n := node("u1")
	n.Labels = map[string]string{labelDriverFull: strings.Repeat("9", 100)}
	var nv Known
	for minute := range 5 {
		var names []string
		for b := range 20 {
			names = append(names, fmt.Sprintf("b%d-%d", minute, b))
		}
		out := story(n, minute, v1alpha1.VerdictPass, names...)
		out.Result.Message = strings.Repeat("x", 5000)
		for d := range 300 {
			out.Result.Benchmarks[0].Attempts[0].Devices = append(out.Result.Benchmarks[0].Attempts[0].Devices, v1alpha1.Device{UUID: fmt.Sprint(d)})
		}
		nv = Next(nv, out)
	}
	if len(nv.Validation.Benchmarks) != 64 || len(nv.Validation.Message) != 2048 || len(nv.Validation.Fingerprint.DeviceUUIDs) != 128 || len(nv.Validation.Fingerprint.Driver) != 64 {
		t.Errorf("%d benchmarks, message of %d, %d devices, driver of %d", len(nv.Validation.Benchmarks), len(nv.Validation.Message), len(nv.Validation.Fingerprint.DeviceUUIDs), len(nv.Validation.Fingerprint.Driver))
	}
	if nv.Validation.Benchmarks[0].Name[:2] != "b4" {
		t.Errorf("the latest were dropped: first is %s", nv.Validation.Benchmarks[0].Name)
	}
}

// TestAnOlderMeasurementChangesNothingButHistory: proofs are ordered by when they were measured, whichever run is judged first.
func TestAnOlderMeasurementChangesNothingButHistory(t *testing.T) {
	n := node("u1")
	older, newer := story(n, 1, v1alpha1.VerdictPass, "hbm"), story(n, 5, v1alpha1.VerdictFail, "hbm")
	inOrder := Next(Next(Known{}, older), newer)
	reversed := Next(Next(Known{}, newer), older)
	if diff := cmp.Diff(inOrder, reversed); diff != "" {
		t.Errorf("the order of judging makes a difference (-in order +reversed):\n%s", diff)
	}
	if reversed.Validation.Proof.Run.Name != "run5" || reversed.Validation.LastRun.Name != "run5" || reversed.Validation.Verdict != v1alpha1.VerdictFail || reversed.Validation.OffenceCount != 1 {
		t.Errorf("the older run undid the newer one: %+v", reversed)
	}
	if h := reversed.Validation.Benchmarks[0].History; len(h) != 2 || h[0].Run != "run1" || h[1].Run != "run5" {
		t.Errorf("history: %+v", h)
	}
	for range 3 { // both runs are active and look again and again
		next := Next(Next(reversed, older), newer)
		if diff := cmp.Diff(reversed, next); diff != "" {
			t.Fatalf("two runs that look again write again:\n%s", diff)
		}
	}
}

// TestAnOldMeasurementStaysOutOfAFullRing: else it would come and go with every pass.
func TestAnOldMeasurementStaysOutOfAFullRing(t *testing.T) {
	n := node("u1")
	for _, v := range []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictFail} {
		var nv Known
		for minute := range 10 {
			nv = Next(nv, story(n, minute+1, v, "hbm"))
		}
		if diff := cmp.Diff(nv, Next(nv, story(n, 0, v, "hbm"))); diff != "" {
			t.Errorf("a %s older than all that are kept changes something:\n%s", v, diff)
		}
	}
}

// TestWhatCouldNotBeMeasuredIsNoProof: an error comes later, but proves nothing.
func TestWhatCouldNotBeMeasuredIsNoProof(t *testing.T) {
	n := node("u1")
	nv := Next(Known{}, story(n, 1, v1alpha1.VerdictFail, "hbm"))
	nv = Next(nv, story(n, 2, v1alpha1.VerdictError, "hbm"))
	if nv.Validation.Proof.Run.Name != "run1" || nv.Validation.Proof.Verdict != v1alpha1.VerdictFail {
		t.Errorf("proof: %+v", nv.Validation.Proof)
	}
	if nv.Validation.LastRun.Name != "run2" || nv.Validation.Verdict != v1alpha1.VerdictError {
		t.Errorf("the last run is %s with %s", nv.Validation.LastRun.Name, nv.Validation.Verdict)
	}
}

// TestRunsOfOneSecondHaveAnOrder: any, but always the same.
func TestRunsOfOneSecondHaveAnOrder(t *testing.T) {
	n := node("u1")
	a, b := story(n, 1, v1alpha1.VerdictPass, "hbm"), story(n, 1, v1alpha1.VerdictFail, "hbm")
	b.Run = v1alpha1.ObjectReference{Name: "other", UID: "other"}
	one, two := Next(Next(Known{}, a), b), Next(Next(Known{}, b), a)
	if diff := cmp.Diff(one.Validation.Proof, two.Validation.Proof); diff != "" {
		t.Errorf("which is the newest depends on the order of judging:\n%s", diff)
	}
	if diff := cmp.Diff(one, Next(Next(one, a), b)); diff != "" {
		t.Errorf("looking again writes again:\n%s", diff)
	}
}

// TestAnErrorBesideAPassIsNoProof: of a node that passed one benchmark, and of which another one could not be measured, nothing is proved.
func TestAnErrorBesideAPassIsNoProof(t *testing.T) {
	n := node("u1")
	out := story(n, 2, v1alpha1.VerdictError, "p2p")
	out.Result.Benchmarks = append(out.Result.Benchmarks, story(n, 2, v1alpha1.VerdictPass, "hbm").Result.Benchmarks...)
	nv := Next(Next(Known{}, story(n, 1, v1alpha1.VerdictFail, "hbm")), out)
	if nv.Validation.Proof.Run.Name != "run1" || nv.Validation.Proof.Verdict != v1alpha1.VerdictFail {
		t.Errorf("proof: %+v", nv.Validation.Proof)
	}
}

// TestABenchmarkIsAsOldAsItsLastMeasurement: an attempt that erred later makes what was measured no newer.
func TestABenchmarkIsAsOldAsItsLastMeasurement(t *testing.T) {
	b := story(node("u1"), 1, v1alpha1.VerdictFail, "hbm").Result.Benchmarks[0]
	erred := b.Attempts[0]
	erred.Number, erred.Verdict, erred.LaunchTime, erred.Configuration = 2, v1alpha1.VerdictError, new(at(8)), "c2"
	b.Attempts = append(b.Attempts, erred)
	if got := MeasuredAt(&b); !got.Equal(new(at(1))) {
		t.Errorf("measured at %s, want %s", got, at(1))
	}
	if got := Configuration(&b); got != "c1" {
		t.Errorf("measured with configuration %s, want c1", got)
	}
}

// TestHistoryKnowsWhoSetTheParameters: only measurements with the Benchmark's own parameters refute across images.
func TestHistoryKnowsWhoSetTheParameters(t *testing.T) {
	out := story(node("u1"), 1, v1alpha1.VerdictPass, "hbm", "p2p")
	out.Benchmarks = map[string]Benchmark{"hbm": {OwnParameters: true}}
	nv := Next(Known{}, out)
	if hbm, p2p := nv.Validation.Benchmarks[0].History[0], nv.Validation.Benchmarks[1].History[0]; !hbm.OwnParameters || p2p.OwnParameters {
		t.Errorf("parameters of its own: hbm %v, p2p %v; want true, false", hbm.OwnParameters, p2p.OwnParameters)
	}
}

// TestWhatIsHeldAgainIsKeptOnce: or ten runs of a benchmark with many rules would not fit into a node's history.
func TestWhatIsHeldAgainIsKeptOnce(t *testing.T) {
	n := node("u1")
	var nv Known
	for minute := range 3 {
		out := story(n, minute+1, v1alpha1.VerdictPass, "hbm")
		out.Benchmarks = map[string]Benchmark{"hbm": {Held: []v1alpha1.HeldRule{{Metric: "triad", Rule: "Min", Limit: "90", Value: "95", Parts: 1, AsCatalogued: true}}}}
		nv = Next(nv, out)
	}
	held := map[string]int{}
	for _, r := range nv.History.Benchmarks[0].Held {
		held[string(r.RunUID)] += len(r.Rules)
	}
	if diff := cmp.Diff(map[string]int{"run3": 1}, held); diff != "" {
		t.Errorf("rules that each of three equal runs is kept to have held (-want +got):\n%s", diff)
	}
}

// TestAnEntryHasRoomForItsDataChecks: a program may report more metrics than an entry holds rules, and the API server would refuse them all.
func TestAnEntryHasRoomForItsDataChecks(t *testing.T) {
	j := story(node("u1"), 1, v1alpha1.VerdictPass, "hbm")
	var held []v1alpha1.HeldRule
	for i := range 200 {
		held = append(held, v1alpha1.HeldRule{Metric: fmt.Sprintf("m%d", i), Rule: "Min"})
	}
	held = append(held, v1alpha1.HeldRule{Rule: "DataCheck"})
	j.Benchmarks = map[string]Benchmark{"hbm": {Held: held}}
	got := Next(Known{}, j).History.Benchmarks[0].Held[0].Rules
	if len(got) != 128 || got[0].Rule != "DataCheck" || got[127].Metric != "m126" || held[0].Rule != "Min" {
		t.Errorf("it holds %d rules, from %+v to %+v; want 128, the data check first", len(got), got[0], got[len(got)-1])
	}
}

// at is a time some minutes after the start of a test's story.
func at(minutes int) metav1.Time {
	return metav1.NewTime(time.Date(2026, 1, 1, 0, minutes, 0, 0, time.UTC))
}
