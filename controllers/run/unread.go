package run

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess"
)

const (
	// unreadGrace is how long a run that cannot be read is only tried again: what an API server has, it mostly has for a moment.
	unreadGrace = 30 * time.Second
	// unreadRecheck is how often it is tried after that.
	unreadRecheck = 15 * time.Second
)

// unread remembers since when active runs cannot be read. Losing it makes a run wait as long once more.
type unread struct {
	mu   sync.Mutex
	runs map[types.UID]time.Time
}

// since when a run cannot be read, which it cannot now.
func (u *unread) since(run types.UID, now time.Time) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.runs == nil {
		u.runs = map[types.UID]time.Time{}
	}
	if at, seen := u.runs[run]; seen && !at.After(now) {
		return at
	}
	u.runs[run] = now
	return now
}

func (u *unread) forget(run types.UID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.runs, run)
}

// unreadable tells a run what of it cannot be read, once that lasts. It goes on as soon as it can be read; if it never can, its pods are
// deleted at its deadline, and it is over after the grace: whoever waits for it must not wait for ever.
func (r *Reconciler) unreadable(ctx context.Context, run *v1alpha1.ValidationRun, cause error) (reconcile.Result, error) {
	now := r.Clock.Now()
	if now.Before(r.unread.since(run.UID, now).Add(unreadGrace)) {
		return reconcile.Result{}, cause
	}
	ctrl.LoggerFrom(ctx).Error(cause, message.LooksAgain(unreadRecheck))
	again, err := r.stall(ctx, run, v1alpha1.ReasonUnreadable, assess.Invalid(message.CannotRead(cause)))
	if again.RequeueAfter == 0 || again.RequeueAfter > unreadRecheck {
		again.RequeueAfter = unreadRecheck
	}
	return again, err
}
