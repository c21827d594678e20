package campaign

import (
	"slices"

	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/sim"
)

// Shrink a case that breaks a promise to what it takes to break that promise: what happens is left out, many things at a time and then one by one,
// and then nodes.
func Shrink(c cases.Case) (cases.Case, sim.Outcome) {
	o := Play(c, false)
	if len(o.Violations) == 0 {
		return c, o
	}
	promise := o.Violations[0].Promise
	fails := func(smaller cases.Case) bool {
		p := Play(smaller, false)
		return len(p.Violations) > 0 && p.Violations[0].Promise == promise
	}
	for size := len(c.Happens); size > 0; size /= 2 {
		for from := 0; from < len(c.Happens); {
			smaller := c
			smaller.Happens = slices.Delete(slices.Clone(c.Happens), from, min(from+size, len(c.Happens)))
			if fails(smaller) {
				c = smaller
			} else {
				from += size
			}
		}
	}
	for i := len(c.Nodes) - 1; i >= 0; i-- {
		smaller := c
		smaller.Nodes = slices.Delete(slices.Clone(c.Nodes), i, i+1)
		if fails(smaller) {
			c = smaller
		}
	}
	return c, Play(c, true)
}
