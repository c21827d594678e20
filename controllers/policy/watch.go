package policy

import (
	"cmp"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
)

const (
	// wakeDelay makes one pass of what changes together.
	wakeDelay = time.Second
	// progressDelay: the progress of a run is nothing to act on.
	progressDelay = 5 * time.Second
)

func wake(q controllers.Queue, policy string, after time.Duration) {
	q.AddAfter(reconcile.Request{NamespacedName: types.NamespacedName{Name: policy}}, after)
}

// wakeAll wakes every policy: nearly each of them looks at nearly everything, and there are few.
func (r *Reconciler) wakeAll(ctx context.Context, q controllers.Queue, after time.Duration) {
	var list v1alpha1.ValidationPolicyList
	if r.List(ctx, &list, controllers.Shared) != nil {
		return
	}
	for i := range list.Items {
		wake(q, list.Items[i].Name, after)
	}
}

// allPolicies wakes every policy, whatever happens.
func (r *Reconciler) allPolicies() handler.EventHandler {
	return controllers.OnChange(r.recent, func(ctx context.Context, _, _ client.Object, q controllers.Queue) { r.wakeAll(ctx, q, wakeDelay) })
}

// nodeHandler wakes every policy, and one that is gone if the node still carries its label.
func (r *Reconciler) nodeHandler() handler.EventHandler {
	return controllers.OnChange(r.recent, func(ctx context.Context, before, now client.Object, q controllers.Queue) {
		r.wakeAll(ctx, q, wakeDelay)
		if policy := cmp.Or(now, before).GetLabels()[v1alpha1.LabelOverdue]; policy != "" {
			wake(q, policy, wakeDelay)
		}
	})
}

// runHandler wakes every policy when a run takes or frees its nodes: it comes, ends, goes, is suspended, or stalls. What is between is its progress, which only its
// own policy tells.
func (r *Reconciler) runHandler() handler.EventHandler {
	return controllers.OnChange(r.recent, func(ctx context.Context, before, now client.Object, q controllers.Queue) {
		was, ok1 := before.(*v1alpha1.ValidationRun)
		is, ok2 := now.(*v1alpha1.ValidationRun)
		if ok1 && ok2 && standingOf(was) == standingOf(is) {
			if policy := is.Labels[v1alpha1.LabelPolicy]; policy != "" && !is.Finished() {
				wake(q, policy, progressDelay)
			}
			return
		}
		r.wakeAll(ctx, q, wakeDelay)
	})
}

// standing is what tells whether a run has its nodes, and whether its pods may be at work.
type standing struct {
	uid                                         types.UID
	finished, deleted, suspended, begun, stalls bool
}

func standingOf(run *v1alpha1.ValidationRun) standing {
	stalls := meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionStalled)
	return standing{run.UID, run.Finished(), !run.DeletionTimestamp.IsZero(), run.Spec.Suspend, stalls && run.Status.StartTime != nil, stalls}
}

// nodeChange passes only what a policy looks at.
var nodeChange = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, ok1 := e.ObjectOld.(*corev1.Node)
	after, ok2 := e.ObjectNew.(*corev1.Node)
	return ok1 && ok2 && (controllers.NodeChanged(before, after) ||
		before.Status.NodeInfo.BootID != after.Status.NodeInfo.BootID ||
		before.Status.NodeInfo.KernelVersion != after.Status.NodeInfo.KernelVersion)
}}

// policyChange passes what people change of a policy; its status is the controller's own.
var policyChange = predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
	before, after := e.ObjectOld, e.ObjectNew
	return before.GetUID() != after.GetUID() || before.GetGeneration() != after.GetGeneration() ||
		before.GetDeletionTimestamp().IsZero() != after.GetDeletionTimestamp().IsZero() ||
		before.GetAnnotations()[v1alpha1.AnnotationValidateNow] != after.GetAnnotations()[v1alpha1.AnnotationValidateNow]
}}
