package controllers

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// Controller is what a manager runs: what wakes it, and what it does then. It is a value, so that a simulated cluster wakes it by the very
// handlers that a real one does.
type Controller struct {
	Name       string
	Reconciler reconcile.Reconciler
	// Concurrency is how many objects it works on at the same time.
	Concurrency int
	Watches     []Watch
}

// Watch of a kind. Without a Handler it wakes the controller for the object itself that has changed.
type Watch struct {
	Object     client.Object
	Handler    handler.EventHandler
	Predicates []predicate.Predicate
}

// Queue of what a controller is to look at.
type Queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// OnChange handles all events alike: before is nil of what comes, and now of what goes. What has gone is not something that the cache is still to see.
func OnChange(recent *recentwrites.Writes, do func(ctx context.Context, before, now client.Object, q Queue)) handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q Queue) { do(ctx, nil, e.Object, q) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q Queue) { do(ctx, e.ObjectOld, e.ObjectNew, q) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q Queue) {
			if recent != nil {
				recent.Gone(e.Object.GetUID())
			}
			do(ctx, e.Object, nil, q)
		},
	}
}

// AddTo a manager.
func (c Controller) AddTo(mgr ctrl.Manager) error {
	b := ctrl.NewControllerManagedBy(mgr).Named(c.Name).WithOptions(controller.Options{MaxConcurrentReconciles: c.Concurrency, RateLimiter: Backoff()})
	for _, w := range c.Watches {
		if w.Handler == nil {
			b.For(w.Object, builder.WithPredicates(w.Predicates...))
			continue
		}
		b.Watches(w.Object, w.Handler, builder.WithPredicates(w.Predicates...))
	}
	return b.Complete(c.Reconciler)
}

// Backoff of an object of which a pass failed: a deadline that has passed meanwhile is noticed within a minute.
func Backoff() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](50*time.Millisecond, time.Minute)
}
