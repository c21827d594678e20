package cli

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/export"
)

// pageSize is how many objects are read at once: a result may have a megabyte.
const pageSize = 100

// eachOf reads objects page by page and visits them one by one. One that is visited may be changed.
func eachOf[T any, O interface {
	*T
	client.Object
}](ctx context.Context, c client.Client, list client.ObjectList, selector labels.Selector, visit func(O) error) error {
	pages := pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		page := list.DeepCopyObject().(client.ObjectList)
		return page, c.List(ctx, page, &client.ListOptions{LabelSelector: selector, Limit: opts.Limit, Continue: opts.Continue})
	})
	pages.PageSize, pages.PageBufferSize = pageSize, 1
	return pages.EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
		found := o.(O)
		found.SetManagedFields(nil)
		return visit(found)
	})
}

// clusterOf is the name of the cluster that a client is connected to; empty where it has none.
func clusterOf(c client.Client) string {
	if n, ok := c.(interface{ clusterName() string }); ok {
		return n.clusterName()
	}
	return ""
}

// pour a run of the cluster and all that is known of it into a sink, page by page.
func (s source) pour(ctx context.Context, c client.Client, run *v1alpha1.ValidationRun, to export.Sink) error {
	run.SetManagedFields(nil)
	var started *catalogue.Snapshot
	if !s.lean {
		var err error
		if started, err = readCatalogue(ctx, c, run); err != nil {
			return err
		}
	}
	if err := to.Begin(clusterOf(c), run, started); err != nil {
		return err
	}
	nodes := map[string]bool{}
	for i := range run.Status.Nodes {
		nodes[run.Status.Nodes[i].Name] = run.Status.Nodes[i].Tainted || !s.lean
	}
	byRun := labels.SelectorFromSet(labels.Set{v1alpha1.LabelRunUID: string(run.UID)})
	err := eachOf(ctx, c, &v1alpha1.ValidationResultList{}, byRun, func(r *v1alpha1.ValidationResult) error {
		if r.Run.UID != run.UID {
			return nil
		}
		if r.Group == nil && !s.lean {
			nodes[r.Node.Name] = true
		}
		return to.Result(r)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", message.CommandReadingResults(run.Name), err)
	}
	if err := pourValidations(ctx, c, nodes, to); err != nil || s.lean {
		return err
	}
	return pourHistories(ctx, c, nodes, to)
}

// fewNodes are read one by one: more would take longer than to list those of all nodes.
const fewNodes = 100

// pourValidations of these nodes. Others go without what is gone or may not be read.
func pourValidations(ctx context.Context, c client.Client, nodes map[string]bool, to export.Sink) error {
	if len(nodes) > fewNodes {
		err := eachOf(ctx, c, &v1alpha1.NodeValidationList{}, labels.Everything(), func(v *v1alpha1.NodeValidation) error {
			if !nodes[v.Name] {
				return nil
			}
			return to.Validation(v)
		})
		if err != nil && !apierrors.IsForbidden(err) {
			return fmt.Errorf("%s: %w", message.CommandReadingValidations(), err)
		}
		return nil
	}
	for _, name := range sortedTrue(nodes) {
		v := &v1alpha1.NodeValidation{}
		err := c.Get(ctx, client.ObjectKey{Name: name}, v)
		if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", message.CommandReading("NodeValidation", name), err)
		}
		v.SetManagedFields(nil)
		if err := to.Validation(v); err != nil {
			return err
		}
	}
	return nil
}

// pourHistories of these nodes. Others go without what is gone or may not be read.
func pourHistories(ctx context.Context, c client.Client, nodes map[string]bool, to export.Sink) error {
	if len(nodes) <= fewNodes {
		for _, name := range sortedTrue(nodes) {
			if err := pourHistory(ctx, c, name, to); err != nil {
				return err
			}
		}
		return nil
	}
	err := eachOf(ctx, c, &v1alpha1.NodeHistoryList{}, labels.Everything(), func(h *v1alpha1.NodeHistory) error {
		if !nodes[h.Name] {
			return nil
		}
		return to.History(h)
	})
	if err != nil && !unreadable(err) {
		return fmt.Errorf("%s: %w", message.CommandReadingAll("NodeHistories"), err)
	}
	return nil
}

// pourHistory of one node.
func pourHistory(ctx context.Context, c client.Client, node string, to export.Sink) error {
	h := &v1alpha1.NodeHistory{}
	err := c.Get(ctx, client.ObjectKey{Name: node}, h)
	if unreadable(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", message.CommandReading("NodeHistory", node), err)
	}
	h.SetManagedFields(nil)
	return to.History(h)
}

// unreadable: it is gone, may not be read, or the cluster is of a version that knows no such kind.
func unreadable(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || meta.IsNoMatchError(err)
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
	err := c.List(ctx, &revisions, client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)}, client.Limit(pageSize))
	if apierrors.IsForbidden(err) || apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", message.CommandReading("ControllerRevision", run.Status.Catalogue.Revision), err)
	}
	for i := range revisions.Items {
		r := &revisions.Items[i]
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
	benchmarks := make([]v1alpha1.Benchmark, len(pinned.Benchmarks))
	for i, p := range pinned.Benchmarks {
		if there, err := readPinned(ctx, c, "Benchmark", p.Name, &benchmarks[i]); err != nil || !there {
			return nil, err
		}
	}
	profiles := make([]v1alpha1.HardwareProfile, len(pinned.Profiles))
	for i, p := range pinned.Profiles {
		if there, err := readPinned(ctx, c, "HardwareProfile", p.Name, &profiles[i]); err != nil || !there {
			return nil, err
		}
	}
	snapshot := catalogue.Take(benchmarks, profiles)
	if _, hash, err := snapshot.Encode(); err != nil || hash != pinned.Hash {
		return nil, nil
	}
	return &snapshot, nil
}

// readPinned reads an object of the catalogue, if it is there and may be read.
func readPinned(ctx context.Context, c client.Client, kind, name string, into client.Object) (bool, error) {
	err := c.Get(ctx, client.ObjectKey{Name: name}, into)
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", message.CommandReading(kind, name), err)
	}
	return true, nil
}

func sortedTrue(set map[string]bool) []string {
	var all []string
	for name, in := range set {
		if in {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}
