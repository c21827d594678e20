package blame

import (
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/stat"
)

// Kind of a finding.
type Kind string

// The kinds.
const (
	KindNode       Kind = "Node"
	KindLink       Kind = "Link"
	KindBoundary   Kind = "Boundary"   // names are places
	KindSet        Kind = "Set"        // nodes that are slow alike, or together only
	KindSuspects   Kind = "Suspects"   // one of the nodes, or the link between them
	KindUnmeasured Kind = "Unmeasured" // no pair of the node could be measured

)

// Direction of a finding.
type Direction string

// The directions.
const (
	BothWays  Direction = ""
	Sending   Direction = "Sending"   // of a node
	Receiving Direction = "Receiving" // of a node
	Forward   Direction = "Forward"   // of a link: from its first name to its second
	Backward  Direction = "Backward"  // of a link: from its second name to its first
)

// Finding is one suspect, or one that is blamed.
type Finding struct {
	Kind      Kind
	Names     []string
	Direction Direction
	// Value reached, and what is expected here, in the unit of the samples. Of a node, the median of its pairs.
	Value, Expected float64
	// Pairs of a node: what it reached with each good partner.
	Pairs []float64
	// Effect is how far below or above it is by the model: -0.11 for a bandwidth 11% below.
	Effect float64
	// Repeats: measurements after the first; of a node, with good partners after the measuring rounds.
	Repeats int
	// Blamed: measured again, beyond chance, and worth blame. Nothing else may have consequences.
	Blamed  bool
	Message string
}

// NodeEffect is what the model says of a node.
type NodeEffect struct {
	Name string
	// Effect relative to the fleet: -0.11 for a bandwidth 11% below. The worse direction where there are two.
	Effect float64
	// Value that it reaches with a good partner, in the unit of the samples; 0: it was measured with nobody.
	Value float64
	// Partners it was measured with.
	Partners int
	// Reached by its pairs with partners that are a yardstick; of the worse direction where there are two.
	Reached []Reached
	// Margin is by how much chance may lower the best estimate of any node, relative to it: more than two standard errors, and
	// with all nodes of the fleet at most 0.02% for any to be beyond.
	Margin float64
	// Finds is from which loss on, relative to the fleet, the node would have been blamed in at least 99 of 100 cases; of two directions, in both. 0: not known.
	Finds float64
}

// Verdict is what was found.
type Verdict struct {
	// Enough data to blame anybody; Message says what is missing otherwise.
	Enough  bool
	Message string
	// Level of good pairs: inside a place, or all; where no such pair was measured, across places.
	Level    float64
	Nodes    []NodeEffect
	Findings []Finding
}

// Judge says who is to blame for the slow pairs, in whatever order nodes and measurements come.
func Judge(nodes []Node, measurements []Measurement, o Options) Verdict {
	return newInquiry(newTable(nodes, measurements, o)).verdict()
}

// suspect is a finding with what it takes to confirm it.
type suspect struct {
	Finding
	slots  []*slot // to be tested with good partners
	link   *link   // to be measured again, or nil
	border *border // of which pairs are to be measured, or nil
	score  float64
	// whole and again are the distances of a link from what its ends explain, in standard errors: of all its measurements, and of the second ones
	// alone, which were not chosen for what they show.
	whole, again float64
}

func newSuspect(kind Kind, names []string, score float64) suspect {
	return suspect{Finding: Finding{Kind: kind, Names: names}, score: score}
}

func (c *inquiry) suspectSlots() {
	for _, n := range c.nodes {
		found := list.Some(n.slots, c.slotSuspect)
		if len(found) == 2 && found[0].Kind == KindNode && found[1].Kind == KindNode {
			both := bothWays(found[0], found[1])
			both.slots = n.slots
			found = []suspect{both}
		}
		c.suspects = append(c.suspects, found...)
	}
	c.gatherSets()
}

// bothWays is a node or link that is slow in both directions, as in the slower one: it is blamed once either is.
func bothWays(a, b suspect) suspect {
	s := a
	if b.score < a.score {
		s = b
	}
	s.Direction, s.Blamed = BothWays, a.Blamed || b.Blamed
	return s
}

// slotSuspect is a slow slot: the node, or where only one pair of it with a good partner is known, one of several.
func (c *inquiry) slotSuspect(slot *slot) (suspect, bool) {
	good := c.goodLinks(slot)
	n, effect := c.weight(slot), slot.effect
	err := math.Sqrt(c.apart*c.apart + c.sigma*c.sigma/max(n, 1))
	if !slot.slow || effect > -max(0.75*c.o.threshold(), screenNodes*err) {
		return suspect{}, false
	}
	s := newSuspect(KindNode, []string{slot.of.Name}, effect)
	s.slots, s.Direction = append(s.slots, slot), slot.direction
	base := 0.0
	links := slot.telling()
	for _, l := range links {
		base += c.base(l) / float64(len(links))
	}
	if len(good) > 0 {
		links = good
	}
	s.Pairs = list.Map(links, func(l *link) float64 { return c.o.value(l.y) })
	s.Value, s.Expected, s.Effect = stat.Median(s.Pairs), c.o.value(base), c.o.relative(effect)
	if len(good) < minPartners {
		s.Kind, s.Names = KindSuspects, c.slowNeighbours(slot)
		return s, true
	}
	again, repeats := c.repeated(good, func(l *link, y float64) float64 { return y - c.base(l) - l.other(slot).effect })
	s.Repeats = repeats
	// A slow node is slow with nearly everyone; one that is slow with some has slow links.
	withMost := 10*list.Count(good, func(l *link) bool { return c.shownOf(slot, l) <= effect/2 }) >= 7*len(good)
	s.Blamed = c.proved(effect, err, len(c.slots)) && repeats >= c.o.Confirmations && again <= -c.o.threshold()/2 && withMost && c.blameworthy(c.best(slot, good))
	return s, true
}

// slowNeighbours are a node and the partners with which it was slow and which nothing else has cleared.
func (c *inquiry) slowNeighbours(slot *slot) []string {
	names := []string{slot.of.Name}
	for _, l := range slot.links {
		if other := l.other(slot); c.over(l) <= -c.o.threshold()/2 && (other.slow || len(other.links) < minPartners) {
			names = append(names, other.of.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (c *inquiry) figures(f *Finding, value, expected float64) {
	f.Value, f.Expected, f.Effect = c.o.value(value), c.o.value(expected), c.o.relative(value-expected)
}
