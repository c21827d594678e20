package compare

import (
	"cmp"
	"slices"
)

// holm corrects p-values for their number (Holm, 1979): the probability that any of those below a level is there by chance is no more than
// that level, whatever the metrics of one node have to do with each other. It asks less than Bonferroni's correction, of the same proof.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		corrected[i] = least
	}
	return corrected
}
