package v1alpha1

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestResultNamesFitAndDiffer(t *testing.T) {
	run := func(name, uid string) *ValidationRun {
		r := &ValidationRun{}
		r.Name, r.UID = name, "1"
		if uid != "" {
			r.UID = types.UID(uid)
		}
		return r
	}
	long := strings.Repeat("n", 253)
	names := map[string]bool{}
	for _, name := range []string{ResultName(run("a", ""), "b"), ResultName(run("a", "again"), "b"), ResultName(run("a", ""), "c"),
		ResultName(run("a", ""), long), ResultName(run("a", ""), long[1:])} {
		if len(name) > 253 {
			t.Errorf("the name %s has %d characters, at most 253 are allowed", name, len(name))
		}
		names[name] = true
	}
	if len(names) != 5 {
		t.Errorf("of 5 runs and nodes, %d have names of their own", len(names))
	}
	if ResultName(run("a", ""), "b") != ResultName(run("a", ""), "b") {
		t.Error("the same run and node have two names")
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
	v := &NodeValidation{Benchmarks: []BenchmarkHistory{{Name: "hbm", History: []HistoryEntry{
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
