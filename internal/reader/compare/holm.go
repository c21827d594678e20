package compare

import (
	"cmp"
	"slices"
)

// holm corrects p-values for their number (Holm, 1979): the probability that any of those below a level is there by chance is no more than
// that level, whatever the metrics of one node have to do with each other. It asks less than Bonferroni's correction, of the same proof.
//
// levels are those at which the uncorrected p-values are decided: where the corrected one is above 1 - confidence, its own is above its level, and
// elsewhere it is not.
func holm(p []float64) (corrected, levels []float64) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected, levels = make([]float64, len(p)), make([]float64, len(p))
	least, level := 0.0, 0.0
	for rank, i := range order {
		left := float64(len(p) - rank)
		if least <= 1-confidence { // from the first that is not refused on, no other is
			level = (1 - confidence) / left
		}
		least = max(least, min(1, p[i]*left))
		corrected[i], levels[i] = least, level
	}
	return corrected, levels
}
