package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// passed is a node that passed a benchmark, as often as its history was written.
func passed(name string, times int64) (v1alpha1.NodeValidation, *v1alpha1.NodeHistory) {
	at := metav1.NewTime(time.Unix(1_700_000_000, 0))
	h := &v1alpha1.NodeHistory{NodeUID: types.UID("uid-" + name)}
	h.Name, h.UID, h.Generation = name, types.UID("history-of-"+name), times
	h.Benchmarks = []v1alpha1.BenchmarkHistory{{Name: "stream", Passes: []v1alpha1.PassHistory{{Configuration: "c", Runs: []v1alpha1.PassingRun{{Time: at}},
		Metrics: []v1alpha1.MetricHistory{{Metric: "triad", Unit: "GB/s", Parts: []v1alpha1.PartHistory{{At: "node", Passes: 1, Recent: []v1alpha1.PassingValue{"100"}}}}}}}}}
	v := v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: h.NodeUID}, NodeHistory: &v1alpha1.HistoryReference{UID: h.UID, Generation: times}}
	v.Name = name
	v.Benchmarks = []v1alpha1.BenchmarkState{{Name: "stream", History: []v1alpha1.HistoryEntry{{Verdict: v1alpha1.VerdictPass, Time: at}}}}
	return v, h
}

// TestKnownFleetForgets: nodes come and go, and what the operator keeps of them does not grow.
func TestKnownFleetForgets(t *testing.T) {
	f := NewKnownFleet(time.Hour)
	for _, name := range []string{"stays", "gone", "new"} {
		_, h := passed(name, 1)
		f.Take(h)
	}
	for _, name := range []string{"stays", "gone"} {
		n := f.byName[name]
		n.at = n.at.Add(-2 * time.Minute)
		f.byName[name] = n
	}
	stays, _ := passed("stays", 1)
	f.Keep([]v1alpha1.NodeValidation{stays})
	if _, gone := f.byName["gone"]; gone || len(f.byName) != 2 {
		t.Errorf("%d nodes are known, want the one that stays and the one that the cache is still to show", len(f.byName))
	}
	if known := f.Of([]v1alpha1.NodeValidation{stays}); len(known) != 1 || known[0].Node != "stays" {
		t.Errorf("known are %v", known)
	}
	stays.Benchmarks[0].History[0].Verdict = v1alpha1.VerdictFail
	if known := f.Of([]v1alpha1.NodeValidation{stays}); len(known) != 0 {
		t.Errorf("of a node that failed since are known %v", known)
	}
}

// TestKnownFleetReadsWhatWasWritten: a NodeValidation tells that the history is newer than what is known, as after a restart; an older one
// that is read late replaces nothing.
func TestKnownFleetReadsWhatWasWritten(t *testing.T) {
	f := NewKnownFleet(time.Hour)
	v, h := passed("a", 2)
	stale := func(v v1alpha1.NodeValidation) int { return len(f.Stale([]v1alpha1.NodeValidation{v})) }
	if stale(v) != 1 {
		t.Error("the history of a node that is not known is not read")
	}
	f.Take(h)
	_, older := passed("a", 1)
	f.Take(older)
	if stale(v) != 0 {
		t.Error("a history that is known is read again")
	}
	if v.NodeHistory.Generation = 3; stale(v) != 1 {
		t.Error("a history that was written since is not read")
	}
	if v.NodeHistory.UID = "another"; stale(v) != 1 {
		t.Error("another history is not read")
	}
	if v.NodeHistory.UID = ""; stale(v) != 0 {
		t.Error("a history is read that was never stored")
	}
}

// TestNoKnownFleet: an operator that compares nodes with no others keeps nothing of them.
func TestNoKnownFleet(t *testing.T) {
	f := NewKnownFleet(0)
	_, h := passed("a", 1)
	if f.Take(h); f != nil {
		t.Errorf("%v is kept", f)
	}
}
