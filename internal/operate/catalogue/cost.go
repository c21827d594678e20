package catalogue

import (
	"cmp"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// defaultRounds of a tournament of pairs, where the Benchmark sets none.
const defaultRounds = 4

// Cost of one measurement; of a tournament or a curve, of all its rounds.
func Cost(b *v1alpha1.Benchmark) time.Duration {
	cost := time.Duration(cmp.Or(b.Spec.CostSeconds, 60)) * time.Second
	return cost * time.Duration(Rounds(b))
}

// Rounds of a tournament of pairs, or of a group that is measured at several sizes; 1 of all else.
func Rounds(b *v1alpha1.Benchmark) int32 {
	switch g := b.Spec.Group; {
	case g == nil:
		return 1
	case g.Size.StrVal != "" || g.Size.IntVal != 2:
		return 1 + int32(len(g.Sizes))
	case g.Rounds == nil:
		return defaultRounds
	default:
		return *g.Rounds
	}
}
