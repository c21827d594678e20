package page

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/stat"
)

// standing of a part: what the findings of its node say.
type standing uint8

const (
	fine standing = iota
	warned
	failed
)

// value of one part of one node: the mean of its measurements.
type value struct {
	node, at int32 // of run.names, and of series.parts
	value    float64
	standing standing
}

// seriesKey names what is comparable: the like parts of a metric. All sizes of a message are apart.
type seriesKey struct{ benchmark, metric, kind string }

// series is what like parts of the whole run reached.
type series struct {
	seriesKey
	unit     string
	lower    bool // is better
	parts    []string
	values   []value
	partAt   map[string]int32
	headline *headline
	wrong    []wrongPart
}

// headline says what the nodes' headline values know of a metric beside its value.
type headline struct {
	kind          string // of the parts that most nodes show
	bounds, peaks []float64
	broken        []float64 // the bounds that failed a node
	kinds         map[string]int
}

// bound that the nodes had to reach: each has its own, for it is compared with the others. The one that was broken counts.
func (h *headline) bound() (float64, bool) {
	if len(h.broken) > 0 {
		return known(h.broken)
	}
	return known(h.bounds)
}

// collection is every number that was measured on the nodes of a run, in the order of the benchmarks.
type collection struct {
	nodes []string
	all   []*series
	byKey map[seriesKey]*series
	heads map[[2]string]*headline
	wrong map[seriesKey][]wrongPart
	// scaled are the curves of each benchmark and metric, node by node.
	scaled map[[2]string][]*v1alpha1.Curve
	// sensed is what was read beside the programs.
	sensed []*sensed
}

func newCollection() *collection {
	return &collection{byKey: map[seriesKey]*series{}, heads: map[[2]string]*headline{}, wrong: map[seriesKey][]wrongPart{}, scaled: map[[2]string][]*v1alpha1.Curve{}}
}

// collect the result of a node. Nothing of it but its curves is kept.
func (c *collection) collect(r *v1alpha1.ValidationResult) {
	node := int32(len(c.nodes))
	c.nodes = append(c.nodes, r.Node.Name)
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		c.addHeadlines(b)
		c.addCurves(b)
		c.addValues(node, b)
		c.addWrong(node, b)
		c.addSensed(node, b)
	}
}

// complete a collection to which nothing is added any more: its nodes stand in the order of their names.
func (c *collection) complete() {
	order := make([]int32, len(c.nodes)) // from now to then
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return natural(c.nodes[a], c.nodes[b]) })
	place, names := make([]int32, len(order)), make([]string, len(order)) // from then to now
	for now, then := range order {
		place[then], names[now] = int32(now), c.nodes[then]
	}
	c.nodes = names
	for _, s := range c.all {
		for i := range s.values {
			s.values[i].node = place[s.values[i].node]
		}
		slices.SortStableFunc(s.values, func(a, b value) int { return cmp.Compare(a.node, b.node) })
		s.wrong = c.wrong[s.seriesKey]
		for i := range s.wrong {
			s.wrong[i].node = place[s.wrong[i].node]
		}
		slices.SortStableFunc(s.wrong, func(a, b wrongPart) int { return cmp.Compare(a.node, b.node) })
		s.headline = c.heads[[2]string{s.benchmark, s.metric}]
	}
	for _, s := range c.sensed {
		for i := range s.values {
			s.values[i].node = place[s.values[i].node]
		}
		slices.SortStableFunc(s.values, func(a, b sensedValue) int { return cmp.Compare(a.node, b.node) })
	}
}

func (c *collection) addHeadlines(b *v1alpha1.BenchmarkResult) {
	for i := range b.Headline {
		h := &b.Headline[i]
		v, ok := quantity.ParseDecimal(h.Value)
		if !ok {
			continue
		}
		key := [2]string{b.Name, h.Metric}
		head := c.heads[key]
		if head == nil {
			head = &headline{kinds: map[string]int{}}
			c.heads[key] = head
		}
		kind := part.Kind(h.At)
		head.kinds[kind]++
		if head.kinds[kind] > head.kinds[head.kind] {
			head.kind = kind
		}
		if e, ok := quantity.ParseDecimal(h.Expected); ok {
			head.bounds = append(head.bounds, e)
			if h.Verdict == v1alpha1.VerdictFail {
				head.broken = append(head.broken, e)
			}
		}
		if p, ok := quantity.ParseDecimal(h.PercentOfPeak); ok && p > 0 && v > 0 {
			head.peaks = append(head.peaks, peakOf(v, p, isLower(b, h.Metric)))
		}
	}
}

// peakOf a value that is so many percent of it; of what is better lower, the peak is the least.
func peakOf(v, percent float64, lower bool) float64 {
	if lower {
		return v * percent / 100
	}
	return v * 100 / percent
}

