package verdict

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
)

// TestHeldByKind: what a socket reaches says nothing of the node, so both are kept.
func TestHeldByKind(t *testing.T) {
	m := triad(expecting(v1alpha1.Expectation{MaxFleetDeviation: "0.05"}))
	fleet := make([]*v1alpha1.Attempt, 4)
	for i := range fleet {
		fleet[i] = attemptOf(v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Parts: []v1alpha1.PartValue{
			{At: "node", Value: "400"}, {At: "socket0", Value: "201"}, {At: "socket1", Value: "200"}}})
	}
	held := judgeIn(fleetOf(bench, []v1alpha1.Metric{m}, fleet, true), fleet[0], rule.Given{}).Terms.Held
	want := []v1alpha1.HeldValue{{Kind: "node", Value: "400"}, {Kind: "socket", Value: "200"}}
	if !slices.ContainsFunc(held, func(h term.Term) bool { return h.Rule == term.FleetDeviation && slices.Equal(h.Kinds, want) }) {
		t.Errorf("held: %+v, want kinds %v", held, want)
	}
}
