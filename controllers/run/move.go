package run

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/earlier"
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// moveAgain is the time between two tries to move the histories that are still in NodeValidations.
const moveAgain = 2 * time.Second

// moveAll moves the histories that versions before NodeHistory kept in NodeValidations, once, when this process begins to lead. Runs wait for it:
// what all nodes reached is what theirs are compared with.
func (r *Reconciler) moveAll(ctx context.Context) error {
	_ = wait.PollUntilContextCancel(ctx, moveAgain, true, func(ctx context.Context) (moved bool, _ error) {
		left, err := r.moveSome(ctx)
		if moved = err == nil && left == 0; moved {
			r.moving.Store(false)
		} else {
			ctrl.LoggerFrom(ctx).Info(fmt.Sprintf(historiesToMove, left), "error", err)
		}
		return moved, nil
	})
	return nil
}

// moveSome moves what the cache shows, and says how many could not be moved, or whether nothing could be read.
func (r *Reconciler) moveSome(ctx context.Context) (left int, err error) {
	records, err := r.records(ctx)
	if err != nil {
		return 0, err
	}
	unmoved := list.Those(records, func(v *v1alpha1.NodeValidation) bool { return v.NodeHistory == nil })
	err = controllers.Each(unmoved, func(v *v1alpha1.NodeValidation) error {
		_, err := r.move(ctx, v.Name)
		return err
	})
	if err != nil {
		left = len(unmoved)
	}
	return left, err
}

// move the history of one node out of its NodeValidation, as that is stored at this moment, and return both. The NodeHistory goes first, so that
// nothing is lost where the process stops in between. Whoever moves it again comes to the same.
func (r *Reconciler) move(ctx context.Context, name string) (nodevalidation.Known, error) {
	data, err := r.raw(ctx, "NodeValidation", name)
	if err != nil {
		return nodevalidation.Known{}, client.IgnoreNotFound(err)
	}
	read, moved, err := earlier.Read(data)
	if err != nil {
		return nodevalidation.Known{}, fmt.Errorf("NodeValidation %s: %w", name, err)
	}
	stored, err := r.readHistory(ctx, name)
	if err != nil || read.NodeHistory != nil {
		return nodevalidation.Known{Validation: &read, History: stored}, err
	}
	k := nodevalidation.Moved(&read, moved, stored)
	v := k.Validation
	switch {
	case len(k.History.Benchmarks) == 0:
		k.History = stored
	default:
		err = r.putHistory(ctx, stored, k.History)
	}
	if isRefused(err) {
		v, k.History, err = nodevalidation.Unstored(v), stored, nil
	}
	if err != nil {
		return nodevalidation.Known{}, fmt.Errorf("storing NodeHistory %s: %w", name, err)
	}
	k.Validation = taint.Labelled(referring(v, k.History), name)
	if err := r.Update(ctx, k.Validation, client.FieldOwner(fieldOwner)); err != nil {
		return nodevalidation.Known{}, fmt.Errorf("moving the history of NodeValidation %s: %w", name, err)
	}
	r.recent.Wrote(k.Validation)
	return k, nil
}
