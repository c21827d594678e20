package past

import "testing"

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
