package page

import (
	"fmt"
	"strings"
)

// sparkBins of the small histogram of a table's row, 4 units wide and at most 20 high.
const sparkBins = 20

func sparkline(sorted []float64) string {
	low, high := sorted[0], sorted[len(sorted)-1]
	var counts [sparkBins]int
	most := 1
	for _, v := range sorted {
		i := min(int(sparkBins*(v-low)/(high-low)), sparkBins-1)
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
