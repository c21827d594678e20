package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/stat"
)

const (
	// leastShifted: of fewer nodes with a past it cannot be told whether most changed alike.
	leastShifted = 4
	// shiftSigmas is how far beyond its own noise a node must have changed to count. One in 44 does so by chance, in one direction; most of
	// four or more, next to never.
	shiftSigmas = 2
	// defaultShift is the least change that is worth telling, where the metric's maxRegression does not say.
	defaultShift = 0.01
)

// reportShifts says where most nodes changed alike, and what of them was updated: no node stands out, and each may be within what is
// expected of it. It is asked once every node has its verdict.
func (s *Judged) reportShifts() {
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.IsGroup() {
			continue
		}
		var nodes []observe.Changed
		for _, n := range s.Nodes {
			if c := n.changes[i]; c != nil {
				nodes = append(nodes, *c)
			}
		}
		if f, ok := shift(t.Metrics, nodes); ok {
			f.Benchmark = t.Name()
			s.addFinding(f)
		}
	}
}

// changedIn compares what a node measured first with its past; nil: there is nothing to compare.
func changedIn(n *observe.ObservedNode, t *observe.Task, attempts []v1alpha1.Attempt, before past.Past) *observe.Changed {
	a := slices.IndexFunc(attempts, collect.Measured)
	if a < 0 || n.Node == nil {
		return nil
	}
	c := observe.Changed{Node: n.Name, Changes: past.Changes(t.Remembered, &attempts[a], before)}
	if len(c.Changes) == 0 {
		return nil
	}
	driver, kernel := before.Software(&attempts[a])
	now := nodevalidation.MachineOf(n.Node, "", "")
	for _, u := range []observe.Update{{What: "driver", From: driver, To: now.Driver}, {What: "kernel", From: kernel, To: now.Kernel}} {
		if u.From != u.To && u.From != "" && u.To != "" {
			c.Updates = append(c.Updates, u)
		}
	}
	return &c
}

// shifted is a metric in which most nodes changed alike: by so many percent in the middle, and from least to most among those that moved, of so
// many with a past.
type shifted struct {
	metric              string
	median, least, most float64
	moved               []observe.Changed
	of                  int
}

// shift finds the metrics in which most nodes changed alike. The one that changed most is told, the others with it.
func shift(metrics []v1alpha1.Metric, nodes []observe.Changed) (v1alpha1.FabricFinding, bool) {
	all := list.Some(metrics, func(m v1alpha1.Metric) (shifted, bool) { return shiftOf(m, nodes) })
	if len(all) == 0 {
		return v1alpha1.FabricFinding{}, false
	}
	slices.SortStableFunc(all, func(a, b shifted) int { return cmp.Compare(math.Abs(b.median), math.Abs(a.median)) })
	members := list.Map(all[0].moved, func(c observe.Changed) string { return c.Node })
	return v1alpha1.FabricFinding{Kind: KindShift, Metric: all[0].metric, Members: members, Message: mostShifted(all[0], all[1:])}, true
}

// shiftOf says whether most nodes with a past changed alike in one metric.
func shiftOf(m v1alpha1.Metric, nodes []observe.Changed) (shifted, bool) {
	var percents []float64
	for _, c := range nodes {
		if k := c.Of(m.Name); k != nil {
			percents = append(percents, 100*k.Fraction)
		}
	}
	least := defaultShift
	if m.Expectation != nil {
		if limit, set := quantity.ParseDecimal(m.Expectation.MaxRegression); set {
			least = limit / 2
		}
	}
	out := shifted{metric: m.Name, median: stat.Median(percents), least: math.Inf(1), of: len(percents)}
	for _, c := range nodes { // those that changed beyond their noise, to the same side
		k := c.Of(m.Name)
		if k == nil || k.Fraction*out.median <= 0 || math.Abs(k.Fraction) <= shiftSigmas*k.Sigma {
			continue
		}
		out.moved = append(out.moved, c)
		percent := 100 * k.Fraction
		if math.Abs(percent) < math.Abs(out.least) {
			out.least = percent
		}
		if math.Abs(percent) > math.Abs(out.most) {
			out.most = percent
		}
	}
	alike := out.of >= leastShifted && 2*len(out.moved) > out.of && math.Abs(out.median) >= 100*least
	return out, alike
}

// mostUpdates of software that one finding names.
const mostUpdates = 4

// updatesOf nodes, each with how many of them had it, the most common first.
func updatesOf(nodes []observe.Changed) []observe.Update {
	count := map[observe.Update]int{}
	for _, c := range nodes {
		for _, u := range c.Updates {
			count[u]++
		}
	}
	var all []observe.Update
	for u, n := range count {
		u.Nodes = n
		all = append(all, u)
	}
	slices.SortStableFunc(all, func(a, b observe.Update) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.What, b.What), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return all[:min(len(all), mostUpdates)]
}

// mostShifted says that most nodes changed alike against their own earlier passes, and what of them changed since. others are metrics of the same
// benchmark that did so too.
func mostShifted(s shifted, others []shifted) string {
	text := fmt.Sprintf("%d of %d nodes changed alike: %s is %s %s their earlier passing runs", len(s.moved), s.of, s.metric,
		quantity.Percent(math.Abs(s.median)), message.Side(s.median))
	if least, most := quantity.SignedPercent(s.least), quantity.SignedPercent(s.most); least != most {
		text += fmt.Sprintf(" (from %s to %s)", least, most)
	}
	if len(others) > 0 {
		changes := list.Map(others, func(o shifted) string { return o.metric + " " + quantity.SignedPercent(o.median) })
		text += ", and " + message.Names(changes)
	}
	updates := updatesOf(s.moved)
	if len(updates) == 0 {
		return text + "; neither driver nor kernel changed since: look at what else they share, such as firmware, power limits and cooling"
	}
	changes := list.Map(updates, func(u observe.Update) string {
		return fmt.Sprintf("%s %s -> %s on %d of %d nodes", u.What, u.From, u.To, u.Nodes, s.of)
	})
	return text + "; since then: " + strings.Join(changes, ", ") + "; check whether this is the cause, and whether the change was intended"
}
