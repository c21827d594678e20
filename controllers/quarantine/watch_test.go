package quarantine

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/hand"
)

// TestWhatIsDeletedIsNotAwaited: what was just written counts until the cache has it, unless somebody has deleted it since.
func TestWhatIsDeletedIsNotAwaited(t *testing.T) {
	h := hand.New(t)
	r := keeperOf(h)
	written := &v1alpha1.NodeValidation{}
	written.Name, written.UID, written.ResourceVersion = "a", "uid", "7"
	r.Recent.Wrote(written)
	if v, err := r.Validation(t.Context(), "a"); err != nil || v != written {
		t.Errorf("error %v; before the cache has it, %v is known", err, v)
	}
	r.strays().Delete(t.Context(), event.DeleteEvent{Object: written}, nil)
	if v, err := r.Validation(t.Context(), "a"); err != nil || v != nil {
		t.Errorf("error %v; after it was deleted, %v is known", err, v)
	}
}
