package operator

import (
	"slices"

	"github.com/assay-dev/assay/test/campaign/kube"
)

// parts of a pass that it does at the same time: those that are at work, and those that are still to begin.
type parts struct {
	open bool
	at   []*actor
	left []int
	do   func(int)
}

// divides stands for a call to nobody: the pass goes on when all its parts are done.
var divides kube.Call

// parallel does things from 0 to n-1, as many at a time as there are writers, in an order that follows from the seed; one after the other, if there is one
// writer. Their calls come in any order, as those of several passes do.
func (l *Leaders) parallel(n int, do func(int)) {
	a := l.current
	if a == nil || a.dead || n < 2 || l.setup.Writers < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	a.parts = parts{open: true, do: do}
	for i := range n {
		at := int(l.Draw("part/"+a.request.Name) % uint64(i+1))
		a.parts.left = slices.Insert(a.parts.left, at, i)
	}
	a.signal <- &divides
	<-a.proceed
}

// goOnWithParts of a pass: the next ones begin, and once all are done the pass itself goes on.
func (a *actor) goOnWithParts() {
	l, p := a.c.p.leaders, &a.parts
	for p.open && !a.dead && len(p.left) > 0 && len(p.at) < l.setup.Writers {
		i := p.left[0]
		p.left = p.left[1:]
		part := &actor{c: a.c, request: a.request, rope: l.ropes.take(), parent: a}
		p.at = append(p.at, part)
		part.begin(func() { p.do(i) })
	}
	if p.open && !a.dead && len(p.at)+len(p.left) == 0 {
		p.open = false
		l.current = a
		a.proceed <- Ruling{}
		a.await()
	}
}

// leave the pass that this is a part of, if it is one.
func (a *actor) leave() (isPart bool) {
	if a.parent == nil {
		return false
	}
	a.parent.parts.at = slices.DeleteFunc(a.parent.parts.at, func(o *actor) bool { return o == a })
	a.c.p.leaders.After(0, a.parent.goOnWithParts)
	return true
}
