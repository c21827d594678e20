package blame

import (
	"fmt"
	"math"
	"slices"
)

// verdict writes the inquiry down.
func (c *inquiry) verdict() Verdict {
	v := Verdict{Enough: c.enough, Noise: math.Expm1(c.sigma)}
	for k := range c.links {
		if c.links[k].far == 0 {
			v.Level = c.o.value(c.level[0])
		} else {
			v.LevelAcross = c.o.value(c.level[1])
		}
	}
	home := c.level[0]
	if v.Level == 0 {
		home = c.level[1]
	}
	for _, s := range c.suspects {
		f := s.Finding
		f.Message = c.message(s)
		v.Findings = append(v.Findings, f)
	}
	suspected := map[string]bool{}
	for _, f := range v.Findings {
		if f.Kind != KindBoundary && f.Kind != KindLink {
			for _, n := range f.Names {
				suspected[n] = true
			}
		}
	}
	for i, n := range c.nodes {
		worst := c.slotsOf(i)[0]
		for _, slot := range c.slotsOf(i) {
			if c.effect[slot] < c.effect[worst] {
				worst = slot
			}
		}
		v.Nodes = append(v.Nodes, NodeEffect{Name: n.Name, Effect: c.o.relative(c.effect[worst]), Partners: c.measured[i],
			Good: c.enough && c.good[i] && !suspected[n.Name], Reached: c.reached(worst, home), Margin: c.margin(worst)})
	}
	v.Pairs = c.pairEffects()
	v.Message = c.summary(v)
	return v
}

// reached is what the links of a slot with good partners reach, wherever they lead, at the level of home.
func (c *inquiry) reached(slot int, home float64) []float64 {
	var values []float64
	for _, k := range c.goodLinks(slot) {
		values = append(values, c.o.value(home+c.over(k)))
	}
	return values
}

// margin is how far chance may take the mean of a slot's links.
func (c *inquiry) margin(slot int) float64 {
	return math.Expm1(max(2, c.beyond(alpha/float64(c.slots()))) * c.sigma / math.Sqrt(max(1, c.weight(slot))))
}

func (c *inquiry) pairEffects() []PairEffect {
	type sums struct{ y, expected, worst, n float64 }
	order, found := [][2]int{}, map[[2]int]*sums{}
	for k := range c.links {
		l := &c.links[k]
		r, key := c.residual(k), [2]int{l.i, l.j}
		s := found[key]
		if s == nil {
			s = &sums{worst: r}
			found[key] = s
			order = append(order, key)
		}
		s.y, s.expected, s.n, s.worst = s.y+l.y, s.expected+l.y-r, s.n+1, min(s.worst, r)
	}
	slices.SortFunc(order, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
	var effects []PairEffect
	for _, key := range order {
		s := found[key]
		effects = append(effects, PairEffect{Pair: Pair{c.nodes[key[0]].Name, c.nodes[key[1]].Name},
			Value: c.o.value(s.y / s.n), Expected: c.o.value(s.expected / s.n), Residual: c.o.relative(s.worst)})
	}
	return effects
}

func (c *inquiry) summary(v Verdict) string {
	n := len(c.nodes)
	switch {
	case len(c.links) == 0:
		return "not enough data: no pair was measured"
	case n < minNodes && len(v.Findings) > 0:
		return fmt.Sprintf("%d nodes: a slow node and a slow link look alike; test with at least %d nodes", n, minNodes)
	case n < minNodes:
		return fmt.Sprintf("not enough data: with %d nodes nobody can be told apart; test with at least %d", n, minNodes)
	case !c.enough:
		return fmt.Sprintf("not enough data: fewer than %d nodes, or less than half, were measured with %d partners", minNodes, minPartners)
	case !c.majority:
		return "cannot tell: fewer than half of the nodes agree on what is normal; compare with the hardware's peak"
	}
	convicted := 0
	for _, f := range v.Findings {
		if f.Convicted {
			convicted++
		}
	}
	text := fmt.Sprintf("%d nodes in %d pairs: %d convicted, %d not decided; good pairs reach %s",
		n, len(v.Pairs), convicted, len(v.Findings)-convicted, c.number(v.Level+boolean(v.Level == 0)*v.LevelAcross))
	if hidden := c.hidden(); hidden > c.o.threshold() {
		text += fmt.Sprintf("; a noise of %.0f %% hides nodes that are slow by less than %.0f %%", 100*v.Noise, 100*math.Abs(c.o.relative(-hidden)))
	}
	return text
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
