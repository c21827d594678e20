package blame

import (
	"math"
	"testing"
)

// looking at one of so many series of measurements, of which much is known.
func looking(series int) *inquiry {
	return &inquiry{fit: &fit{table: &table{o: Options{Series: series}.withDefaults()}, sigma: 1, seen: 1, freedom: 1e6}}
}

// Who looks at many series sees more by chance, so each has to show more.
func TestSeriesShareTheChanceOfAWrongVerdict(t *testing.T) {
	for series, want := range map[int]bool{0: true, 1: true, 8: false} {
		c := looking(series)
		if got := c.proved(-4.4, 1, 32); got != want {
			t.Errorf("of %d series, a node is proved slow: %v, want %v", series, got, want)
		}
		if got := !math.IsInf(c.discovery([]float64{4.3}, 64), 1); got != want {
			t.Errorf("of %d series, a link is discovered: %v, want %v", series, got, want)
		}
	}
}

// Many slow links prove each other: what one alone among 8,192 does not reach, three hundred alike do.
func TestManyLinksAreDiscoveredTogether(t *testing.T) {
	c := looking(1)
	alike := make([]float64, 300)
	for i := range alike {
		alike[i] = 4.6
	}
	if at := c.discovery([]float64{4.6}, 8192); !math.IsInf(at, 1) {
		t.Errorf("one alone is discovered from %v on", at)
	}
	if at := c.discovery(alike, 8192); at != 4.6 {
		t.Errorf("300 alike are discovered from %v on, want 4.6", at)
	}
}
