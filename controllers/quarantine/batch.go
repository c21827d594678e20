package quarantine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// batch of nodes that failed, on their way to be called unfit. Those that are done, or cannot go on, leave it.
type batch struct {
	*pass
	nodes []*nodeWriter
}

// condemn calls nodes unfit that failed. Those that somebody writes to just then are read, decided and counted anew.
func (p *pass) condemn(ctx context.Context, nodes []*nodeWriter) error {
	p.Taints.Lock()
	defer p.Taints.Unlock()
	var errs []error
	for try := 1; len(nodes) > 0; try++ {
		p.callUnfit(ctx, nodes)
		var changed, done []*nodeWriter
		for _, n := range nodes {
			if n.changed && apierrors.IsConflict(n.err) && try < conflictTries {
				n.err, n.announced = nil, false
				changed = append(changed, n)
			} else {
				done = append(done, n)
			}
		}
		errs = append(errs, controllers.Each(done, func(n *nodeWriter) error { return n.finish(ctx, n.err) }))
		nodes = changed
	}
	return errors.Join(errs...)
}

// conflictTries is how often a node is to be tainted in one pass.
const conflictTries = 3

// callUnfit goes through all steps. The record of each node comes first, and then the budgets are counted, records included: of two leaders
// that both think they lead, the later one to count sees what the other one has announced. After the taints the records are looked at once
// more: what was written without one, by a leader that was overtaken, is taken back.
func (p *pass) callUnfit(ctx context.Context, nodes []*nodeWriter) {
	slices.SortFunc(nodes, func(a, b *nodeWriter) int { // the worst come first: there may not be room for all
		return cmp.Or(cmp.Compare(b.judgement.Shortfall(), a.judgement.Shortfall()), strings.Compare(a.name(), b.name()))
	})
	b := &batch{pass: p, nodes: slices.Clone(nodes)}
	for _, n := range b.nodes {
		if p.budget != nil && !n.current.Tainted() { // hundreds may be waiting: none is read anew for that
			n.spent = p.room(p.budget, n)
		}
	}
	b.each(func(n *nodeWriter) (bool, error) { return n.decide(ctx) })
	b.settle(ctx, false, func(n *nodeWriter) error { return n.standBack(ctx) })
	b.each(func(n *nodeWriter) (bool, error) { return true, n.announce(ctx) })
	b.settle(ctx, false, func(n *nodeWriter) error { return n.renounce(ctx) })
	b.each(func(n *nodeWriter) (bool, error) { return n.addTaint(ctx) })
	b.settle(ctx, true, func(n *nodeWriter) error { return n.renounce(ctx) })
	b.each(func(n *nodeWriter) (bool, error) {
		return false, n.carryOut(ctx, taint.Next{Validation: n.current.Validation, Note: n.note})
	})
}

// each does the next step for all nodes of the batch; those that are not to go on leave it.
func (b *batch) each(step func(*nodeWriter) (bool, error)) {
	_ = controllers.Each(b.nodes, func(n *nodeWriter) error {
		n.goesOn, n.err = step(n)
		return nil
	})
	b.nodes = slices.DeleteFunc(b.nodes, func(n *nodeWriter) bool { return n.err != nil || !n.goesOn })
}

// settle counts, and lets those nodes go on for which there is room.
func (b *batch) settle(ctx context.Context, carried bool, leave func(*nodeWriter) error) {
	if len(b.nodes) == 0 {
		return
	}
	counted, err := b.count(ctx, b.nodes, carried)
	if err != nil { // the records stand, and count; the next pass goes on from here
		b.each(func(*nodeWriter) (bool, error) { return false, err })
		return
	}
	b.budget = counted
	for _, n := range b.nodes {
		if n.spent = b.room(counted, n); n.spent == "" {
			counted.take(n)
		}
	}
	b.each(func(n *nodeWriter) (bool, error) {
		overtaken, err := n.overtaken(ctx, counted)
		switch {
		case err != nil:
			return false, err
		case overtaken:
			return false, errors.Join(fmt.Errorf(recordOvertaken, n.name()), n.giveWay(ctx))
		case n.spent != "":
			n.note = n.spent
			return false, leave(n)
		}
		return true, nil
	})
}
