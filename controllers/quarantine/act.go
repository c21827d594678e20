package quarantine

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// batchOfNodes are called unfit together: they are counted together, and all that is known of them is in memory at once.
const batchOfNodes = 128

// Act does for each node that was judged what follows from that. Those that nothing speaks against, now or on record, come last: they make no room
// in a budget, and are nearly all of a fleet, of which many are judged at once.
func (k *Keeper) Act(ctx context.Context, of Pass) error {
	p := &pass{Keeper: k, Pass: of}
	return errors.Join(p.actOn(ctx, list.Where(of.Out.Judged, doubtful)),
		p.actOn(ctx, list.Where(of.Out.Judged, func(n assess.JudgedNode) bool { return !doubtful(n) })))
}

// doubtful: something speaks, or spoke, against the node.
func doubtful(n assess.JudgedNode) bool {
	v := n.Validation
	return n.Verdict != v1alpha1.VerdictPass || taint.MarkOn(n.Node) != "" || v != nil && (v.Quarantine != nil || len(v.Convictions) > 0)
}

// actOn these nodes. Those that are to be called unfit wait for others, to be counted with them.
func (p *pass) actOn(ctx context.Context, judged []assess.JudgedNode) error {
	var errs []error
	var unfit []*nodeWriter
	for some := range slices.Chunk(judged, batchOfNodes) {
		errs = append(errs, controllers.Each(some, func(judged assess.JudgedNode) error {
			n, err := p.actOnNode(ctx, judged)
			if n != nil {
				p.mu.Lock()
				defer p.mu.Unlock()
				unfit = append(unfit, n)
			}
			return err
		}))
		if len(unfit) >= batchOfNodes {
			errs, unfit = append(errs, p.condemn(ctx, unfit)), nil
		}
	}
	return errors.Join(append(errs, p.condemn(ctx, unfit))...)
}

// actOnNode returns a node that is to be called unfit, which is left to do. It does nothing where the result that justifies it is not stored as it was judged, nor where it has done all before and
// nothing has changed since: in a large run most nodes are settled in most passes, and each would cost a copy of all that is known of it.
func (p *pass) actOnNode(ctx context.Context, judged assess.JudgedNode) (*nodeWriter, error) {
	n := &nodeWriter{pass: p, current: taint.Current{Node: judged.Node, Validation: judged.Validation}}
	n.judgement.Verdict, n.judgement.BreakerOpen = judged.Verdict, p.Out.Breaker.Open
	stored, whole := p.Stored(judged.Result)
	if !whole {
		return nil, nil
	}
	n.judgement.Result = stored
	if note, ok := p.Memory.note(n.name(), n.standing()); ok {
		if note != "" {
			p.Note(n.name(), func(found *assess.NodeWritten) { found.Note = note })
		}
		return nil, nil
	}
	if err := n.readKnown(ctx); err != nil {
		return nil, err
	}
	n.judgement = judged.Judge(n.current.Validation, n.current.History)
	n.judgement.Result, _ = p.Stored(n.judgement.Result)
	if waits, err := n.act(ctx); !waits {
		return nil, n.finish(ctx, err)
	}
	return n, nil
}
