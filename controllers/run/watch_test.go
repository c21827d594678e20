package run

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestWhatIsDeletedIsNotAwaited: what was just written counts until the cache has it, unless somebody has deleted it since.
func TestWhatIsDeletedIsNotAwaited(t *testing.T) {
	h := newHand(t)
	r := h.reconciler()
	written := &v1alpha1.NodeValidation{}
	written.Name, written.UID, written.ResourceVersion = "a", "uid", "7"
	r.recent.Wrote(written)
	if v, err := r.nodeValidation(t.Context(), "a"); err != nil || v != written {
		t.Errorf("error %v; before the cache has it, %v is known", err, v)
	}
	r.strays().Delete(t.Context(), event.DeleteEvent{Object: written}, nil)
	if v, err := r.nodeValidation(t.Context(), "a"); err != nil || v != nil {
		t.Errorf("error %v; after it was deleted, %v is known", err, v)
	}
}
