package tournament

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/list"
)

// counted are the attempts of a pair that a tournament counts: those that were not disturbed. A round that was disturbed so many times was
// played all the same, and measured nothing: its last attempt stands for it.
func (g *Group) counted(most int) []v1alpha1.Attempt {
	attempts := g.Attempts
	disturbed := func(a v1alpha1.Attempt) bool { return attempt.Disturbed(&a) }
	if !slices.ContainsFunc(attempts, disturbed) {
		return attempts
	}
	calm, times := map[int32]bool{}, map[int32]int{}
	for _, a := range attempts {
		if disturbed(a) {
			times[a.Round]++
		} else {
			calm[a.Round] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(attempts), func(a v1alpha1.Attempt) bool {
		if !disturbed(a) {
			return false
		}
		times[a.Round]--
		given := g.disturbedIn(a.Round) >= most && !calm[a.Round]
		return !given || times[a.Round] > 0
	})
}

// disturbedIn counts the attempts of a round that were disturbed.
func (g *Group) disturbedIn(round int32) int {
	return list.Count(g.Attempts, func(a v1alpha1.Attempt) bool { return a.Round == round && attempt.Disturbed(&a) })
}

// counted are the attempts of a pair that count. Nodes that a whole round of attempts found disturbed are not waited for again: in
// later rounds one attempt tells enough.
func (t *tournament) counted(g *Group) []v1alpha1.Attempt {
	for _, n := range g.Nodes {
		if t.disturbed[n.Name] {
			return g.counted(1)
		}
	}
	return g.counted(attempt.MostDisturbed)
}

// disturbedIn pairs are the nodes that were disturbed as often as a pair is measured in a round.
func disturbedIn(pairs []*Group) map[string]bool {
	disturbed := map[string]bool{}
	for _, g := range pairs {
		for _, a := range g.Attempts {
			if attempt.Disturbed(&a) && g.disturbedIn(a.Round) >= attempt.MostDisturbed {
				disturbed[g.Nodes[0].Name], disturbed[g.Nodes[1].Name] = true, true
			}
		}
	}
	return disturbed
}
