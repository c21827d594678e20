package fleet

import (
	"time"

	"github.com/assay-dev/assay/internal/judge/bounds"
)

const (
	// MinLikeParts: fewer like parts are not compared with each other.
	MinLikeParts = 4
	// leastOthers: a node is not compared with fewer other nodes, of which one that is odd, or whose kubelet lies, would be the middle.
	leastOthers = 3
	// muchWider: so many times the variance of a part beside its like is a lot between parts of different nodes.
	muchWider = 2
)

// LikeParts are the like parts that a value is compared with: some of its own node, or all of other nodes.
type LikeParts struct {
	// Kind of the parts.
	Kind string
	// Own is how many others of the same node; 0: other nodes.
	Own int
	// Nodes and Parts of other nodes. Groups: each is a group of nodes.
	Nodes, Parts int
	Groups       bool
	// Place is by how much the part's place in a node is off in most nodes, as a fraction; 0: it is like the others.
	Place float64
	// Known is how many of those nodes were not measured in this run; Oldest is when the first of them was.
	Known  int
	Oldest time.Time
}

// Beside is one way in which a part is compared with its like.
type Beside struct {
	Center float64
	bounds.Difference
	// Near and Far are what noise explains of one measurement, which may raise suspicion, and of the mean of all, which may convict; as fractions.
	Near, Far float64
}

// Besides are the ways in which a part is compared with its like, where a suspect is measured so often.
func (p *Peers) Besides(at string, value float64, measurements int) (all []Beside) {
	near, far := p.sure(bounds.Suspicion), p.sure(bounds.MeanOf(measurements))
	run := 0.0 // what each measurement adds
	if once := p.claimed.Once(); once > 0 {
		run = p.Within.Variance * p.claimed.Run * p.claimed.Run / once
	}
	lasting := p.Within.Variance - run
	if c := p.AmongOwn(at, value).Center; p.HasOwn() && c != 0 {
		both := 1 + bounds.OfMedian(len(p.Own)-1) // the part, and the median of the others
		all = append(all, Beside{c, bounds.Difference{Lasting: lasting * both, Run: run * both}, near.explainsOwn, far.explainsOwn})
	}
	if c := p.AmongNodes(at, value).Center; p.HasOthers() && c != 0 {
		all = append(all, Beside{c, bounds.Difference{Lasting: p.ofNode() + lasting, Run: run}, near.explainsNodes, far.explainsNodes})
	}
	return all
}

// sure are the same peers as bounds of another certainty are drawn from them.
func (p *Peers) sure(e bounds.Certainty) *Peers {
	if e == p.certainty {
		return p
	}
	other := *p
	other.certainty = e
	other.explainParts()
	return &other
}

// shares of the chance to convict by mistake, where all three comparisons are made: of parts within their node, which tells most, of parts
// among other nodes, and of the node among others. Where nodes differ much more than their parts do, what parts among nodes would tell,
// the other two tell sooner.
func (p *Peers) shares(nodesDiffer bool) (own, nodes, whole float64) {
	switch {
	case !p.HasOthers() || len(p.Own) < 2:
		return 1, 1, 1
	case p.HasOwn() && nodesDiffer:
		return 0.75, 0.05, 0.2
	case p.HasOwn():
		return 0.5, 0.25, 0.25
	}
	return 0.5, 0.5, 0.5
}
