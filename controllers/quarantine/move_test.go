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

// TestRunsDoNotWaitForWhatIsRefused (P2): the record of one node, which a webhook refuses for good, at once or only after an hour, does not keep the runs of all others.
func TestRunsDoNotWaitForWhatIsRefused(t *testing.T) {
	for sentence, takes := range map[string]time.Duration{"at once": 0, "after a minute": time.Minute, "after an hour": time.Hour} {
		t.Run(sentence, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { waitsForRefused(t, takes) }) })
	}
}

func waitsForRefused(t *testing.T, takes time.Duration) {
	t.Helper()
	a, b := &v1alpha1.NodeValidation{}, &v1alpha1.NodeValidation{}
	a.Name, a.UID, b.Name, b.UID = "a", "uid-a", "b", "uid-b"
	h := hand.New(t, nodeOf("a"), nodeOf("b"), a, b)
	refuse := hand.Refusing("update NodeValidation b", 1000, apierrors.NewInvalid(schema.GroupKind{Kind: "NodeValidation"}, "b", nil))
	h.Refuse = func(write string) error {
		err := refuse(write)
		if err != nil {
			time.Sleep(takes) // of the bubble's clock, as all below
		}
		return err
	}
	k := keeperOf(h)
	k.moving.Store(true)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { _ = k.moveAll(ctx) }()
	time.Sleep(moveFor + MoveAgain)
	synctest.Wait()
	if k.Moving() {
		t.Error("runs still wait")
	}
	stop()
	time.Sleep(takes) // for the write that goes on
}
