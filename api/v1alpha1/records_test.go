package v1alpha1

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestResultNamesFitAndDiffer(t *testing.T) {
	run := func(uid types.UID) *ValidationRun {
		return &ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: uid}}
	}
	long := strings.Repeat("n", 253)
	names := map[string]bool{}
	for _, name := range []string{ResultName(run("1"), "b"), ResultName(run("2"), "b"), ResultName(run("1"), "c"),
		ResultName(run("1"), long), ResultName(run("1"), long[1:])} {
		if len(name) > 253 {
			t.Errorf("the name %s has %d characters, at most 253 are allowed", name, len(name))
		}
		names[name] = true
	}
	if len(names) != 5 {
		t.Errorf("of 5 runs and nodes, %d have names of their own", len(names))
	}
	if again := ResultName(run("1"), "b"); !names[again] {
		t.Errorf("the same run and node have another name: %s", again)
	}
}

func TestGateRecordIsReadBack(t *testing.T) {
	want := GateRecord{Policy: "p", Run: "r", By: GateOpenedByAssay, OpenedAt: metav1.NewTime(time.Unix(1_800_000_000, 0))}
	got, ok := GateRecordOf(map[string]string{AnnotationGate: want.String()})
	if !ok || got.Policy != want.Policy || got.Run != want.Run || got.By != want.By || !got.OpenedAt.Equal(&want.OpenedAt) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, text := range []string{"", "yes", `{"openedAt": 1}`} {
		if got, ok := GateRecordOf(map[string]string{AnnotationGate: text}); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestTheLastPass(t *testing.T) {
	entry := func(run string, v Verdict) HistoryEntry { return HistoryEntry{Run: run, Verdict: v} }
	v := &NodeValidation{Benchmarks: []BenchmarkState{{Name: "hbm", History: []HistoryEntry{
		entry("first", VerdictPass), entry("second", VerdictPass), entry("third", VerdictFail)}}, {Name: "p2p", History: []HistoryEntry{entry("first", VerdictFail)}}}}
	if got := v.Benchmark("hbm").LastPass(); got == nil || got.Run != "second" {
		t.Errorf("the last pass is %+v, want that of the second run", got)
	}
	var unknown *NodeValidation
	for sentence, got := range map[string]*HistoryEntry{"failed only": v.Benchmark("p2p").LastPass(), "never measured": v.Benchmark("stream").LastPass(),
		"unknown node": unknown.Benchmark("hbm").LastPass()} {
		if got != nil {
			t.Errorf("%s: the last pass is %+v, want none", sentence, got)
		}
	}
}
