package assess

import (
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/blame"
	"github.com/assay-dev/assay/internal/verdict"
)

// mostParts that are compared one by one.
const mostParts = 32

// series are what nodes are compared by in a metric: each part by itself, because rails may differ in speed by design, and the slowest would
// hide that another one of a single node is too slow. Only the worst part is compared where measurements have hardly a part in common, and where
// parts are the two ways of a pair.
func (s *state) series(t *tournament, m pairMetric) []pairMetric {
	measured, having := 0, map[string]int{}
	for _, g := range t.pairs {
		pair := blame.NewPair(g.nodes[0].Name, g.nodes[1].Name)
		for _, a := range t.counted(g) {
			if a.Verdict != v1alpha1.VerdictPass || verdict.WrongData(&a) {
				continue
			}
			measured++
			for _, v := range verdict.Values(&a, &m.Metric) {
				if _, _, directed := ways(v.At, pair); directed {
					return []pairMetric{m}
				}
				having[v.At]++
			}
		}
	}
	maps.DeleteFunc(having, func(_ string, n int) bool { return 2*n <= measured })
	if len(having) < 2 || len(having) > mostParts {
		return []pairMetric{m}
	}
	var out []pairMetric
	for _, part := range slices.Sorted(maps.Keys(having)) {
		m.part = part
		out = append(out, m)
	}
	return out
}

// ways are the two nodes of a part "a->b", if these are the nodes of the pair.
func ways(part string, p blame.Pair) (from, to string, ok bool) {
	from, to, ok = strings.Cut(part, "->")
	return from, to, ok && blame.NewPair(from, to) == p
}

// reportFindings asks who is to blame by each of the series of a metric; whole is what is known of the worst parts.
func (s *state) reportFindings(t *tournament, m pairMetric, whole blame.Verdict, byNode map[string]*evidence) {
	for _, one := range s.series(t, m) {
		v := whole
		if one.part != "" {
			v = blame.Judge(t.nodes, s.measuredPairs(t, one), one.options)
		}
		for _, f := range v.Findings {
			s.reportFinding(t, one, f, byNode)
		}
	}
}

// title of a metric in what is said of it.
func (m pairMetric) title() string { return strings.TrimSpace(m.Name + " " + m.part) }
