package verdict

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// slotted draws healthy nodes of which gpu7 is 4% lower by design in the first so many.
func slotted(seed uint64, nodes, like int) [][]float64 {
	out := products.nodes(seeded(seed), nodes, 8, 1)
	for i := range like {
		out[i][7] *= 0.96
	}
	return out
}

// TestPlacesThatAreSlowByDesign: what is slow at the same place in most nodes is nobody's fault, and hides none.
func TestPlacesThatAreSlowByDesign(t *testing.T) {
	m := products.metric("0.03")
	const fleets = 40
	failed, slow, minority, told := 0, 0, 0, 0
	for seed := range uint64(fleets) {
		for _, j := range judgeNodes(m, slotted(seed, 8, 8)) {
			if j.Verdict == v1alpha1.VerdictFail {
				failed++
			}
		}
		nodes := slotted(seed, 8, 8)
		nodes[0][7] *= 0.92 // beside its like, which are 4% lower than the rest
		nodes[1][2] *= 0.92
		judged := judgeNodes(m, nodes)
		if fails(judged[0], "gpu7") && fails(judged[1], "gpu2") {
			slow++
		}
		if strings.Contains(judged[0].Message, "gpu7") && strings.Contains(judged[0].Message, "at its place, which is ") {
			told++
		}
		nodes = slotted(seed, 8, 0)
		for i := range 3 {
			nodes[i][7] *= 0.92
		}
		judged = judgeNodes(m, nodes)
		if fails(judged[0], "gpu7") && fails(judged[1], "gpu7") && fails(judged[2], "gpu7") {
			minority++
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d healthy nodes failed", failed, 8*fleets)
	}
	if slow < 34 {
		t.Errorf("both slow GPUs were found in %d of %d fleets", slow, fleets)
	}
	if told < slow {
		t.Errorf("%d of %d findings say what is usual at the place", told, slow)
	}
	if minority < 30 {
		t.Errorf("gpu7, slow in three of eight nodes, was found in all three in %d of %d fleets", minority, fleets)
	}
}
