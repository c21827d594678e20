package message

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/quantity"
)

// Reach is what a node, a link or a boundary reached, and what it should have.
type Reach struct {
	Value, Expected float64
	Unit            string
}

// text is "8.043 GB/s, expected 10.02 GB/s (19.7% below)".
func (r Reach) text() string {
	s := quantity.NewScale(r.Unit, r.Value, r.Expected)
	deviation := 100 * (r.Value - r.Expected) / r.Expected
	far := quantity.Percent(math.Abs(deviation)) + " " + side(deviation)
	if deviation >= 1000 {
		far = fmt.Sprintf("%.0f times that", r.Value/r.Expected)
	}
	return fmt.Sprintf("%s, expected %s (%s)", s.Format(r.Value), s.Format(r.Expected), far)
}

// Repeats say how well a suspicion was checked.
type Repeats struct {
	// Measured again so often.
	Measured int
	// Blamed: that proved it.
	Blamed bool
}

func (r Repeats) text() string {
	switch more := several(r.Measured, "more measurement"); {
	case r.Blamed:
		return "confirmed by " + more
	case r.Measured == 0:
		return "suspected, not measured again yet"
	default:
		return "suspected, but not proved by " + more
	}
}

// SlowNode: a node is slow with nearly all partners. pairs are what it reached with each, of which reach has the median;
// direction is Sending, Receiving or empty.
func SlowNode(node, direction string, reach Reach, pairs []float64, r Repeats) string {
	name := node
	if direction != "" {
		name += " (" + direction + ")"
	}
	over := several(len(pairs), "pair")
	if len(pairs) > 1 {
		over = "median of " + over
		s := quantity.NewScale(reach.Unit, reach.Value, reach.Expected)
		if worst, best := s.Format(slices.Min(pairs)), s.Format(slices.Max(pairs)); worst != best {
			over += fmt.Sprintf(" from %s to %s", worst, best)
		}
	}
	text := fmt.Sprintf("%s reached %s; %s; %s", name, reach.text(), over, r.text())
	if r.Blamed {
		text += "; check its network adapter, its slot and its load"
	}
	return text
}

// SlowLink: a pair is slower than its two nodes are with others. joint is "-", or "->" for one direction.
func SlowLink(from, joint, to string, reach Reach, r Repeats) string {
	text := fmt.Sprintf("%s%s%s reached %s, which is what both nodes reach with others; %s", from, joint, to, reach.text(), r.text())
	if r.Blamed {
		text += "; the nodes are fine: check cables, ports and routes between them"
	}
	return text
}

// SlowBoundary: all pairs from a place to others, or between two places, are slow.
func SlowBoundary(places []string, pairs int, reach Reach, r Repeats) string {
	where := "from " + places[0] + " to other places"
	if len(places) == 2 {
		where = "between " + places[0] + " and " + places[1]
	}
	return fmt.Sprintf("%s %s reached %s, which is what pairs inside a place reach; %s; check the switch and its uplinks, not the nodes",
		several(pairs, "pair"), where, reach.text(), r.text())
}

// SlowFabric: pairs across all places are slower than those inside.
func SlowFabric(places []string, reach Reach) string {
	return fmt.Sprintf("pairs between places (%s) reached %s, which is what pairs inside a place reach; all boundaries are alike, so this is the fabric's "+
		"design or a fault that they share: compare with what the fabric should deliver", names(places), reach.text())
}

// SlowSet: most nodes of one place are slow.
func SlowSet(nodes []string, place string, slowest Reach, r Repeats) string {
	return fmt.Sprintf("most nodes of %s are slow alike (%s); the slowest reached %s; %s; look first at what they share: switch, firmware, power",
		place, names(nodes), slowest.text(), r.text())
}

// NodeUnmeasured: no pair of a node gave a number.
func NodeUnmeasured(node string, partners int) string {
	return fmt.Sprintf("%s could not be measured with any of its %d partners: see why its pairs failed", node, partners)
}

// Suspects: one of some nodes, or the link between them, is slow. Of a single node, its partner is known to be fine.
func Suspects(nodes []string, reach Reach) string {
	if len(nodes) == 1 {
		return fmt.Sprintf("%s or its link is slow: %s; measure it with other nodes to tell which", nodes[0], reach.text())
	}
	return fmt.Sprintf("one of %s, or the link between them, is slow: %s; measure each with other nodes to tell which", names(nodes), reach.text())
}

// SuspectMajority: so many nodes are slow that nobody knows what is normal.
func SuspectMajority(nodes []string, reach Reach) string {
	return fmt.Sprintf("cannot tell what is normal: %s reached %s, and fewer than half of the nodes are faster; measure more nodes", names(nodes), reach.text())
}

// SlowTogether: a collective of these nodes is slow, while their pairs are fine.
func SlowTogether(nodes []string) string {
	return names(nodes) + " are slow only together in a collective, while their pairs are fine: look at what they share, and at the collective's algorithm and routes"
}

// SlowAcross: collectives across two places are slow, while those inside and all pairs are fine.
func SlowAcross(one, other string) string {
	return fmt.Sprintf("collectives across %s and %s are slow; inside each they are fast, and so are pairs: check the capacity of the links between the two, not the nodes", one, other)
}

// NoPairMeasured explains why nobody can be blamed.
func NoPairMeasured() string { return "too little data: no pair was measured" }

// TooFewNodes explains why nobody can be blamed.
func TooFewNodes(nodes, needed int) string {
	return fmt.Sprintf("too little data: with %s, a slow node and a slow link look alike; measure at least %d nodes", several(nodes, "node"), needed)
}

// TooFewPartners explains why nobody can be blamed.
func TooFewPartners(nodes, partners int) string {
	return fmt.Sprintf("too little data: fewer than %d nodes, or fewer than half of them, were measured with %d partners each", nodes, partners)
}

// NoMajority explains why nobody can be blamed.
func NoMajority() string {
	return "cannot tell what is normal: fewer than half of the nodes agree; compare with the hardware's peak"
}
