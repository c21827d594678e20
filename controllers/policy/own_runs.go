package policy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/policy"
)

// checkRuns makes sure that no run is created by old knowledge: of other runs of this policy, which another leader may have created, and which somebody may
// have deleted since, so that only the policy's status knows them, or of the nodes, of which a run that has just ended may have written what the cache has
// still to see.
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
	live, err := w.livePolicy(ctx)
	if live == nil || live.ResourceVersion != w.policy.ResourceVersion {
		w.withoutRuns(staleAgain)
		return err
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

// ownRuns are the runs that have the label of the policy, past the cache.
func (w *pass) ownRuns(ctx context.Context) ([]v1alpha1.ValidationRun, error) {
	var list v1alpha1.ValidationRunList
	if err := w.Live.List(ctx, &list, client.MatchingLabels{v1alpha1.LabelPolicy: w.policy.Name}); err != nil {
		return nil, fmt.Errorf("listing the runs of policy %s: %w", w.policy.Name, err)
	}
	return list.Items, nil
}

// readOwnRuns adds the policy's runs that the cache has still to see, and says whether there were any.
func (w *pass) readOwnRuns(ctx context.Context) (unseen bool, err error) {
	own, err := w.ownRuns(ctx)
	for i := range own {
		run := &own[i]
		known := func(r *v1alpha1.ValidationRun) bool { return r.UID == run.UID }
		if !slices.ContainsFunc(w.snapshot.Runs, known) && !w.recent.IsRemoved(run.UID) {
			w.snapshot.Runs = append(w.snapshot.Runs, run)
			unseen = true
		}
	}
	return unseen, err
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
