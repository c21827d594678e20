package fleet

import (
	"math"
	"slices"
	"unique"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/stat"
)

// Peers are the like parts of the node that is judged, and what they are compared with: each other, and other nodes.
type Peers struct {
	Better v1alpha1.Direction
	Own    []float64 // sorted
	// slots that are off by design, and the own parts as if theirs were not, sorted.
	slots *slots
	alike []float64
	// Center is the median of the other nodes' levels.
	Center        float64
	Others        LikeParts
	Within, among bounds.Spread
	claimed       bounds.Noise
	certainty     bounds.Certainty
	// What noise explains between parts of the node, between a part and other nodes, and between the node and others, as fractions.
	explainsOwn, explainsNodes, explainsWhole float64
	// kinds of parts of the metric, which share the chance to convict by mistake.
	kinds int
	// Shift of most nodes against their past.
	Shift past.Shift
	// Ahead of most nodes of the run.
	Ahead Ahead
	// Behind: the node as a whole is worse than others, so that its parts are compared with its own level.
	Behind bool
}

// Comparison is what a value should be like.
type Comparison struct {
	Center float64
	// Allowed deviation that noise explains, as a fraction.
	Allowed float64
	With    LikeParts
}

// NewPeers finds what like parts of an attempt are compared with.
func (f *Fleet) NewPeers(m *v1alpha1.Metric, key Pool, kind string, parts []attempt.PartValue, node string) *Peers {
	p := &Peers{Better: bounds.Better(m), Others: LikeParts{Kind: kind, Groups: f.OfGroups}, claimed: bounds.NoiseOf(m)}
	for _, part := range parts {
		p.Own = append(p.Own, part.Value)
	}
	slices.Sort(p.Own)
	p.alike = p.Own
	p.Within, p.among = bounds.OfLike(p.claimed.Once(), 0, 0, nil), bounds.OfLike(p.claimed.Node*p.claimed.Node, 0, 0, nil)
	name := unique.Make(key)
	l := f.pools[name]
	if l == nil {
		return p
	}
	s := l.sideOf(stat.SortedMedian(p.Own))
	p.Center, p.Others.Nodes, p.Others.Parts = s.without(f.OwnOf(node).group(name), p.Better)
	p.Shift, p.Ahead = l.shift, l.ahead
	p.Others.Known, p.Others.Oldest, p.Within, p.among = min(s.known, p.Others.Nodes), s.oldest, *s.within, s.between
	if p.slots = l.slots; p.slots != nil {
		p.alike = make([]float64, len(parts))
		for i, part := range parts {
			p.alike[i] = part.Value / (1 + p.slots.of(part.At))
		}
		slices.Sort(p.alike)
	}
	return p
}

// Explain by noise, as far as bounds of that certainty do. It is called once all kinds of parts of the metric are known, for each has an
// equal share of the chance to convict by mistake.
func (p *Peers) Explain(kinds int, e bounds.Certainty) {
	p.kinds, p.certainty = kinds, e
	p.explainParts()
	if n := len(p.Own); n > 1 && p.HasOthers() {
		_, _, whole := p.shares(p.nodesDiffer())
		p.explainsWhole = p.explained(p.ofNode()+p.Measured()*bounds.OfMedian(n), p.both(), 1/whole)
	}
}

// explainParts says what noise explains of parts.
func (p *Peers) explainParts() {
	own, nodes, _ := p.shares(p.nodesDiffer())
	if p.HasOwn() {
		p.explainsOwn = p.explained(p.besideOwn(), p.Within, float64(len(p.Own))/own)
	}
	if p.HasOthers() {
		p.explainsNodes = p.explained(p.besideNodes(), p.both(), float64(len(p.Own))/nodes)
	}
}

// explained by noise in one of so many comparisons.
func (p *Peers) explained(variance float64, of bounds.Spread, comparisons float64) float64 {
	return min(bounds.MostNoise, p.certainty.Sigmas(float64(p.kinds)*comparisons, of)*math.Sqrt(variance))
}

// both is how sure a variance is that is made of those within nodes and between them.
func (p *Peers) both() bounds.Spread {
	return bounds.Spread{Freedom: min(p.Within.Freedom, p.among.Freedom), Heavy: max(p.Within.Heavy, p.among.Heavy)}
}

// besideOwn and besideNodes are the variances of a part beside the others of its node, and beside other nodes.
func (p *Peers) besideOwn() float64   { return p.Measured() * (1 + bounds.OfMedian(len(p.Own)-1)) }
func (p *Peers) besideNodes() float64 { return p.ofNode() + p.Measured() }
func (p *Peers) nodesDiffer() bool    { return p.besideNodes() > muchWider*p.besideOwn() }

// WorseByDesign is by how much a part's place is worse than the others in most nodes, as a fraction; 0: it is not, or by so much that something
// is wrong with all of them.
func (p *Peers) WorseByDesign(at string) float64 {
	off := bounds.Sign(p.Better) * p.slots.of(at)
	if off >= 0 || off < -mostApart {
		return 0
	}
	return -off
}

// HasOwn: the node has enough like parts to compare one with the others.
func (p *Peers) HasOwn() bool { return len(p.Own) >= MinLikeParts }

// HasOthers: enough other nodes have like parts. Of two groups of nodes, the worse one is only looked into.
func (p *Peers) HasOthers() bool {
	return (p.Others.Nodes >= leastOthers || p.Others.Groups && p.Others.Nodes > 0) && len(p.Own)+p.Others.Parts >= MinLikeParts
}

// AmongOwn compares a part with the other like parts of its node, each as if it were in its place.
func (p *Peers) AmongOwn(at string, value float64) Comparison {
	place := p.slots.of(at)
	i, _ := slices.BinarySearch(p.alike, value/(1+place))
	n := len(p.alike) - 1
	center := centerOf(n, skipping(i, func(i int) float64 { return p.alike[i] }), p.Better)
	return Comparison{(1 + place) * center, p.explainsOwn, LikeParts{Kind: p.Others.Kind, Own: n, Place: place}}
}

// AmongNodes compares a part with other nodes. Where its node is behind as a whole, which is told once, it is compared with that.
func (p *Peers) AmongNodes(at string, value float64) Comparison {
	c := Comparison{p.Center, p.explainsNodes, p.Others}
	c.With.Place = p.slots.of(at)
	c.Center *= 1 + c.With.Place
	if p.Behind {
		own := p.AmongOwn(at, value)
		c.Center, c.With = own.Center, own.With
	}
	return c
}

// Whole compares the node with other nodes.
func (p *Peers) Whole() Comparison {
	return Comparison{p.Center, p.explainsWhole, p.Others}
}

// Level of the node: of the two middle parts the better one, so that a level is bad only where more than half of the parts are.
func (p *Peers) Level() float64 {
	n := len(p.Own)
	if p.Better == v1alpha1.Lower {
		return p.Own[(n-1)/2]
	}
	return p.Own[n/2]
}

// Measured is the variance of a part that was measured so often.
func (p *Peers) Measured() float64 {
	return p.Within.Variance * p.claimed.Averaged(p.certainty.Attempts())
}

// ofNode is the variance of a node's level beside the median of others, but for what the node's own parts add.
func (p *Peers) ofNode() float64 {
	perNode := max(1, p.Others.Parts/max(1, p.Others.Nodes))
	return p.among.Variance*(1+bounds.OfMedian(p.Others.Nodes)) + p.Within.Variance*bounds.OfMedian(perNode)*bounds.OfMedian(p.Others.Nodes)
}
