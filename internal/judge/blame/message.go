package blame

import (
	"maps"
	"slices"

	"github.com/assay-dev/assay/internal/message"
)

// reach of a finding, as a message has it. What reached Nothing is shown as 0.
func (c *inquiry) reach(f Finding) message.Reach {
	return message.Reach{Value: shown(f.Value), Expected: shown(f.Expected), Unit: c.o.Unit}
}

func shown(v float64) float64 {
	if v <= 2*Nothing {
		return 0
	}
	return v
}

// message says what happened, the number, what was expected, and what to do.
func (c *inquiry) message(s suspect) string {
	repeats := message.Repeats{Measured: s.Repeats, Blamed: s.Blamed}
	switch s.Kind {
	case KindNode:
		pairs := make([]float64, len(s.Pairs))
		for i, v := range s.Pairs {
			pairs[i] = shown(v)
		}
		return message.SlowNode(s.Names[0], string(s.Direction), c.reach(s.Finding), pairs, repeats)
	case KindLink:
		from, to, joint := s.Names[0], s.Names[1], "-"
		switch s.Direction {
		case Backward:
			from, to, joint = to, from, "->"
		case Forward:
			joint = "->"
		}
		return message.SlowLink(from, joint, to, c.reach(s.Finding), repeats)
	case KindBoundary:
		if s.border < 0 {
			return message.SlowFabric(s.Names, c.reach(s.Finding))
		}
		return message.SlowBoundary(s.Names, len(c.borders[s.border].links), c.reach(s.Finding), repeats)
	case KindSet:
		return message.SlowSet(s.Names, c.nodes[c.index[s.Names[0]]].Place, c.reach(s.Finding), repeats)
	case KindUnmeasured:
		return message.NodeUnmeasured(s.Names[0], c.partners[c.index[s.Names[0]]])
	}
	if c.enough && !c.majority {
		return message.SuspectMajority(s.Names, c.reach(s.Finding))
	}
	return message.Suspects(s.Names, c.reach(s.Finding))
}

// lacks says why nobody can be blamed; "" where that is possible.
func (c *inquiry) lacks() string {
	switch {
	case len(c.links) == 0:
		return message.NoPairMeasured()
	case len(c.nodes) < minNodes:
		return message.TooFewNodes(len(c.nodes), minNodes)
	case !c.enough:
		return message.TooFewPartners(minNodes, minPartners)
	case !c.majority:
		return message.NoMajority()
	}
	return ""
}

func sortedNames(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
