package observe

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fact"
	"github.com/assay-dev/assay/internal/judge/fleet"
)

// TestAFleetIsMadeAnewForAnotherSay: what nodes were convicted of since changes what the others are compared with.
func TestAFleetIsMadeAnewForAnotherSay(t *testing.T) {
	task := &Task{Benchmark: &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "inventory"}}}
	m, own := &Memory{fleets: map[string]*fleetMemory{}}, []*fleet.Digest{{Node: "a"}}
	silent := []fact.Of{{Node: "a", Fact: "vbios"}}
	first := m.Fleet(task, own, nil, silent, true)
	if m.Fleet(task, own, nil, silent, true) != first {
		t.Error("the same say makes another fleet")
	}
	if m.Fleet(task, own, nil, nil, true) == first {
		t.Error("another say makes the same fleet")
	}
}

// TestAPastWithoutAPassIsProvisional: what a node reached in runs that could compare it with nothing does not show that it was ever fit.
func TestAPastWithoutAPassIsProvisional(t *testing.T) {
	s := &Observed{Input: Input{Run: &v1alpha1.ValidationRun{}, Tasks: []Task{{Benchmark: &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "rate"}}}}}}
	record := func(verdict v1alpha1.Verdict) *v1alpha1.NodeValidation {
		return &v1alpha1.NodeValidation{Benchmarks: []v1alpha1.BenchmarkState{{Name: "rate", History: []v1alpha1.HistoryEntry{{Verdict: verdict}}}}}
	}
	for verdict, want := range map[v1alpha1.Verdict]bool{v1alpha1.VerdictPass: false, v1alpha1.VerdictInconclusive: true} {
		if got := s.PastOf(&ObservedNode{Validation: record(verdict)}, 0).Provisional; got != want {
			t.Errorf("after a %s it is provisional: %v", verdict, got)
		}
	}
}
