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
