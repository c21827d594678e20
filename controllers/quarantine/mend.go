package quarantine

import (
	"cmp"
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// strayFor is how long a node's mark, or its condition, may differ from its record before that is looked into: both are being written, or the cache has
// seen one of them only.
const strayFor = 10 * time.Second

// Mending looks after nodes whose mark names a quarantine that is not theirs any more, as a leader wrote it, or was to remove it, and
// stopped; after those whose taint lost its mark, or was written before there were marks; and after those that say the opposite of their record. It sees
// them when the operator starts and when a node or its record changes, whether or not any run is active.
func (k *Keeper) Mending() controllers.Controller {
	return controllers.Controller{Name: "quarantine", Reconciler: reconcile.Func(k.mendStray), Concurrency: 1, Watches: []controllers.Watch{
		{Object: &corev1.Node{}, Handler: k.strays()},
		{Object: &v1alpha1.NodeValidation{}, Handler: k.strays()},
	}}
}

// strays wakes mendStray, a moment later, for nodes that have a mark, or the taint of their quarantine, or owe a word: few do for long.
func (k *Keeper) strays() handler.EventHandler {
	return controllers.OnChange(k.Recent, func(ctx context.Context, before, now client.Object, q controllers.Queue) {
		k.tellLate(before, now)
		if before != nil && now != nil && boundBy(before) == boundBy(now) {
			return
		}
		node, key := &corev1.Node{}, client.ObjectKey{Name: cmp.Or(now, before).GetName()}
		if k.Get(ctx, key, node, controllers.Shared) != nil {
			return
		}
		record := &v1alpha1.NodeValidation{}
		if taint.MarkOn(node) != "" || k.Get(ctx, key, record, controllers.Shared) == nil && astray(node, record) {
			q.AddAfter(reconcile.Request{NamespacedName: key}, strayFor)
		}
	})
}

// astray: the node's taint, or its condition, is not what its record says.
func astray(node *corev1.Node, record *v1alpha1.NodeValidation) bool {
	_, owes := taint.Owed(taint.Current{Node: node, Validation: record})
	return owes || taint.IsStray(node, quarantineOf(record))
}

// boundBy is what a node, or a record, says of taint, quarantine and verdict.
func boundBy(o client.Object) string {
	switch o := o.(type) {
	case *corev1.Node:
		text := string(o.UID) + taint.MarkOn(o) + taint.Said(o) // another one of its name may come in one event
		for i := range o.Spec.Taints {
			text += " " + o.Spec.Taints[i].ToString()
		}
		return text
	case *v1alpha1.NodeValidation:
		return taint.MarkOf(o.Quarantine) + string(taint.Recorded(o))
	}
	return ""
}

// mendStray mends one node, if the cache shows that it needs to be.
func (k *Keeper) mendStray(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	node := &corev1.Node{}
	if err := k.Get(ctx, req.NamespacedName, node, controllers.Shared); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	record, err := k.Validation(ctx, req.Name)
	if err != nil || !astray(recentwrites.Fresh(k.Recent, node), record) {
		return reconcile.Result{}, err
	}
	_, err = k.mend(ctx, req.Name)
	return reconcile.Result{}, errors.Join(err, k.owe(ctx, req.Name))
}
