package run

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/assess"
)

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// podHandler wakes the run that owns a pod, a moment later, so that many pods that change together cost one pass. A pod that is
// gone wakes all runs: another one may wait for its node.
func (r *Reconciler) podHandler() handler.EventHandler {
	wake := func(o client.Object, q queue) {
		name := o.GetLabels()[v1alpha1.LabelRunName]
		if owner := metav1.GetControllerOf(o); owner != nil && owner.Kind == "ValidationRun" {
			name = owner.Name // the label is the kubelet's to change
		}
		if name != "" {
			q.AddAfter(reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}, assess.BatchDelay)
		}
	}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e event.CreateEvent, q queue) { wake(e.Object, q) },
		UpdateFunc: func(_ context.Context, e event.UpdateEvent, q queue) { wake(e.ObjectNew, q) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
			// It was here and is gone, and is not one that the cache has still to see.
			r.recent.Gone(e.Object.GetUID())
			wake(e.Object, q)
			r.wakeActive(ctx, q)
		},
	}
}

// quiet keeps NodeValidations in the cache without waking anybody: only this controller writes them. What is deleted is forgotten.
func (r *Reconciler) quiet() handler.EventHandler {
	return handler.Funcs{DeleteFunc: func(_ context.Context, e event.DeleteEvent, _ queue) {
		r.recent.Gone(e.Object.GetUID())
	}}
}

// wakeActive wakes every run that is not over yet.
func (r *Reconciler) wakeActive(ctx context.Context, q queue) {
	var runs v1alpha1.ValidationRunList
	if r.List(ctx, &runs, controllers.Shared) != nil {
		return
	}
	for i := range runs.Items {
		if !runs.Items[i].Finished() {
			q.AddAfter(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&runs.Items[i])}, assess.BatchDelay)
		}
	}
}

// activeRuns wakes every run that is not over yet, whatever happens.
func (r *Reconciler) activeRuns() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, _ event.CreateEvent, q queue) { r.wakeActive(ctx, q) },
		UpdateFunc: func(ctx context.Context, _ event.UpdateEvent, q queue) { r.wakeActive(ctx, q) },
		DeleteFunc: func(ctx context.Context, _ event.DeleteEvent, q queue) { r.wakeActive(ctx, q) },
	}
}

// nodeChanges passes only what a run looks at.
func nodeChanges() builder.WatchesOption {
	return builder.WithPredicates(predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, ok1 := e.ObjectOld.(*corev1.Node)
		after, ok2 := e.ObjectNew.(*corev1.Node)
		return ok1 && ok2 && controllers.NodeChanged(before, after)
	}})
}

func specChanges() builder.WatchesOption {
	return builder.WithPredicates(predicate.GenerationChangedPredicate{})
}
