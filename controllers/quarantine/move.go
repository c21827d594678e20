package quarantine

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/assay-dev/assay/api/earlier"
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/taint"
)

const (
	// MoveAgain is the time between two tries to move the histories that are still in NodeValidations.
	MoveAgain = 2 * time.Second
	// moveFor is how long runs wait for what is tried. What cannot be moved by then is refused for good, or hangs, in a webhook perhaps: it is tried again
	// whenever its node is judged, and the runs of other nodes go on.
	moveFor = 5 * time.Minute
)

// Setup lets the manager move the histories of an earlier version, once it leads.
func (k *Keeper) Setup(mgr manager.Manager) error {
	k.moving.Store(true)
	return mgr.Add(manager.RunnableFunc(k.moveAll))
}

// Moving: histories of an earlier version are still being moved.
func (k *Keeper) Moving() bool { return k.moving.Load() }

// moveAll moves the histories that versions before NodeHistory kept in NodeValidations, once, when this process begins to lead. Runs wait for it:
// what all nodes reached is what theirs are compared with.
func (k *Keeper) moveAll(ctx context.Context) error {
	var known atomic.Bool // what is to be moved is
	limit, stop := context.WithTimeout(ctx, moveFor)
	defer stop()
	context.AfterFunc(limit, func() { // also while a write hangs
		if known.Load() {
			k.moving.Store(false)
		}
	})
	_ = wait.PollUntilContextCancel(ctx, MoveAgain, true, func(ctx context.Context) (done bool, _ error) {
		records, err := k.Records(ctx)
		unmoved := list.Those(records, func(v *v1alpha1.NodeValidation) bool { return v.NodeHistory == nil })
		if err == nil {
			known.Store(true)
			err = controllers.Each(unmoved, func(v *v1alpha1.NodeValidation) error {
				_, err := k.move(ctx, v.Name)
				return err
			})
		}
		if err != nil {
			ctrl.LoggerFrom(ctx).Info(fmt.Sprintf(historiesToMove, len(unmoved), moveFor), "error", err)
		}
		if done = err == nil || known.Load() && limit.Err() != nil; done {
			k.moving.Store(false)
		}
		return done, nil
	})
	return nil
}

// move the history of one node out of its NodeValidation, as that is stored at this moment, and return both. The NodeHistory goes first, so that
// nothing is lost where the process stops in between. Whoever moves it again comes to the same.
func (k *Keeper) move(ctx context.Context, name string) (nodevalidation.Known, error) {
	data, err := controllers.Raw(ctx, k.Live, "NodeValidation", name)
	if err != nil {
		return nodevalidation.Known{}, client.IgnoreNotFound(err)
	}
	read, moved, err := earlier.Read(data)
	if err != nil {
		return nodevalidation.Known{}, fmt.Errorf("NodeValidation %s: %w", name, err)
	}
	stored, err := k.History(ctx, name)
	if err != nil || read.NodeHistory != nil {
		return nodevalidation.Known{Validation: &read, History: stored}, err
	}
	known := nodevalidation.Moved(&read, moved, stored)
	v := known.Validation
	switch {
	case len(known.History.Benchmarks) == 0:
		known.History = stored
	default:
		err = k.putHistory(ctx, stored, known.History)
	}
	if controllers.IsRefused(err) {
		v, known.History, err = nodevalidation.Unstored(v), stored, nil
	}
	if err != nil {
		return nodevalidation.Known{}, fmt.Errorf("storing NodeHistory %s: %w", name, err)
	}
	known.Validation = taint.Labelled(referring(v, known.History), name)
	if err := k.Update(ctx, known.Validation, controllers.FieldOwner); err != nil {
		return nodevalidation.Known{}, fmt.Errorf("moving the history of NodeValidation %s: %w", name, err)
	}
	k.Recent.Wrote(known.Validation)
	return known, nil
}
