package quarantine

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/quantity"
)

// NodeHistory and NodeValidation of a node are two objects, and two writes. The history goes first; the NodeValidation, which says of which state
// of the history it knows, is the one that counts. Both are refused where somebody has written since they were read, and each write of a history is
// followed by one of the NodeValidation: so whoever writes by an older history, or an older NodeValidation, is refused, reads both again and
// decides again. Where the process stops between the two, the run finds its own measurements in the history, and goes on from there.

// readKnown reads the history of the node, which goes with its NodeValidation as that was read before.
func (n *nodeWriter) readKnown(ctx context.Context) (err error) {
	if v := n.current.Validation; v != nil && v.NodeHistory == nil {
		known, err := n.move(ctx, n.name())
		n.current.Validation, n.current.History = known.Validation, known.History
		return err
	}
	n.current.History, err = n.History(ctx, n.name())
	return err
}

// storeHistory writes what was measured on the node, if that changed, and returns the state that goes with it. Where the API server will
// never take it, the state says that measurements are missing: an unfit node is tainted all the same.
func (n *nodeWriter) storeHistory(ctx context.Context, v *v1alpha1.NodeValidation, next *v1alpha1.NodeHistory) (*v1alpha1.NodeValidation, error) {
	before := n.current.History
	if next == nil || sameHistory(before, next) {
		return referring(v, before), nil
	}
	next = next.DeepCopy()
	if err := controllerutil.SetOwnerReference(n.current.Node, next, n.Scheme()); err != nil {
		return nil, fmt.Errorf("owning the NodeHistory: %w", err)
	}
	err := n.putHistory(ctx, before, next)
	if controllers.IsRefused(err) {
		n.refused = quantity.Clip(err.Error(), 300)
		return referring(nodevalidation.Unstored(v), before), nil
	}
	if err != nil {
		return nil, fmt.Errorf("storing the NodeHistory: %w", err)
	}
	n.current.History = next
	return referring(v, next), nil
}

// sameHistory: two histories say the same. Where there is none, one that says nothing is the same.
func sameHistory(before, next *v1alpha1.NodeHistory) bool {
	if before == nil {
		return len(next.Benchmarks) == 0
	}
	return before.NodeUID == next.NodeUID && before.OffenceCount == next.OffenceCount && equality.Semantic.DeepEqual(before.Benchmarks, next.Benchmarks)
}

func (k *Keeper) putHistory(ctx context.Context, before, next *v1alpha1.NodeHistory) error {
	err := controllers.Put(ctx, k, before != nil, next)
	if err == nil {
		next.SetManagedFields(nil)
		k.KnownFleet.Take(next)
	}
	return err
}

// referring is the state of a node that goes with a history; nil for none.
func referring(v *v1alpha1.NodeValidation, h *v1alpha1.NodeHistory) *v1alpha1.NodeValidation {
	is := v1alpha1.HistoryReference{}
	if v.NodeHistory != nil {
		is.IncompleteUntil = v.NodeHistory.IncompleteUntil
	}
	if h != nil {
		is.UID, is.Generation = h.UID, h.Generation
	}
	if v.NodeHistory != nil && *v.NodeHistory == is {
		return v
	}
	v = v.DeepCopy()
	v.NodeHistory = &is
	return v
}
