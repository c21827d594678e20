package main

import (
	"fmt"
	"strings"
)

// goals that figures missed.
type goals struct{ missed []string }

// most is the end of a figure's line: the goal, and whether the figure is above it.
func (g *goals) most(goal, figure float64, what string) string {
	if figure <= goal {
		return fmt.Sprintf("goal %g", goal)
	}
	g.missed = append(g.missed, what)
	return fmt.Sprintf("goal %g, missed", goal)
}

// err says which goals were missed.
func (g *goals) err() error {
	if len(g.missed) == 0 {
		return nil
	}
	return fmt.Errorf("goals missed: %s (docs/sizing.md says why, where it is known)", strings.Join(g.missed, ", "))
}
