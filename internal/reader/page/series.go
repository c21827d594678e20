package page

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/list"
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

var standings = map[v1alpha1.Verdict]standing{v1alpha1.VerdictFail: failed, v1alpha1.VerdictMissing: failed, v1alpha1.VerdictWarning: warned}

// value of one part of one node: of attempt number first, or the mean of several.
type value struct {
	node, at int32 // of run.names, and of series.parts
	value    float64
	standing standing
	// first attempt that was measured, and how many.
	first, attempts uint8
	category        int32 // of what was read beside the programs
}

func (v *value) failed() bool { return v.standing == failed }

func numbersOf(values []value) []float64 {
	return list.Map(values, func(v value) float64 { return v.value })
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

// collection is every number that was measured on the nodes of a run, in the order of the benchmarks.
type collection struct {
	nodes []string
	all   []*series
	byKey map[seriesKey]*series
	heads map[[2]string]*headline
	wrong map[seriesKey][]wrongPart
	// scaled are the curves of each benchmark and metric, node by node.
	scaled map[[2]string][]*v1alpha1.Curve
	// expected of each benchmark and metric; nil: not known.
	expected map[[2]string]*v1alpha1.Expectation
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
	for b := range list.Each(r.Benchmarks) {
		c.addHeadlines(b)
		for curve := range list.Each(b.Curves) {
			key := [2]string{b.Name, curve.Metric}
			c.scaled[key] = append(c.scaled[key], curve)
		}
		c.addValues(node, b)
		c.addWrong(node, b)
		c.addSensed(node, b)
	}
}

// complete a collection to which nothing is added any more: its nodes stand where they are among the names of all.
func (c *collection) complete(names []string) {
	index := make(map[string]int32, len(names))
	for i, name := range names {
		index[name] = int32(i)
	}
	place := make([]int32, len(c.nodes)) // from then to now
	for then, name := range c.nodes {
		place[then] = index[name]
	}
	c.nodes = names
	for _, s := range c.all {
		s.move(place)
		s.wrong = c.wrong[s.seriesKey]
		for i := range s.wrong {
			s.wrong[i].node = place[s.wrong[i].node]
		}
		slices.SortStableFunc(s.wrong, func(a, b wrongPart) int { return cmp.Compare(a.node, b.node) })
		s.headline = c.heads[[2]string{s.benchmark, s.metric}]
	}
	for _, s := range c.sensed {
		s.move(place)
	}
}

// move the values to where their nodes stand now.
func (s *series) move(place []int32) {
	for i := range s.values {
		s.values[i].node = place[s.values[i].node]
	}
	slices.SortStableFunc(s.values, func(a, b value) int { return cmp.Compare(a.node, b.node) })
}

// placeOf a part among those of the series.
func (s *series) placeOf(at string) int32 {
	i, known := s.partAt[at]
	if !known {
		i = int32(len(s.parts))
		s.partAt[at] = i
		s.parts = append(s.parts, at)
	}
	return i
}

func isLower(b *v1alpha1.BenchmarkResult, metric string) bool {
	for a := range list.Each(b.Attempts) {
		if m := attempt.Measurement(a, metric); m != nil {
			return m.Better == v1alpha1.Lower
		}
	}
	return false
}

// calm are the attempts that measured, and that nothing disturbed.
func calm(b *v1alpha1.BenchmarkResult) []*v1alpha1.Attempt {
	return list.Those(attempt.Alike(b.Attempts), func(a *v1alpha1.Attempt) bool { return len(a.Measurements) > 0 && !attempt.Disturbed(a) })
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
			c.add(b.Name, m, value{node: node, first: uint8(attempts[0].Number), attempts: 1}, broken)
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
		c.add(b.Name, m, value{node: node, attempts: uint8(counts[key])}, broken)
	}
}

// brokenParts are those that findings name, by metric and part; part "" stands for the node as a whole.
func brokenParts(b *v1alpha1.BenchmarkResult) map[[2]string]standing {
	broken := map[[2]string]standing{}
	for _, f := range b.Findings {
		key := [2]string{f.Metric, f.At}
		broken[key] = max(broken[key], standings[f.Verdict])
	}
	for _, a := range calm(b) {
		if b.Verdict == v1alpha1.VerdictFail && attempt.WrongData(a) { // whatever else the node reached
			for m := range list.Each(a.Measurements) {
				broken[[2]string{m.Name, ""}] = failed
			}
		}
	}
	return broken
}

// add a number, whose node and attempts are in v.
func (c *collection) add(benchmark string, m export.Reached, v value, broken map[[2]string]standing) {
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
	v.at, v.value, v.standing = s.placeOf(m.At), m.Value*factor, max(broken[[2]string{m.Name, m.At}], broken[[2]string{m.Name, ""}])
	s.values = append(s.values, v)
}

// sortedValues, least first.
func (s *series) sortedValues() []float64 {
	return slices.Sorted(slices.Values(numbersOf(s.values)))
}

// nodesOf the values of which something is true; they are in the order of the nodes.
func (s *series) nodesOf(is func(*value) bool) []int32 {
	return slices.Compact(list.Map(list.Those(s.values, is), func(v *value) int32 { return v.node }))
}

// measuredNodes counts the nodes that have a value, of those that are chosen.
func (s *series) measuredNodes(chosen func(node int32) bool) int {
	return len(s.nodesOf(func(v *value) bool { return chosen(v.node) }))
}

func anyNode(int32) bool { return true }

// known is the median of some numbers; nil where there are none.
func known(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	return new(stat.Median(values))
}
