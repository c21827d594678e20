package blame

import (
	"math"
	"testing"
)

// Many slow links prove each other: what one alone among 8,192 does not reach, three hundred alike do.
func TestManyLinksAreDiscoveredTogether(t *testing.T) {
	c := &inquiry{fit: &fit{table: &table{}, sigma: 1, seen: 1, freedom: 1e6}}
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
