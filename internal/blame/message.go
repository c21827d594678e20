package blame

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// mostNames in one sentence.
const mostNames = 8

// number writes a value with four digits and its unit.
func (c *inquiry) number(v float64) string {
	text := strconv.FormatFloat(v, 'g', 4, 64)
	switch {
	case v <= 2*Nothing:
		text = "0"
	case v >= 1000 && v < 1e15:
		text = strconv.FormatFloat(math.Round(v), 'f', 0, 64)
	}
	return strings.TrimSpace(text + " " + c.o.Unit)
}

// against says what was reached and what is expected: "8.9 GB/s, expected 10.0 GB/s: 11 % below".
func (c *inquiry) against(f Finding) string {
	side := "above"
	if f.Effect < 0 {
		side = "below"
	}
	return fmt.Sprintf("%s, expected %s: %s %% %s", c.number(f.Value), c.number(f.Expected),
		strconv.FormatFloat(math.Abs(100*f.Effect), 'g', 3, 64), side)
}

func sortedNames(set map[string]bool) []string {
	var names []string
	for n := range set {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func list(names []string) string {
	if len(names) <= mostNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), len(names)-mostNames)
}

// message says what happened, the number, what was expected, and what to do.
func (c *inquiry) message(s suspect) string {
	switch s.Kind {
	case KindNode:
		return c.aboutNode(s)
	case KindLink:
		return c.aboutLink(s)
	case KindBoundary:
		return c.aboutBoundary(s)
	case KindSet:
		return fmt.Sprintf("%s: all of %s are slow alike, the worst at %s; %s; look for what they share (switch, firmware, power) before the nodes",
			list(s.Names), c.nodes[c.index[s.Names[0]]].Place, c.against(s.Finding), proofOf(s.Finding))
	case KindUnmeasured:
		return fmt.Sprintf("%s could not be measured with any of %d partners: see the errors of its pairs; no number, so no judgement",
			s.Names[0], c.partners[c.index[s.Names[0]]])
	}
	if c.enough && !c.majority {
		return fmt.Sprintf("cannot tell which: %s are slow (%s), and fewer than half of the nodes are not; measure with more nodes", list(s.Names), c.against(s.Finding))
	}
	return fmt.Sprintf("cannot tell which: one of %s, or the link between them (%s); measure each with other nodes", list(s.Names), c.against(s.Finding))
}

func proofOf(f Finding) string {
	switch {
	case f.Convicted && f.Retests == 1:
		return "confirmed by 1 second measurement"
	case f.Convicted:
		return fmt.Sprintf("confirmed by %d second measurements", f.Retests)
	case f.Retests == 0:
		return "suspected, not measured again yet"
	}
	if f.Retests == 1 {
		return "suspected, and 1 second measurement did not prove it"
	}
	return fmt.Sprintf("suspected, and %d second measurements did not prove it", f.Retests)
}

func (c *inquiry) aboutNode(s suspect) string {
	what := ""
	if s.Direction != BothWays {
		what = " " + strings.ToLower(string(s.Direction))
	}
	text := fmt.Sprintf("%s%s %s with %d partners; %s", s.Names[0], what, c.against(s.Finding), c.measured[c.index[s.Names[0]]], proofOf(s.Finding))
	if s.Convicted {
		text += "; check its adapter, its slot and its load"
	}
	return text
}

func (c *inquiry) aboutLink(s suspect) string {
	from, to, joint := s.Names[0], s.Names[1], "-"
	switch s.Direction {
	case Backward:
		from, to, joint = to, from, "->"
	case Forward:
		joint = "->"
	}
	text := fmt.Sprintf("%s%s%s %s what its two ends reach with others; %s", from, joint, to, c.against(s.Finding), proofOf(s.Finding))
	if s.Convicted {
		text += "; both nodes are fine with others: check cables, ports and routes between them"
	}
	return text
}

func (c *inquiry) aboutBoundary(s suspect) string {
	if s.border < 0 {
		return fmt.Sprintf("pairs across %s reach %s inside; all boundaries are alike, so this is the fabric's design or a fault they share: compare with what the fabric should give",
			list(s.Names), c.against(s.Finding))
	}
	where := "from " + s.Names[0] + " to other places"
	if len(s.Names) == 2 {
		where = "between " + s.Names[0] + " and " + s.Names[1]
	}
	return fmt.Sprintf("%d pairs %s: %s, while pairs inside are fine; %s; check the switch and its uplinks, not the nodes",
		len(c.borders[s.border].links), where, c.against(s.Finding), proofOf(s.Finding))
}
