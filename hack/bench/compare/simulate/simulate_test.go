package simulate

import "testing"

// fleet of nodes with two parts each, by ten metrics with the noise that the catalogue declares of the GPUs' arithmetic.
func fleet(nodes int, paired bool) World {
	return World{Nodes: nodes, Parts: 2, Paired: paired, Metrics: 10, Run: 0.004, Part: 0.01, Node: 0.005, Claim: 1}
}

func in(w World, change func(*World)) World {
	change(&w)
	return w
}

const trials = 200

// Between equals, no more than one comparison in 20 finds anything, whichever test it makes.
func TestEqualFleetsAreRarelyCalledDifferent(t *testing.T) {
	for name, w := range map[string]World{
		"the parts of one node":         fleet(1, true),
		"4 nodes before and after":      fleet(4, true),
		"12 nodes before and after":     fleet(12, true),
		"2 nodes and 2 others":          fleet(2, false),
		"4 nodes and 4 others":          fleet(4, false),
		"12 nodes and 12 others":        fleet(12, false),
		"heavy tails":                   in(fleet(12, false), func(w *World) { w.Heavy = true }),
		"12 nodes, noise claimed small": in(fleet(12, false), func(w *World) { w.Claim = 0.1 }),
		"all pairs of 8 nodes":          in(fleet(8, true), func(w *World) { w.Pairs = true }),
		"all pairs of 8 and 8 others":   in(fleet(8, false), func(w *World) { w.Pairs = true }),
		"all pairs of 3 and 3 others":   in(fleet(3, false), func(w *World) { w.Pairs, w.Parts, w.Metrics = true, 1, 20 }),
		"all pairs of 5 and 5 others":   in(fleet(5, false), func(w *World) { w.Pairs, w.Parts, w.Metrics = true, 1, 20 }),
	} {
		t.Run(name, func(t *testing.T) {
			s := w.Play(trials, 7)
			if s.Wrong > trials/20 {
				t.Errorf("%d of %d comparisons of equals found a difference, expected at most %d", s.Wrong, trials, trials/20)
			}
			if s.Covered < trials*9/10 {
				t.Errorf("%d of %d intervals of 95%% hold the truth", s.Covered, trials)
			}
		})
	}
}

func TestDifferencesAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		w      World
		effect float64
		least  int // of 100
	}{
		"5% of 4 nodes before and after":  {fleet(4, true), 0.05, 100},
		"2% of 4 nodes before and after":  {fleet(4, true), -0.02, 95},
		"1% of 12 nodes before and after": {fleet(12, true), 0.01, 90},
		"5% of 4 and 4 other nodes":       {fleet(4, false), -0.05, 95},
		"2% of 16 and 16 other nodes":     {fleet(16, false), 0.02, 95},
		"1% of 64 and 64 other nodes":     {fleet(64, false), 0.01, 95},
	} {
		t.Run(name, func(t *testing.T) {
			c.w.Effect = c.effect
			if s := c.w.Play(100, 8); s.Found < c.least || s.Wrong > 10 {
				t.Errorf("found in %d of 100 comparisons, expected %d; something else in %d", s.Found, c.least, s.Wrong)
			}
		})
	}
}

// A difference smaller than the noise from run to run is none, however many nodes show it.
func TestWhatIsSmallerThanTheNoiseIsNoDifference(t *testing.T) {
	w := fleet(64, true)
	w.Effect = 0.002
	if s := w.Play(50, 9); s.Found != 0 {
		t.Errorf("0.2%% was called a difference in %d of 50 comparisons, with a noise of 0.4%%", s.Found)
	}
}
