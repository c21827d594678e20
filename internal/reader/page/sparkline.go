package page

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/stat"
)

// sparkBins of the small histogram of a table's row, 4 units wide and at most 20 high.
const sparkBins = 20

// middleOf values is what most of them span, and as much again at both sides: a far outlier stands at the edge.
func middleOf(sorted []float64) (low, high float64) {
	low, high = stat.Quantile(sorted, 0.05), stat.Quantile(sorted, 0.95)
	span := high - low
	low, high = max(sorted[0], low-span), min(sorted[len(sorted)-1], high+span)
	if high <= low {
		return sorted[0], sorted[len(sorted)-1]
	}
	return low, high
}

func sparkline(sorted []float64) string {
	low, high := middleOf(sorted)
	var counts [sparkBins]int
	most := 1
	for _, v := range sorted {
		i := max(0, min(int(sparkBins*(v-low)/(high-low)), sparkBins-1))
		counts[i]++
		most = max(most, counts[i])
	}
	var path strings.Builder
	for i, n := range counts {
		if n > 0 {
			height := max(2, (20*n+most/2)/most)
			fmt.Fprintf(&path, "M%d 20v-%dh3v%dz", 4*i, height, height)
		}
	}
	return path.String()
}
