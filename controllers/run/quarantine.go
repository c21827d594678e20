package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/internal/quantity"
)

// batchOfNodes are called unfit together: they are counted together, and all that is known of them is in memory at once.
const batchOfNodes = 128

// batch of nodes that failed, on their way to be called unfit. Those that are done, or cannot go on, leave it.
type batch struct {
	*writer
	nodes []*nodeWriter
}

// condemn calls nodes unfit that failed. Those that somebody writes to just then are read, decided and counted anew.
func (w *writer) condemn(ctx context.Context, nodes []*nodeWriter) error {
	w.taints.Lock()
	defer w.taints.Unlock()
	var errs []error
	for try := 1; len(nodes) > 0; try++ {
		w.callUnfit(ctx, nodes)
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
func (w *writer) callUnfit(ctx context.Context, nodes []*nodeWriter) {
	slices.SortFunc(nodes, func(a, b *nodeWriter) int { // the worst come first: there may not be room for all
		return cmp.Or(cmp.Compare(b.judgement.Shortfall(), a.judgement.Shortfall()), strings.Compare(a.name(), b.name()))
	})
	b := &batch{writer: w, nodes: slices.Clone(nodes)}
	for _, n := range b.nodes {
		if w.budget != nil && !n.current.Tainted() { // hundreds may be waiting: none is read anew for that
			n.spent = w.room(w.budget, n)
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

// tainting: the node is to be tainted, and not only convicted.
func (n *nodeWriter) tainting() bool { return n.next.Action == taint.AddTaint }

// decide what becomes of the node: by what is there at this moment, unless that makes no difference.
func (n *nodeWriter) decide(ctx context.Context) (bool, error) {
	if n.spent != "" {
		return false, n.carryOut(ctx, n.judgement.Spent(n.current, n.spent))
	}
	n.next = n.decision()
	if !n.tainting() || n.changed || !n.untouched() {
		if same, err := n.refresh(ctx); err != nil || !same {
			return false, err
		}
		n.next = n.decision()
	}
	n.note, n.counts, n.replaced = n.next.Note, n.isUnfit(), nil
	if n.tainting() && n.next.Replaces(n.current) {
		n.replaced = quarantineOf(n.current.Validation)
	}
	switch {
	case n.next.Action == taint.Lift:
		return false, n.liftNow(ctx)
	case n.tainting():
		err := n.memory.refusedLately(n.name(), n.Clock.Now())
		return err == nil, err
	case n.judgement.Convicts(n.current, n.next):
		return true, nil
	}
	return false, n.carryOut(ctx, n.next)
}

func (n *nodeWriter) decision() taint.Next {
	if n.judgement.Taint == nil {
		return n.judgement.Next(n.current)
	}
	return n.judgement.Quarantine(n.current, func(t corev1.Taint) bool { return n.Policy.Refuses(t) == "" })
}

// untouched: as it was read, the node has nothing of Assay's that could have changed since. So it is not read anew to be tainted: if it was read
// too early, the API server refuses the record, or the taint.
func (n *nodeWriter) untouched() bool {
	return taint.MarkOn(n.current.Node) == "" && quarantineOf(n.current.Validation) == nil
}

// standBack from a node for which there is no room, before anything was written.
func (n *nodeWriter) standBack(ctx context.Context) error {
	if !n.tainting() {
		return n.carryOut(ctx, n.judgement.Spent(n.current, n.spent))
	}
	return n.store(ctx, n.judgement.Renounced(n.next.Validation, n.next.Standing), n.next.History)
}

// announce records that the node is unfit. It always writes: what this process announced before, and could not carry out, another leader may be about to take
// back, and has written the node for that before the node was read here.
func (n *nodeWriter) announce(ctx context.Context) error {
	if !n.tainting() {
		return n.store(ctx, n.next.Validation, n.next.History)
	}
	if err := n.store(ctx, n.judgement.Announced(n.next, uuid.NewUUID()), n.next.History); err != nil {
		return err
	}
	n.announced = true
	n.announcements.set(n.mark(), announcement{since: n.Clock.Now(), own: true})
	return nil
}

// mark that binds the node to its record.
func (n *nodeWriter) mark() string {
	if n.current.Validation == nil {
		return ""
	}
	return taint.MarkOf(n.current.Validation.Quarantine)
}

// overtaken: somebody has taken back, or replaced, what this process announced. The metadata of the record may lack it, where something strips
// annotations: then the record itself says.
func (n *nodeWriter) overtaken(ctx context.Context, b *budget) (bool, error) {
	listed, ok := b.records[n.name()]
	if !n.announced || listed.Annotations[v1alpha1.AnnotationQuarantine] == n.mark() {
		return false, nil
	}
	if _, told := listed.Annotations[v1alpha1.AnnotationQuarantine]; ok && told {
		return true, nil
	}
	_, record, err := controllers.LiveNode(ctx, n.Live, n.name())
	return taint.MarkOf(quarantineOf(record)) != n.mark(), err
}

// renounce what was announced, after the taint if it was written: nobody counts it once the record is gone.
func (n *nodeWriter) renounce(ctx context.Context) error {
	if err := n.free(ctx, n.mark(), n.spent); err != nil {
		return err
	}
	return n.withdraw(ctx)
}

// giveWay to whoever has changed the record of the node since it was announced. Where the node was tainted before, it gets what the record says now.
func (n *nodeWriter) giveWay(ctx context.Context) error {
	if n.replaced == nil {
		return n.free(ctx, n.mark(), fmt.Sprintf(recordOvertaken, n.name()))
	}
	_, err := n.mend(ctx, n.name())
	return err
}

// withdraw what was announced, and not carried out, from the record. What it was to replace stands again: the node still carries it.
func (n *nodeWriter) withdraw(ctx context.Context) error {
	if n.replaced != nil {
		v := n.current.Validation.DeepCopy()
		v.Quarantine = n.replaced
		return n.store(ctx, v, nil)
	}
	return n.store(ctx, n.judgement.Renounced(n.current.Validation, n.next.Validation.Convictions), nil)
}

// addTaint writes the taint that was announced. It is false where somebody else has put theirs there since the node was read, or the node is gone.
func (n *nodeWriter) addTaint(ctx context.Context) (bool, error) {
	if !n.tainting() {
		return true, nil
	}
	changed, err := n.bind(ctx)
	switch {
	case controllers.IsDenied(err):
		return false, n.refusedTaint(ctx, err)
	case apierrors.IsConflict(err): // it is decided anew, by what is there then
		n.changed = true
		return false, errors.Join(n.withdraw(ctx), fmt.Errorf("tainting: %w", err))
	case err != nil:
		return false, fmt.Errorf("tainting: %w", err)
	case !n.bound():
		return false, n.giveUpTaint(ctx)
	case changed:
		n.announcements.set(n.mark(), announcement{seen: true})
		n.tellTaint()
	}
	return true, nil
}

// bound: the node carries the taint of its quarantine, with the mark.
func (n *nodeWriter) bound() bool {
	q := n.current.Validation.Quarantine
	return taint.StateOf(n.current.Node, taint.Of(q), q) == taint.Ours
}

// refusedTaint withdraws what was announced for a node that the API server does not let be tainted, so that it takes up no room.
func (n *nodeWriter) refusedTaint(ctx context.Context, cause error) error {
	cause = fmt.Errorf(taintRefused, cause, refusedRecheck)
	n.memory.refusals.set(n.name(), refusal{n.Clock.Now(), cause})
	n.Recorder.Eventf(n.current.Node, n.run, corev1.EventTypeWarning, v1alpha1.ReasonTaintRefused, "Taint", "%s", quantity.Clip(cause.Error(), 1000))
	return errors.Join(cause, n.withdraw(ctx))
}

// giveUpTaint withdraws what was announced for a node that carries a taint of others in its place: it is convicted without one.
func (n *nodeWriter) giveUpTaint(ctx context.Context) error {
	if n.replaced != nil {
		return n.withdraw(ctx)
	}
	unannounced := n.current
	unannounced.Validation = n.current.Validation.DeepCopy()
	unannounced.Validation.Quarantine = nil
	next := n.judgement.Quarantine(unannounced, func(corev1.Taint) bool { return true })
	if next.Action == taint.AddTaint { // nothing is there, not even the node: the record goes with it
		return nil
	}
	return n.carryOut(ctx, next)
}
