package policy

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// noteRequest writes a new request to validate all nodes to the status.
func (w *pass) noteRequest(ctx context.Context) error {
	if w.plan.ValidateNow == nil {
		return nil
	}
	next := w.policy.Status.DeepCopy()
	next.ValidateNow = w.plan.ValidateNow
	return w.patchStatus(ctx, *next)
}

// report writes the policy's status, if it differs.
func (w *pass) report(ctx context.Context) error {
	next := w.plan.Status.DeepCopy()
	w.sayRefusals(next)
	w.Metrics.PolicySeen(w.policy.Name, w.plan.NextExpiry)
	if !w.policy.DeletionTimestamp.IsZero() || equality.Semantic.DeepEqual(w.policy.Status, *next) {
		return nil
	}
	return w.patchStatus(ctx, *next)
}

func (w *pass) patchStatus(ctx context.Context, next v1alpha1.ValidationPolicyStatus) error {
	changed := w.policy.DeepCopy()
	changed.Status = next
	err := w.Status().Patch(ctx, changed, client.MergeFromWithOptions(w.policy, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing the status of policy %s: %w", w.policy.Name, err)
	}
	w.recent.Wrote(changed)
	w.policy = changed
	return nil
}

// sayRefusals lets the condition Ready tell what the API server did not allow.
func (w *pass) sayRefusals(status *v1alpha1.ValidationPolicyStatus) {
	since := metav1.NewTime(w.now.UTC().Truncate(time.Second))
	if said := meta.FindStatusCondition(w.policy.Status.Conditions, v1alpha1.ConditionReady); said != nil && said.Status == metav1.ConditionFalse {
		since = said.LastTransitionTime
	}
	for _, reason := range []string{v1alpha1.ReasonLaunchFailed, v1alpha1.ReasonGateNotAllowed} {
		if f, refused := w.memory.refusals[reason]; refused {
			meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionFalse, Reason: reason,
				Message: policyRefused(f.message), ObservedGeneration: w.policy.Generation, LastTransitionTime: since})
		}
	}
}
