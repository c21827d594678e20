package quarantine

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/hand"
)

// TestRunsWaitUntilHistoriesAreMoved: where the records cannot be read at first, they are looked at again, and runs wait for that.
func TestRunsWaitUntilHistoriesAreMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hand.New(t)
		var up atomic.Bool
		h.Unread = func(string) error {
			if !up.Load() {
				return hand.ErrDown
			}
			return nil
		}
		k := keeperOf(h)
		k.moving.Store(true)
		ended := make(chan error)
		go func() { ended <- k.moveAll(t.Context()) }()
		synctest.Wait()
		if !k.Moving() {
			t.Error("runs go on, although nobody could read what is to be moved")
		}
		up.Store(true)
		time.Sleep(MoveAgain) // of the bubble's clock
		if err := <-ended; err != nil || k.Moving() {
			t.Errorf("error %v; runs still wait: %v", err, k.Moving())
		}
	})
}

// TestRunsDoNotWaitForWhatIsRefused: the record of one node, which a webhook refuses for good, does not keep the runs of all others.
func TestRunsDoNotWaitForWhatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &v1alpha1.NodeValidation{}, &v1alpha1.NodeValidation{}
		a.Name, a.UID, b.Name, b.UID = "a", "uid-a", "b", "uid-b"
		h := hand.New(t, nodeOf("a"), nodeOf("b"), a, b)
		h.Refuse = hand.Refusing("update NodeValidation b", 1000, apierrors.NewInvalid(schema.GroupKind{Kind: "NodeValidation"}, "b", nil))
		k := keeperOf(h)
		k.moving.Store(true)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() { _ = k.moveAll(ctx) }()
		time.Sleep(moveTries * MoveAgain) // of the bubble's clock
		synctest.Wait()
		if k.Moving() {
			t.Error("runs still wait")
		}
	})
}
