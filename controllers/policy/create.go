package policy

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/policy"
)

const (
	// staleAgain is when a pass follows one that would have acted on old knowledge.
	staleAgain = time.Second
	// fewNodes are looked up one by one. More are compared by one list, unless they are less than a largePart-th of the cluster.
	fewNodes, largePart = 50, 4
	// metadataPage bounds one answer of the API server.
	metadataPage = 1000
)

// createRuns of the plan, one after the other, as each name follows from the one before: where one is there already, another leader was faster, and what it
// knows is to be seen first. The status does not say that nodes are in a run that was not created.
func (w *pass) createRuns(ctx context.Context) error {
	for _, run := range w.plan.Create {
		created, err := w.create(ctx, run)
		if !created || err != nil {
			w.snapshot.NoRuns = true
			last := w.plan.Status.LastRun
			w.plan.Status = policy.Next(w.snapshot, w.now).Status
			w.plan.Status.LastRun = last
			w.soon(staleAgain)
			return w.refusable(v1alpha1.ReasonLaunchFailed, err)
		}
	}
	if len(w.plan.Create) == 0 {
		return nil
	}
	return w.refusable(v1alpha1.ReasonLaunchFailed, nil)
}

// create one run; false: one of this name, or over one of these nodes, is there already, by another leader or by a pass that did not learn of it.
func (w *pass) create(ctx context.Context, planned policy.Run) (bool, error) {
	run := &v1alpha1.ValidationRun{Spec: planned.Spec}
	run.Name = planned.Name
	run.Labels = map[string]string{v1alpha1.LabelPolicy: w.policy.Name, v1alpha1.LabelPolicyReason: planned.Reason}
	run.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(w.policy, v1alpha1.GroupVersion.WithKind("ValidationPolicy"))}
	err := w.Create(ctx, run, client.FieldOwner(fieldOwner))
	if apierrors.IsAlreadyExists(err) {
		return false, w.adopt(ctx, run.Name)
	}
	if err != nil {
		return false, fmt.Errorf("creating run %s: %w", run.Name, err)
	}
	w.recent.Wrote(run)
	switch doubled, err := w.doubles(ctx, run); {
	case err != nil:
		return false, err
	case doubled:
		return false, w.deleteRun(ctx, run)
	}
	w.plan.Status.LastRun = &v1alpha1.PolicyRun{Name: run.Name, Reason: planned.Reason, CreatedAt: run.CreationTimestamp} // the next name follows from it
	w.tell(nil, corev1.EventTypeNormal, v1alpha1.ReasonRunCreated, planned.Message)
	w.Metrics.PolicyRunCreated(planned.Reason, len(run.Spec.NodeNames))
	return true, nil
}

// doubles: another run of the policy has one of these nodes. Names keep that from happening, unless somebody deletes the one that has the name while a leader
// stalls. Of two that are created at the same time, whoever looks last sees both.
func (w *pass) doubles(ctx context.Context, run *v1alpha1.ValidationRun) (bool, error) {
	own, err := w.ownRuns(ctx)
	has := func(name string) bool { return slices.Contains(run.Spec.NodeNames, name) }
	return slices.ContainsFunc(own, func(o v1alpha1.ValidationRun) bool {
		return o.UID != run.UID && policy.Owns(w.policy, &o) && policy.GoesOn(&o) && slices.ContainsFunc(o.Spec.NodeNames, has)
	}), err
}

// adopt takes note of a run that is there already, if the policy owns it.
func (w *pass) adopt(ctx context.Context, name string) error {
	var list v1alpha1.ValidationRunList // the operator may not get runs
	if err := w.Live.List(ctx, &list, client.MatchingFields{"metadata.name": name}); err != nil {
		return fmt.Errorf("reading run %s: %w", name, err)
	}
	for i := range list.Items {
		if !policy.Owns(w.policy, &list.Items[i]) {
			return takenError{name}
		}
		w.recent.Wrote(&list.Items[i])
	}
	return nil
}

// takenError: somebody else's run has the name.
type takenError struct{ name string }

func (e takenError) Error() string { return runNameTaken(e.name) }
