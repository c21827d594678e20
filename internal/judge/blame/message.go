package blame

import (
	"fmt"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// reach of a finding, as a message has it. What reached Nothing is shown as 0.
func (c *inquiry) reach(f Finding) shortfall {
	return shortfall{Value: shown(f.Value), Expected: shown(f.Expected), Unit: c.o.Unit}
}

func shown(v float64) float64 {
	if v <= 2*Nothing {
		return 0
	}
	return v
}

// message says what happened, the number, what was expected, and what to do.
func (c *inquiry) message(s suspect) string {
	repeats := repetition{Measured: s.Repeats, Blamed: s.Blamed}
	switch s.Kind {
	case KindNode:
		pairs := list.Map(s.Pairs, shown)
		return slowNode(s.Names[0], string(s.Direction), c.reach(s.Finding), pairs, repeats)
	case KindLink:
		from, to, joint := s.Names[0], s.Names[1], "-"
		switch s.Direction {
		case Backward:
			from, to, joint = to, from, "->"
		case Forward:
			joint = "->"
		}
		return linkIsSlow(from, joint, to, c.reach(s.Finding), repeats)
	case KindBoundary:
		if s.border < 0 {
			return slowFabric(s.Names, c.reach(s.Finding))
		}
		return slowBoundary(s.Names, len(c.borders[s.border].links), c.reach(s.Finding), repeats)
	case KindSet:
		return fmt.Sprintf("most nodes of %s are slow alike (%s); the slowest reached %s; %s; look first at what they share: switch, firmware, power",
			c.nodes[c.index[s.Names[0]]].Place, message.Names(s.Names), c.reach(s.Finding).text(), repeats.text())
	case KindUnmeasured:
		return fmt.Sprintf("%s could not be measured with any of its %d partners: see why its pairs failed", s.Names[0], c.partners[c.index[s.Names[0]]])
	}
	if c.enough && !c.majority {
		return fmt.Sprintf("cannot tell what is normal: %s reached %s, and fewer than half of the nodes are faster; measure more nodes",
			message.Names(s.Names), c.reach(s.Finding).text())
	}
	return suspects(s.Names, c.reach(s.Finding))
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
