package verdict

import (
	"math"
	"slices"
	"time"
	"unique"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/stat"
)

const (
	// minLikeParts: fewer like parts are not compared with each other.
	minLikeParts = 4
	// leastOthers: a node is not compared with fewer other nodes, of which one that is odd, or whose kubelet lies, would be the middle.
	leastOthers = 3
	// maxNoiseShare caps what noise may excuse, as a share of what a value is compared with: a part at less than half of it is not explained by
	// noise, and without a cap one disturbed machine among few would hide a really slow one.
	maxNoiseShare = 0.5
	// muchWider: so many times the variance of a part beside its like is a lot between parts of different nodes.
	muchWider = 2
)

// peers are the like parts of the node that is judged, and what they are compared with: each other, and other nodes.
type peers struct {
	kind   string
	better v1alpha1.Direction
	own    []float64 // sorted
	// center is the median of the other nodes' levels.
	center        float64
	nodes, parts  int // others
	known         int // of nodes
	oldest        time.Time
	ofGroups      bool
	within, among spread
	claimed       noise
	evidence      Evidence
	// What noise explains between parts of the node, between a part and other nodes, and between the node and others, as fractions.
	explainsOwn, explainsNodes, explainsWhole float64
	// behind: the node as a whole is worse than others, so that its parts are compared with its own level.
	behind bool
}

// comparison is what a value should be like.
type comparison struct {
	center float64
	// allowed deviation that noise explains, as a fraction.
	allowed float64
	with    message.Peers
}

// newPeers finds what the like parts of an attempt are compared with; values are theirs.
func (f *Fleet) newPeers(m *v1alpha1.Metric, key pool, kind string, values []float64, node string, e Evidence) *peers {
	p := &peers{kind: kind, better: betterOf(m), own: slices.Sorted(slices.Values(values)), ofGroups: f.ofGroups, claimed: noiseOf(m), evidence: e}
	p.within, p.among = shrink(p.claimed.once(), 0, 0), shrink(p.claimed.node*p.claimed.node, 0, 0)
	name := unique.Make(key)
	l := f.pools[name]
	if l == nil {
		return p
	}
	s := l.sideOf(stat.MedianOf(len(p.own), func(i int) float64 { return p.own[i] }))
	p.center, p.nodes, p.parts = s.without(f.ownOf(node).group(name), p.better)
	p.known, p.oldest, p.within, p.among = min(s.known, p.nodes), s.oldest, s.within, s.between
	return p
}

// explain is called once all kinds of parts of the metric are known, for each has an equal share of the chance to convict by mistake.
func (p *peers) explain(kinds int) {
	n := len(p.own)
	explained := func(variance, freedom, comparisons float64) float64 {
		return min(maxNoiseShare, p.evidence.sigmas(float64(kinds)*comparisons, freedom)*math.Sqrt(variance))
	}
	freedom := min(p.within.freedom, p.among.freedom)
	besideOwn, besideNodes := p.measured()*(1+ofMedian(n-1)), p.ofNode()+p.measured()
	own, nodes, whole := p.shares(besideNodes > muchWider*besideOwn)
	p.explainsOwn = explained(besideOwn, p.within.freedom, float64(n)/own)
	p.explainsNodes = explained(besideNodes, freedom, float64(n)/nodes)
	p.explainsWhole = explained(p.ofNode()+p.measured()*ofMedian(n), freedom, 1/whole)
}

// hasOwn: the node has enough like parts to compare one with the others.
func (p *peers) hasOwn() bool { return len(p.own) >= minLikeParts }

// hasOthers: enough other nodes have like parts. Of two groups of nodes, the worse one is only looked into.
func (p *peers) hasOthers() bool {
	return (p.nodes >= leastOthers || p.ofGroups && p.nodes > 0) && len(p.own)+p.parts >= minLikeParts
}

// amongOwn compares a part with the other like parts of its node.
func (p *peers) amongOwn(value float64) comparison {
	at, _ := slices.BinarySearch(p.own, value)
	n := len(p.own) - 1
	center := centerOf(n, skipping(at, func(i int) float64 { return p.own[i] }), p.better)
	return comparison{center, p.explainsOwn, message.Peers{Kind: p.kind, Own: n}}
}

// amongNodes compares a part with other nodes. Where its node is behind as a whole, which is told once, it is compared with that.
func (p *peers) amongNodes(value float64) comparison {
	c := comparison{p.center, p.explainsNodes, p.others()}
	if p.behind {
		own := p.amongOwn(value)
		c.center, c.with = own.center, own.with
	}
	return c
}

// whole compares the node with other nodes.
func (p *peers) whole() comparison {
	return comparison{p.center, p.explainsWhole, p.others()}
}

// level of the node: of the two middle parts the better one, so that a level is bad only where more than half of the parts are.
func (p *peers) level() float64 {
	n := len(p.own)
	if p.better == v1alpha1.Lower {
		return p.own[(n-1)/2]
	}
	return p.own[n/2]
}

// measured is the variance of a part that was measured so often.
func (p *peers) measured() float64 {
	return p.within.variance * p.claimed.averaged(p.evidence.attempts())
}

// ofNode is the variance of a node's level beside the median of others, but for what the node's own parts add.
func (p *peers) ofNode() float64 {
	perNode := max(1, p.parts/max(1, p.nodes))
	return p.among.variance*(1+ofMedian(p.nodes)) + p.within.variance*ofMedian(perNode)*ofMedian(p.nodes)
}

// shares of the chance to convict by mistake, where all three comparisons are made: of parts within their node, which tells most, of parts
// among other nodes, and of the node among others. Where nodes differ much more than their parts do, what parts among nodes would tell,
// the other two tell sooner.
func (p *peers) shares(nodesDiffer bool) (own, nodes, whole float64) {
	switch {
	case !p.hasOthers():
		return 1, 1, 1
	case p.hasOwn() && nodesDiffer:
		return 0.75, 0.05, 0.2
	case p.hasOwn():
		return 0.5, 0.25, 0.25
	case len(p.own) > 1:
		return 0.5, 0.5, 0.5
	}
	return 1, 1, 1
}

func (p *peers) others() message.Peers {
	return message.Peers{Kind: p.kind, Nodes: p.nodes, Parts: p.parts, Groups: p.ofGroups, Known: p.known, Oldest: p.oldest}
}
