package fleet

import (
	"math"

	"github.com/assay-dev/assay/internal/stat"
)

// Ahead are nodes that reach far more than most of a run do: so many of how many, and how much in the middle. They are too few to be a kind of their
// own, and too many to be outliers: most of the nodes may be slow.
type Ahead struct {
	Nodes, Of int
	Level     float64
}

// aheadIn nodes of a run, which are in order of their levels.
func (l *levels) aheadIn(nodes []nodeLevel) (a Ahead) {
	middle := medianLevel(nodes)
	var better []float64
	for i := range nodes {
		level := nodes[i].level
		if apart := math.Abs(level - middle); apart > mostApart*math.Abs(level) && l.isBetter(level, middle) {
			better = append(better, level)
		}
	}
	if len(better) < leastOthers || float64(len(better)) < leastShare*float64(len(nodes)) {
		return Ahead{}
	}
	return Ahead{Nodes: len(better), Of: len(nodes), Level: stat.Median(better)}
}

// Leaves a node behind: one at this level is not one of those ahead.
func (a Ahead) Leaves(level float64) bool {
	return a.Nodes > 0 && math.Abs(level-a.Level) > mostApart*math.Abs(a.Level)
}
