package fleet

import "github.com/assay-dev/assay/internal/judge/bounds"

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