func isLower(b *v1alpha1.BenchmarkResult, metric string) bool {
	for i := range b.Attempts {
		for j := range b.Attempts[i].Measurements {
			if m := &b.Attempts[i].Measurements[j]; m.Name == metric {
				return m.Better == v1alpha1.Lower
			}
		}
	}
	return false
}

// calm are the attempts that measured, and that nothing disturbed.
func calm(b *v1alpha1.BenchmarkResult) []*v1alpha1.Attempt {
	var all []*v1alpha1.Attempt
	alike := attempt.Alike(b.Attempts)
	for i := range alike {
		if len(alike[i].Measurements) > 0 && !attempt.Disturbed(&alike[i]) {
			all = append(all, &alike[i])
		}
	}
	return all
}

// counted are the attempts whose mean is judged. A program that computed wrong data may well be fast.
func counted(b *v1alpha1.BenchmarkResult) []*v1alpha1.Attempt {
	return slices.DeleteFunc(calm(b), attempt.WrongData)
}

// addValues takes the mean of all attempts, part by part.
func (c *collection) addValues(node int32, b *v1alpha1.BenchmarkResult) {
	attempts := counted(b)
	broken := brokenParts(b)
	if len(attempts) == 1 { // nearly always
		for m := range export.Numbers(attempts[0].Measurements) {
			c.add(node, b.Name, m, broken)
		}
		return
	}
	sums, counts := map[[2]string]float64{}, map[[2]string]int{}
	var all []export.Reached
	for _, a := range attempts {
		for m := range export.Numbers(a.Measurements) {
			key := [2]string{m.Name, m.At}
			if counts[key] == 0 {
				all = append(all, m)
			}
			sums[key] += m.Value
			counts[key]++
		}
	}
	for _, m := range all {
		key := [2]string{m.Name, m.At}
		m.Value = sums[key] / float64(counts[key])
		c.add(node, b.Name, m, broken)
	}
}

// brokenParts are those that findings name, by metric and part; part "" stands for the node as a whole.
func brokenParts(b *v1alpha1.BenchmarkResult) map[[2]string]standing {
	broken := map[[2]string]standing{}
	for _, f := range b.Findings {
		how := fine
		switch f.Verdict {
		case v1alpha1.VerdictFail, v1alpha1.VerdictMissing:
			how = failed
		case v1alpha1.VerdictWarning:
			how = warned
		}
		key := [2]string{f.Metric, f.At}
		broken[key] = max(broken[key], how)
	}
	for _, a := range calm(b) {
		if b.Verdict == v1alpha1.VerdictFail && attempt.WrongData(a) { // whatever else the node reached
			for i := range a.Measurements {
				broken[[2]string{a.Measurements[i].Name, ""}] = failed
			}
		}
	}
	return broken
}

func (c *collection) add(node int32, benchmark string, m export.Reached, broken map[[2]string]standing) {
	key := seriesKey{benchmark, m.Name, part.Kind(m.At)}
	s := c.byKey[key]
	if s == nil {
		s = &series{seriesKey: key, unit: m.Unit, lower: m.Better == v1alpha1.Lower, partAt: map[string]int32{}}
		c.byKey[key] = s
		c.all = append(c.all, s)
	}
	factor, ok := quantity.Factor(m.Unit, s.unit)
	if !ok {
		return
	}
	index, known := s.partAt[m.At]
	if !known {
		index = int32(len(s.parts))
		s.partAt[m.At] = index
		s.parts = append(s.parts, m.At)
	}
	s.values = append(s.values, value{node, index, m.Value * factor, max(broken[[2]string{m.Name, m.At}], broken[[2]string{m.Name, ""}])})
}

// sortedValues, least first.
func (s *series) sortedValues() []float64 {
	all := make([]float64, len(s.values))
	for i := range s.values {
		all[i] = s.values[i].value
	}
	slices.Sort(all)
	return all
}

// measuredNodes counts the nodes that have a value, of those that are chosen by all of some conditions.
func (s *series) measuredNodes(chosen ...func(node int32) bool) int {
	seen := map[int32]bool{}
	for i := range s.values {
		node := s.values[i].node
		if !slices.ContainsFunc(chosen, func(is func(int32) bool) bool { return !is(node) }) {
			seen[node] = true
		}
	}
	return len(seen)
}

// isHeadline says whether these parts are what tables show of the metric.
func (s *series) isHeadline() bool { return s.headline != nil && s.headline.kind == s.kind }

// known is the median of some numbers; ok is false where there are none.
func known(values []float64) (v float64, ok bool) {
	if len(values) == 0 {
		return 0, false
	}
	return stat.Median(values), true
}
