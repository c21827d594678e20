package quarantine

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/internal/quantity"
)

// nodeWriter brings one judged node to the state that its verdict asks for: what is known of it, its taint, its condition and label.
// The record comes first, whether a taint is to be written or removed: nobody can change it unseen, and the node follows it.
type nodeWriter struct {
	*pass
	judgement taint.Judgement
	// current is the node and what is known of it, as it was read or written last.
	current taint.Current
	// note is what was, or was not, done, and what the node still owes.
	note string
	// refused says why the API server did not take the whole of what is known of the node; empty: it did.
	refused string

	// Of a node that is to be called unfit: what was decided, whether it counted already, whether its quarantine was announced, why there is no room for it, and what
	// became of its last step.
	next taint.Next
	// counts: it was unfit before, and no other node of its batch may have its place. changed: somebody wrote to it before its taint came.
	counts bool
	// replaced is the quarantine on record of a node that carries a taint of ours, and is to get another one in its place.
	replaced  *v1alpha1.Quarantine
	changed   bool
	announced bool
	spent     string
	goesOn    bool
	err       error
}

func (n *nodeWriter) name() string { return n.current.Node.Name }

// act on the node, unless it is to be called unfit: then it waits.
func (n *nodeWriter) act(ctx context.Context) (waits bool, err error) {
	n.next = n.judgement.Next(n.current)
	n.note = n.next.Note
	switch {
	case n.next.Action == taint.Lift:
		return false, n.lift(ctx)
	case n.next.Action == taint.AddTaint || n.judgement.Convicts(n.current, n.next):
		return true, nil
	}
	return false, n.carryOut(ctx, n.next)
}

// carryOut stores what is known of the node, and lets its condition and label say so.
func (n *nodeWriter) carryOut(ctx context.Context, next taint.Next) error {
	n.note = next.Note
	if err := n.store(ctx, next.Validation, next.History); err != nil {
		return err
	}
	w, ok := n.judgement.Says(n.current)
	switch {
	case !ok && n.replaced != nil:
		w = n.judgement.Changed(n.current)
	case !ok:
		return nil
	}
	return n.show(ctx, w)
}

// store writes what is known of the node, if that changed. h is nil where nothing was measured since it was written.
func (n *nodeWriter) store(ctx context.Context, v *v1alpha1.NodeValidation, h *v1alpha1.NodeHistory) error {
	next, err := n.storeHistory(ctx, v, h)
	if err != nil {
		return err
	}
	before := n.current.Validation
	if before != nil && equality.Semantic.DeepEqual(before, next) {
		return nil
	}
	next = taint.Labelled(next, n.name())
	if err := controllerutil.SetOwnerReference(n.current.Node, next, n.Scheme()); err != nil {
		return fmt.Errorf("owning the NodeValidation: %w", err)
	}
	if err := n.supersede(ctx, taint.MarkOf(next.Quarantine)); err != nil {
		return err
	}
	if err := controllers.Put(ctx, n, before != nil, next); err != nil {
		return fmt.Errorf("storing the NodeValidation: %w", err)
	}
	next.SetManagedFields(nil)
	n.Recent.Wrote(next)
	n.tell(before, next)
	n.current.Validation = next
	return nil
}

// supersede keeps another leader from carrying out what it has announced, and what this one is about to take back or replace. The node comes first: whoever
// announces the quarantine anew has read the node before, and writes the record after it, which is not as it was read here then.
func (n *nodeWriter) supersede(ctx context.Context, next string) error {
	mark := n.mark()
	if mark == "" || mark == next || !n.announcements.others(mark) || taint.Wears(n.current.Node, mark) {
		return nil
	}
	node, err := n.fence(ctx, n.current.Node, mark)
	if node != nil && node.UID == n.current.Node.UID {
		n.current.Node = node
	}
	return err
}

// tell once, by an event on the node, that this run failed or could not measure it.
func (n *nodeWriter) tell(before, next *v1alpha1.NodeValidation) {
	found := quantity.Clip(n.judgement.Message, 900)
	switch {
	case n.judgement.Verdict == v1alpha1.VerdictFail && (before == nil || before.OffenceCount < next.OffenceCount):
		n.Recorder.Eventf(n.current.Node, n.Run, corev1.EventTypeWarning, v1alpha1.ReasonNodeFailed, "Validate", "%s",
			taint.FailedInRun(n.Run.Name, found))
	case n.judgement.Verdict == v1alpha1.VerdictError && next.LastRun.UID == n.Run.UID && (before == nil || before.LastRun.UID != n.Run.UID):
		n.Recorder.Eventf(n.current.Node, n.Run, corev1.EventTypeWarning, v1alpha1.ReasonNodeNotMeasured, "Validate", "%s",
			notMeasuredInRun(n.Run.Name, found))
	}
}

// finish with a node: mend what a leader that stopped has left on it, and note what was found out.
func (n *nodeWriter) finish(ctx context.Context, err error) error {
	if err == nil && taint.IsStray(n.current.Node, quarantineOf(n.current.Validation)) {
		var mended *corev1.Node
		if mended, err = n.mend(ctx, n.name()); mended != nil && mended.UID == n.current.Node.UID {
			n.current.Node = mended
		}
	}
	owes := n.note
	if n.refused != "" {
		if n.note != "" {
			n.note += "; "
		}
		n.note += historyRefused(n.refused)
	}
	n.note = n.judgement.Noted(n.note, n.current.Validation)
	if err == nil && owes == "" { // a node that still owes something, or waits for it, is looked at in every pass; one that is warned of is not
		n.Memory.settled.Set(n.name(), settledNode{n.standing(), n.note})
	}
	tainted := n.current.Tainted()
	n.Note(n.name(), func(found *assess.NodeWritten) { found.Note, found.Tainted = n.note, &tainted })
	if err != nil {
		return fmt.Errorf("acting on node %s: %w", n.name(), err)
	}
	return nil
}

// standing is all that decides what is done about the node.
func (n *nodeWriter) standing() standing {
	now := standing{node: taint.CarriedBy(n.current.Node), result: n.judgement.Result.ResourceVersion, verdict: n.judgement.Verdict, breaker: n.judgement.BreakerOpen}
	if n.current.Validation != nil {
		now.validation = n.current.Validation.ResourceVersion
	}
	return now
}
