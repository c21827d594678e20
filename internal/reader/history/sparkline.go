package history

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/list"
)

// mostBars of a sparkline: it shows the newest.
const mostBars = 20

// Values of the points, oldest first.
func (s *Series) Values() []float64 {
	return list.Map(s.Points, func(p Point) float64 { return p.Value })
}

// Sparkline of the values, a bar for each, from the lowest to the highest of them.
func (s *Series) Sparkline() string {
	bars := []rune("▁▂▃▄▅▆▇█")
	values := s.Values()
	values = values[max(0, len(values)-mostBars):]
	least, most := slices.Min(values), slices.Max(values)
	var line strings.Builder
	for _, v := range values {
		i := 3
		if most > least {
			i = int((v - least) / (most - least) * 7.999)
		}
		line.WriteRune(bars[i])
	}
	return line.String()
}
