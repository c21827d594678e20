package quarantine

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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
