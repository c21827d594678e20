package page

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/reader/export"
)

// wrongPart computed wrong data, so that its speed says nothing.
type wrongPart struct {
	node int32
	at   string
}

// addWrong takes the parts of attempts with wrong data whose node has no other value of them.
func (c *collection) addWrong(node int32, b *v1alpha1.BenchmarkResult) {
	seen := map[[2]string]bool{}
	each := func(all []*v1alpha1.Attempt, visit func(metric, at string)) {
		for _, a := range all {
			for m, p := range export.Parts(a.Measurements) {
				if key := [2]string{m.Name, p.At}; !seen[key] {
					seen[key] = true
					visit(m.Name, p.At)
				}
			}
		}
	}
	all := calm(b)
	if !slices.ContainsFunc(all, attempt.WrongData) { // nearly always
		return
	}
	each(counted(b), func(string, string) {})
	each(all, func(metric, at string) {
		key := seriesKey{b.Name, metric, part.Kind(at)}
		c.wrong[key] = append(c.wrong[key], wrongPart{node, at})
	})
}

// wrongNamed are the parts with wrong data, which have no mark.
func (s *series) wrongNamed(nodes []string) []string {
	var all []string
	for _, p := range s.wrong {
		all = append(all, nodes[p.node]+partName(p.at)+": wrong data")
	}
	return all
}
