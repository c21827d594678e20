package quarantine

import (
	"fmt"

	"github.com/assay-dev/assay/internal/operate/taint"
)

// room says why a node must not be called unfit: more than the run may taint of its nodes, or than the operator may of any pool of them.
func (p *pass) room(b *budget, n *nodeWriter) string {
	if n.replaced != nil { // it counts already, and no other node is called unfit
		return ""
	}
	ofRun := 0
	for name, is := range b.ofRun {
		if is && name != n.name() {
			ofRun++
		}
	}
	why := b.noneUnfit
	if n.tainting() {
		why = b.noneTainted
		if why == "" && b.breaker.Limit <= ofRun {
			_, why = taint.MayTaint(b.breaker, ofRun)
		}
	}
	if why == "" {
		why = b.Refuses(n.current.Node, n.judgement.Resources())
	}
	switch {
	case why == "":
		return ""
	case n.tainting():
		return taint.NotTainted(why)
	}
	return fmt.Sprintf(notCalledUnfit, why)
}

// isUnfit before anything is written: it is tainted, or convicted, where a leader that stopped may have announced its taint and not written it.
func (n *nodeWriter) isUnfit() bool {
	return n.current.Tainted() || n.current.Convicted()
}

// take counts a node that is to be called unfit.
func (b *budget) take(n *nodeWriter) {
	b.Take(n.current.Node, n.judgement.Resources()...)
	b.ofRun[n.name()] = b.ofRun[n.name()] || n.tainting()
}
