package past

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/bounds"
)

// TestAllRunsTogether: a part that passed ten times at 101 is beyond a bound of 100 once two attempts are at 95, which is where the mean of all
// twelve is at 100; noise alone would let it be lower still.
func TestAllRunsTogether(t *testing.T) {
	m := v1alpha1.Metric{Noise: v1alpha1.Noise{Run: "0.1"}}
	p := PartPast{recent: Level{Passes: 10, Center: 101, variance: bounds.OfMedian(10)}}
	if got := p.Again(&m, bounds.MeanOf(2), 100); got != 95 {
		t.Errorf("it is beyond at %v", got)
	}
}

// TestPartsTogether: like parts have the past of the middle one, over as many passes as all of them have; of too few parts there is none.
func TestPartsTogether(t *testing.T) {
	of := func(passes int, center, scatter float64, steps int) PartPast {
		return PartPast{recent: Level{Passes: passes, Center: center}, scatter: scatter, steps: steps}
	}
	var none PartPast
	for sentence, c := range map[string]struct {
		parts []PartPast
		want  PartPast
	}{
		"the middle of three":          {[]PartPast{of(8, 100, 0.01, 7), of(6, 90, 0.02, 5), of(7, 98, 0.03, 6)}, of(6, 98, 0.02, 5)},
		"one of three is new":          {[]PartPast{of(8, 100, 0.01, 7), of(6, 90, 0.02, 5), none}, of(6, 95, 0.015, 5)},
		"half of them are new":         {[]PartPast{of(8, 100, 0.01, 7), none}, none},
		"there is nothing to remember": {nil, none},
	} {
		got := Together(c.parts)
		if got.recent != c.want.recent || got.scatter != c.want.scatter || got.steps != c.want.steps {
			t.Errorf("%s: %+v, want %+v", sentence, got, c.want)
		}
	}
}
