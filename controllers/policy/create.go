package policy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
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

// checkRuns makes sure that no run is created by old knowledge: of other runs of this policy, which another leader may have created, or of the
// nodes, of which a run that has just ended may have written what the cache has still to see.
func (w *pass) checkRuns(ctx context.Context) error {
	if len(w.plan.Create) == 0 {
		if len(w.plan.Look) == 0 { // else nobody knows yet whether there is something to create
			w.memory.allowed(v1alpha1.ReasonLaunchFailed)
		}
		return nil
	}
	if w.memory.isRefused(v1alpha1.ReasonLaunchFailed, w.now) {
		w.withoutRuns(refusedFor)
		return nil
	}
	unseen, err := w.readOwnRuns(ctx)
	if unseen {
		w.plan = policy.Next(w.snapshot, w.now)
	}
	fresh := false
	if err == nil {
		fresh, err = w.fresh(ctx)
	}
	if !fresh {
		w.withoutRuns(staleAgain)
	}
	return err
}

// withoutRuns decides again what is to be done if no run is created, and when to look again.
func (w *pass) withoutRuns(again time.Duration) {
	w.snapshot.NoRuns = true
	w.plan = policy.Next(w.snapshot, w.now)
	w.soon(again)
}

// createRuns of the plan, one after the other, as each name follows from the one before: where one is there already, another leader was faster, and what it
// knows is to be seen first. The status does not say that nodes are in a run that was not created.
func (w *pass) createRuns(ctx context.Context) error {
	if len(w.plan.Create) == 0 {
		return nil
	}
	all, err := w.createEach(ctx)
	if !all {
		w.snapshot.NoRuns = true
		w.plan.Status = policy.Next(w.snapshot, w.now).Status
		w.soon(staleAgain)
	}
	return w.refusable(v1alpha1.ReasonLaunchFailed, err)
}

func (w *pass) createEach(ctx context.Context) (all bool, err error) {
	if err := w.announceSpending(ctx); err != nil {
		return false, err
	}
	for _, run := range w.plan.Create {
		if created, err := w.create(ctx, run); !created || err != nil {
			return false, err
		}
	}
	return true, nil
}

// announceSpending writes what the runs are expected to cost to the status before they are created: another leader that read an older status is
// refused there, and creates none.
func (w *pass) announceSpending(ctx context.Context) error {
	if w.plan.Status.Budget == nil {
		return nil
	}
	next := w.policy.Status.DeepCopy()
	next.Budget = w.plan.Status.Budget
	err := w.patchStatus(ctx, *next)
	w.snapshot.Policy = w.policy
	return err
}

// readOwnRuns adds the policy's runs that the cache has still to see, and says whether there were any.
func (w *pass) readOwnRuns(ctx context.Context) (unseen bool, err error) {
	var list v1alpha1.ValidationRunList
	if err := w.Live.List(ctx, &list, client.MatchingLabels{v1alpha1.LabelPolicy: w.policy.Name}); err != nil {
		return false, fmt.Errorf("listing the runs of policy %s: %w", w.policy.Name, err)
	}
	for i := range list.Items {
		run := &list.Items[i]
		known := func(r *v1alpha1.ValidationRun) bool { return r.UID == run.UID }
		if !slices.ContainsFunc(w.snapshot.Runs, known) && !w.recent.IsRemoved(run.UID) {
			w.snapshot.Runs = append(w.snapshot.Runs, run)
			unseen = true
		}
	}
	return unseen, nil
}

// fresh says whether the cache has the newest of what is known of the nodes that the runs of the plan are to measure.
func (w *pass) fresh(ctx context.Context) (bool, error) {
	cached := map[string]string{}
	for _, run := range w.plan.Create {
		for _, name := range run.Spec.NodeNames {
			cached[name] = ""
		}
	}
	for _, n := range w.snapshot.Nodes {
		if _, asked := cached[n.Object.Name]; asked && n.Validation != nil {
			cached[n.Object.Name] = n.Validation.ResourceVersion
		}
	}
	if len(cached) > fewNodes && largePart*len(cached) > len(w.snapshot.Nodes) {
		return w.allFresh(ctx, cached)
	}
	var stale atomic.Bool
	err := controllers.Each(slices.Sorted(maps.Keys(cached)), func(name string) error {
		live := controllers.Metadata("NodeValidation")
		err := w.Live.Get(ctx, client.ObjectKey{Name: name}, live)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("getting NodeValidation %s: %w", name, err)
		}
		if live.ResourceVersion != cached[name] {
			stale.Store(true)
		}
		return nil
	})
	return err == nil && !stale.Load(), err
}

// allFresh compares many by one list.
func (w *pass) allFresh(ctx context.Context, cached map[string]string) (bool, error) {
	found, same := 0, true
	err := controllers.EachPage(ctx, w.Live, controllers.MetadataList("NodeValidation"), func(page *metav1.PartialObjectMetadataList) {
		for i := range page.Items {
			if version, asked := cached[page.Items[i].Name]; asked {
				found++
				same = same && version == page.Items[i].ResourceVersion
			}
		}
	}, client.Limit(metadataPage))
	if err != nil {
		return false, fmt.Errorf("listing NodeValidations: %w", err)
	}
	for _, version := range cached {
		if version != "" {
			found--
		}
	}
	return same && found == 0, nil
}

// create one run; false: one of this name is there already, by another leader or by a pass that did not learn of it.
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
	w.tell(nil, corev1.EventTypeNormal, v1alpha1.ReasonRunCreated, planned.Message)
	w.Metrics.PolicyRunCreated(planned.Reason, len(run.Spec.NodeNames))
	return true, nil
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
