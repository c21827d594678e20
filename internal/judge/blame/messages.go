package blame

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// shortfall is what a node, a link or a boundary reached, and what it should have.
type shortfall struct {
	Value, Expected float64
	Unit            string
}

// text is "8.043 GB/s, 19.7% below typical 10.02 GB/s".
func (r shortfall) text() string {
	s := quantity.NewScale(r.Unit, r.Value, r.Expected)
	deviation := 100 * (r.Value - r.Expected) / r.Expected
	far := quantity.Percent(math.Abs(deviation)) + " " + message.Side(deviation)
	if deviation >= 1000 {
		far = fmt.Sprintf("%.0f times", r.Value/r.Expected)
	}
	return fmt.Sprintf("%s, %s typical %s", s.Format(r.Value), far, s.Format(r.Expected))
}

// repetition say how well a suspicion was checked.
type repetition struct {
	// Measured again so often.
	Measured int
	// Blamed: that proved it.
	Blamed bool
}

func (r repetition) text() string {
	switch more := message.Several(r.Measured, "more measurement"); {
	case r.Blamed:
		return "confirmed by " + more
	case r.Measured == 0:
		return "suspected, not measured again yet"
	default:
		return "suspected, but not proved by " + more
	}
}

// slowNode says that a node is slow with nearly all partners. pairs are what it reached with each, of which reach has the median;
// direction is Sending, Receiving or empty.
func slowNode(node, direction string, reach shortfall, pairs []float64, r repetition) string {
	name := node
	if direction != "" {
		name += " (" + direction + ")"
	}
	over := message.Several(len(pairs), "pair")
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

// linkIsSlow says that a pair is slower than its two nodes are with others. joint is "-", or "->" for one direction.
func linkIsSlow(from, joint, to string, reach shortfall, r repetition) string {
	text := fmt.Sprintf("%s%s%s reached %s, which is what both nodes reach with others; %s", from, joint, to, reach.text(), r.text())
	if r.Blamed {
		text += "; the nodes are fine: check cables, ports and routes between them"
	}
	return text
}

// slowBoundary says that all pairs from a place to others, or between two places, are slow.
func slowBoundary(places []string, pairs int, reach shortfall, r repetition) string {
	where := "from " + places[0] + " to other places"
	if len(places) == 2 {
		where = "between " + places[0] + " and " + places[1]
	}
	return fmt.Sprintf("%s %s reached %s, which is what pairs inside a place reach; %s; check the switch and its uplinks, not the nodes",
		message.Several(pairs, "pair"), where, reach.text(), r.text())
}

// slowFabric says that pairs across all places are slower than those inside.
func slowFabric(places []string, reach shortfall) string {
	return fmt.Sprintf("pairs between places (%s) reached %s, which is what pairs inside a place reach; all boundaries are alike, so this is "+
		"the fabric's "+
		"design or a fault that they share: compare with what the fabric should deliver", message.Names(places), reach.text())
}

// suspects says that one of some nodes, or the link between them, is slow. Of a single node, its partner is known to be fine.
func suspects(nodes []string, reach shortfall) string {
	if len(nodes) == 1 {
		return fmt.Sprintf("%s or its link is slow: %s; measure it with other nodes to tell which", nodes[0], reach.text())
	}
	return fmt.Sprintf("one of %s, or the link between them, is slow: %s; measure each with other nodes to tell which", message.Names(nodes),
		reach.text())
}
