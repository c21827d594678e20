package blame

import (
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// shown is a value as a message has it: what reached Nothing is shown as 0.
func shown(v float64) float64 {
	if v <= 2*Nothing {
		return 0
	}
	return v
}

// compared is "8.043 GB/s, 19.7% below typical 10.02 GB/s".
func (c *inquiry) compared(f Finding) string {
	value, expected := shown(f.Value), shown(f.Expected)
	s := quantity.NewScale(c.o.Unit, value, expected)
	deviation := 100 * (value - expected) / expected
	far := quantity.Percent(math.Abs(deviation)) + " " + message.Side(deviation)
	if deviation >= 1000 {
		far = fmt.Sprintf("%.0f times", value/expected)
	}
	return fmt.Sprintf("%s, %s typical %s", s.Format(value), far, s.Format(expected))
}

// repeated says how well a suspicion was checked.
func (f *Finding) repeated() string {
	switch more := message.Several(f.Repeats, "more measurement"); {
	case f.Blamed:
		return "confirmed by " + more
	case f.Repeats == 0:
		return "suspected, not measured again yet"
	default:
		return "suspected, but not proved by " + more
	}
}

// message says what happened, the number, what was expected, and what to do.
func (c *inquiry) message(s suspect) string {
	reached, repeated := c.compared(s.Finding), s.repeated()
	switch s.Kind {
	case KindNode:
		return c.nodeIsSlow(s.Finding)
	case KindLink:
		return c.linkIsSlow(s.Finding)
	case KindBoundary:
		if s.border == nil {
			return fmt.Sprintf("pairs between places (%s) reached %s, which is what pairs inside a place reach; all boundaries are alike, so this is the fabric's "+
				"design or a fault that they share: compare with what the fabric should deliver", message.Names(s.Names), reached)
		}
		where := "from " + s.Names[0] + " to other places"
		if len(s.Names) == 2 {
			where = "between " + s.Names[0] + " and " + s.Names[1]
		}
		return fmt.Sprintf("%s %s reached %s, which is what pairs inside a place reach; %s; check the switch and its uplinks, not the nodes",
			message.Several(len(s.border.links), "pair"), where, reached, repeated)
	case KindSet:
		return fmt.Sprintf("most nodes of %s are slow alike (%s); the slowest reached %s; %s; look first at what they share: switch, firmware, power",
			c.byName[s.Names[0]].Place, message.Names(s.Names), reached, repeated)
	case KindUnmeasured:
		return fmt.Sprintf("%s could not be measured with any of its %d partners: see why its pairs failed", s.Names[0], c.byName[s.Names[0]].partners)
	}
	switch {
	case c.enough && !c.majority:
		return fmt.Sprintf("cannot tell what is normal: %s reached %s, and fewer than half of the nodes are faster; measure more nodes",
			message.Names(s.Names), reached)
	case len(s.Names) == 1: // its partner is known to be fine
		return fmt.Sprintf("%s or its link is slow: %s; measure it with other nodes to tell which", s.Names[0], reached)
	}
	return fmt.Sprintf("one of %s, or the link between them, is slow: %s; measure each with other nodes to tell which", message.Names(s.Names), reached)
}

// nodeIsSlow says that a node is slow with nearly all partners, and what it reached with each.
func (c *inquiry) nodeIsSlow(f Finding) string {
	name, pairs := f.Names[0], list.Map(f.Pairs, shown)
	if f.Direction != BothWays {
		name += " (" + string(f.Direction) + ")"
	}
	over := message.Several(len(pairs), "pair")
	if len(pairs) > 1 {
		over = "median of " + over
		s := quantity.NewScale(c.o.Unit, shown(f.Value), shown(f.Expected))
		if worst, best := s.Format(slices.Min(pairs)), s.Format(slices.Max(pairs)); worst != best {
			over += fmt.Sprintf(" from %s to %s", worst, best)
		}
	}
	text := fmt.Sprintf("%s reached %s; %s; %s", name, c.compared(f), over, f.repeated())
	if f.Blamed {
		text += "; check its network adapter, its slot and its load"
	}
	return text
}

// linkIsSlow says that a pair is slower than its two nodes are with others.
func (c *inquiry) linkIsSlow(f Finding) string {
	from, to, joint := f.Names[0], f.Names[1], "-"
	switch f.Direction {
	case Backward:
		from, to, joint = to, from, "->"
	case Forward:
		joint = "->"
	}
	text := fmt.Sprintf("%s%s%s reached %s, which is what both nodes reach with others; %s", from, joint, to, c.compared(f), f.repeated())
	if f.Blamed {
		text += "; the nodes are fine: check cables, ports and routes between them"
	}
	return text
}

// lacks says why nobody can be blamed; "" where that is possible.
func (c *inquiry) lacks() string {
	switch {
	case len(c.links) == 0:
		return "too little data: no pair was measured"
	case len(c.nodes) < minNodes:
		return fmt.Sprintf("too little data: with %s, a slow node and a slow link look alike; measure at least %d nodes",
			message.Several(len(c.nodes), "node"), minNodes)
	case !c.enough:
		return fmt.Sprintf("too little data: fewer than %d nodes, or fewer than half of them, were measured with %d partners each", minNodes, minPartners)
	case !c.majority:
		return "cannot tell what is normal: fewer than half of the nodes agree; compare with the hardware's peak"
	}
	return ""
}
