package fleet

import (
	"testing"

	"github.com/assay-dev/assay/internal/judge/bounds"
)

// TestTwoKindsAreToldApartWhicheverHasMore: two kinds of nodes are found whether few, half or most of them are the slower ones. Each node is
// compared with its own kind: beside the better one, most would seem to vary by what lies between the two.
func TestTwoKindsAreToldApartWhicheverHasMore(t *testing.T) {
	for _, slower := range []int{8, 16, 24} {
		var nodes []nodeLevel
		for i := range 32 {
			level := 97 + 0.001*float64(i)
			if i >= slower {
				level = 100 + 0.001*float64(i)
			}
			nodes = append(nodes, nodeLevel{group: &group{level: level, parts: 8}})
		}
		if at, two := split(nodes, 1e-5, bounds.Spread{Variance: 1e-6, Freedom: 100}, 0.005); at != slower || !two {
			t.Errorf("%d of 32 nodes are 3%% slower: split at %d, two kinds %v", slower, at, two)
		}
	}
}
