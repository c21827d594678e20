package source

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/export"
)

// PourRun pours a run of the cluster and all that is known of it into a sink, page by page.
func (s Source) PourRun(ctx context.Context, c client.Client, run *v1alpha1.ValidationRun, to export.Sink) error {
	run.SetManagedFields(nil)
	var started *catalogue.Snapshot
	if !s.Lean {
		var err error
		if started, err = readCatalogue(ctx, c, run); err != nil {
			return err
		}
	}
	if err := to.Begin(cluster.NameOf(c), run, started); err != nil {
		return err
	}
	all, tainted := map[string]bool{}, map[string]bool{}
	for n := range list.Each(run.Status.Nodes) {
		all[n.Name] = true
		if n.Tainted {
			tainted[n.Name] = true
		}
	}
	err := cluster.Each(ctx, c, &v1alpha1.ValidationResultList{}, func(r *v1alpha1.ValidationResult) error {
		if r.Run.UID != run.UID {
			return nil
		}
		if r.Group == nil {
			all[r.Node.Name] = true
		}
		return to.Add(export.Piece{Result: r})
	}, client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)})
	if err != nil {
		return fmt.Errorf("reading the results of run %s: %w", run.Name, err)
	}
	if err := s.pourKnown(ctx, c, all, tainted, to); err != nil || !s.Places {
		return err
	}
	return s.pourPlaces(ctx, c, all, export.PlaceLabels(s.GroupBy, started), to)
}

// pourKnown pours what is known of the nodes. A lean reader wants the past of all of them or of none: which are better than before would not be known.
func (s Source) pourKnown(ctx context.Context, c client.Client, all, tainted map[string]bool, to export.Sink) error {
	validated, past := all, all
	if s.Lean {
		validated = tainted
		if len(all) > fewNodes {
			past = nil
		}
	}
	err := pourOf(ctx, c, validated, &v1alpha1.NodeValidationList{}, func(v *v1alpha1.NodeValidation) error { return to.Add(export.Piece{Validation: v}) })
	if err != nil {
		return err
	}
	return pourHistories(ctx, c, past, to)
}

func pourHistories(ctx context.Context, c client.Client, nodes map[string]bool, to export.Sink) error {
	return pourOf(ctx, c, nodes, &v1alpha1.NodeHistoryList{}, func(h *v1alpha1.NodeHistory) error { return to.Add(export.Piece{History: h}) })
}

// pourPlaces pours these labels of the nodes, as far as they have any and may be read.
func (s Source) pourPlaces(ctx context.Context, c client.Client, nodes map[string]bool, wanted []string, to export.Sink) error {
	places := export.Places{}
	err := cluster.EachMeta(ctx, c, corev1.SchemeGroupVersion.WithKind("Node"), func(n *metav1.PartialObjectMetadata) error {
		for _, label := range wanted {
			if v := n.Labels[label]; v != "" && nodes[n.Name] {
				if places[n.Name] == nil {
					places[n.Name] = map[string]string{}
				}
				places[n.Name][label] = v
			}
		}
		return nil
	})
	switch {
	case err != nil && !cluster.Unreadable(err):
		return fmt.Errorf("reading the labels of nodes: %w", err)
	case err != nil && s.GroupBy != "":
		s.Hidden()
	}
	if len(places) == 0 {
		return nil
	}
	return to.Add(export.Piece{Places: places})
}

// fewNodes are read one by one: more would take longer than to list those of all nodes.
const fewNodes = 100

// pourOf these nodes what is kept of each in a kind. Others go without what is gone or may not be read.
func pourOf[T any, O cluster.Object[T]](ctx context.Context, c client.Client, nodes map[string]bool, list client.ObjectList, to func(O) error) error {
	if len(nodes) > fewNodes {
		err := cluster.Each(ctx, c, list, func(o O) error {
			if !nodes[o.GetName()] {
				return nil
			}
			return to(o)
		})
		if err != nil && !cluster.Unreadable(err) {
			return fmt.Errorf("reading the %s of each node: %w", reflect.TypeFor[T]().Name(), err)
		}
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		o, err := cluster.ReadIf[T, O](ctx, c, name)
		if err == nil && o != nil {
			err = to(o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readCatalogue finds what the run was started with: what the operator keeps of it, or else the cluster's own objects, if they have not
// changed since; nil where neither is there.
func readCatalogue(ctx context.Context, c client.Client, run *v1alpha1.ValidationRun) (*catalogue.Snapshot, error) {
	if run.Status.Catalogue == nil {
		return nil, nil
	}
	if kept, err := keptCatalogue(ctx, c, run); kept != nil || err != nil {
		return kept, err
	}
	return sameCatalogue(ctx, c, run.Status.Catalogue)
}

// keptCatalogue is in a ControllerRevision; whoever may not read those, and a cluster that keeps none, has none.
func keptCatalogue(ctx context.Context, c client.Client, run *v1alpha1.ValidationRun) (*catalogue.Snapshot, error) {
	var revisions appsv1.ControllerRevisionList
	err := c.List(ctx, &revisions, client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)}, client.Limit(cluster.PageSize))
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading ControllerRevision %s: %w", run.Status.Catalogue.Revision, err)
	}
	for r := range list.Each(revisions.Items) {
		if r.Name != run.Status.Catalogue.Revision || !metav1.IsControlledBy(r, run) {
			continue
		}
		if snapshot, hash, err := catalogue.Decode(r.Data.Raw); err == nil && hash == run.Status.Catalogue.Hash {
			return &snapshot, nil
		}
	}
	return nil, nil
}

// sameCatalogue is what the cluster has, where that is what was pinned.
func sameCatalogue(ctx context.Context, c client.Client, pinned *v1alpha1.PinnedCatalogue) (*catalogue.Snapshot, error) {
	benchmarks, err := pinnedObjects[v1alpha1.Benchmark](ctx, c, pinned.Benchmarks)
	if err != nil {
		return nil, err
	}
	profiles, err := pinnedObjects[v1alpha1.HardwareProfile](ctx, c, pinned.Profiles)
	if err != nil {
		return nil, err
	}
	snapshot := catalogue.Take(benchmarks, profiles)
	if _, hash, err := snapshot.Encode(); err != nil || hash != pinned.Hash { // others, or fewer
		return nil, nil
	}
	return &snapshot, nil
}

// pinnedObjects of a kind, as far as they are there.
func pinnedObjects[T any, O cluster.Object[T]](ctx context.Context, c client.Client, pinned []v1alpha1.PinnedObject) (all []T, err error) {
	for _, p := range pinned {
		o, err := cluster.ReadIf[T, O](ctx, c, p.Name)
		if err != nil {
			return nil, err
		}
		if o != nil {
			all = append(all, *o)
		}
	}
	return all, nil
}
