package run

import (
	"cmp"
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/assess"
)

// SetupWithManager registers the controller, its caches' indexes and what wakes it up.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrency int) error {
	r.once.Do(r.prepare)
	if err := mgr.Add(manager.RunnableFunc(r.sweep)); err != nil {
		return fmt.Errorf("adding the sweep of what is remembered: %w", err)
	}
	if err := r.nodes.Setup(mgr); err != nil {
		return fmt.Errorf("adding what moves histories of an earlier version: %w", err)
	}
	for _, c := range r.Controllers(concurrency) {
		if err := c.AddTo(mgr); err != nil {
			return fmt.Errorf("adding the controller %s: %w", c.Name, err)
		}
	}
	return nil
}

// Controllers of runs, and of the taints that are to be mended.
func (r *Reconciler) Controllers(concurrency int) []controllers.Controller {
	r.once.Do(r.prepare)
	return []controllers.Controller{r.nodes.Mending(), {Name: "validationrun", Reconciler: r, Concurrency: concurrency, Watches: append([]controllers.Watch{
		{Object: &v1alpha1.ValidationRun{}},
		{Object: &corev1.Pod{}, Handler: r.podHandler()},
		{Object: &corev1.Node{}, Handler: r.activeRuns(), Predicates: []predicate.Predicate{nodeChanges}},
	}, r.Devices.Watches(r.activeRuns())...)}}
}

// podHandler wakes the run that owns a pod, a moment later, so that many pods that change together cost one pass. A pod that is
// gone wakes all runs: another one may wait for its node.
func (r *Reconciler) podHandler() handler.EventHandler {
	return controllers.OnChange(r.recent, func(ctx context.Context, before, now client.Object, q controllers.Queue) {
		pod := cmp.Or(now, before)
		name := pod.GetLabels()[v1alpha1.LabelRunName]
		if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == "ValidationRun" {
			name = owner.Name // the label is the kubelet's to change
		}
		if name != "" {
			q.AddAfter(reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}, assess.BatchDelay)
		}
		if now == nil {
			r.wakeActive(ctx, q)
		}
	})
}

// wakeActive wakes every run that is not over yet.
func (r *Reconciler) wakeActive(ctx context.Context, q controllers.Queue) {
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
	return controllers.OnChange(r.recent, func(ctx context.Context, _, _ client.Object, q controllers.Queue) { r.wakeActive(ctx, q) })
}

// nodeChanges passes only what a run looks at.
var nodeChanges = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, ok1 := e.ObjectOld.(*corev1.Node)
	after, ok2 := e.ObjectNew.(*corev1.Node)
	return ok1 && ok2 && controllers.NodeChanged(before, after)
}}
