package cluster

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/dra"
)

// Run reads the run that the user named.
func Run(ctx context.Context, c client.Client, name string) (*v1alpha1.ValidationRun, error) {
	run := &v1alpha1.ValidationRun{}
	err := c.Get(ctx, client.ObjectKey{Name: name}, run)
	switch {
	case err == nil:
		return run, nil
	case apierrors.IsNotFound(err):
		return nil, &NoRunError{name}
	}
	return nil, While(err, "reading run "+name)
}

// NoRunError says that the cluster does not have a run.
type NoRunError struct{ name string }

func (e *NoRunError) Error() string {
	return fmt.Sprintf("there is no run %q: kubectl get validationruns lists all runs", e.name)
}

// Object is one of a kind.
type Object[T any] interface {
	*T
	client.Object
}

// ReadIf reads an object, if it is there and may be read; nil: it is not, or may not.
func ReadIf[T any, O Object[T]](ctx context.Context, c client.Client, name string) (O, error) {
	o := O(new(T))
	err := c.Get(ctx, client.ObjectKey{Name: name}, o)
	switch {
	case Unreadable(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading %s %s: %w", reflect.TypeFor[T]().Name(), name, err)
	}
	o.SetManagedFields(nil)
	return o, nil
}

// Patience is for how long a server that does not answer is asked again: a control plane that is upgraded is away for minutes.
const Patience = 5 * time.Minute

// Lasting says of an error that to ask again brings nothing else.
func Lasting(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsMethodNotSupported(err)
}

// Unreadable: it is gone, may not be read, or the cluster is of a version that knows no such kind.
func Unreadable(err error) bool {
	return Absent(err) || apierrors.IsForbidden(err)
}

// Absent: it is gone, or the cluster does not know the kind.
func Absent(err error) bool { return meta.IsNoMatchError(err) || apierrors.IsNotFound(err) }

// Benchmarks reads those of the cluster, the cheapest first, which is the order in which a run measures.
func Benchmarks(ctx context.Context, c client.Client) ([]v1alpha1.Benchmark, error) {
	all, err := All[v1alpha1.Benchmark](ctx, c, &v1alpha1.BenchmarkList{}, "Benchmarks")
	slices.SortFunc(all, func(a, b v1alpha1.Benchmark) int { return v1alpha1.CompareOrder(&a, &b) })
	return all, err
}

// All reads the objects of a kind.
func All[T any, O Object[T]](ctx context.Context, c client.Client, list client.ObjectList, kinds string) ([]T, error) {
	var all []T
	err := Each(ctx, c, list, func(o O) error {
		all = append(all, *o)
		return nil
	})
	if err != nil {
		return nil, While(err, "listing "+kinds)
	}
	return all, nil
}

// Slices that DRA drivers publish; none where the API server does not serve them, which absent says.
func Slices(ctx context.Context, c client.Client) (all []*resourcev1.ResourceSlice, absent bool, err error) {
	err = Each(ctx, c, &resourcev1.ResourceSliceList{}, func(s *resourcev1.ResourceSlice) error {
		dra.Slim(s)
		all = append(all, s)
		return nil
	})
	switch {
	case Absent(err):
		return nil, true, nil
	case err != nil:
		return nil, false, fmt.Errorf("listing ResourceSlices: %w", err)
	}
	return all, false, nil
}

// PageSize is how many objects are read at once: a result may have a megabyte.
const PageSize = 100

// Each reads objects page by page, all or those that are asked for, and visits them one by one. One that is visited may be changed.
func Each[T any, O Object[T]](ctx context.Context, c client.Client, list client.ObjectList, visit func(O) error, which ...client.ListOption) error {
	pages := pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		page := list.DeepCopyObject().(client.ObjectList)
		return page, c.List(ctx, page, append([]client.ListOption{client.Limit(opts.Limit), client.Continue(opts.Continue)}, which...)...)
	})
	pages.PageSize, pages.PageBufferSize = PageSize, 1
	return pages.EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
		found := o.(O)
		found.SetManagedFields(nil)
		return visit(found)
	})
}

// EachMeta does so with what all objects of a kind have: names and labels take a hundredth of the whole.
func EachMeta(ctx context.Context, c client.Client, kind schema.GroupVersionKind, visit func(*metav1.PartialObjectMetadata) error) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind.GroupVersion().WithKind(kind.Kind + "List"))
	return Each(ctx, c, list, visit)
}

// NameOf is the name of the cluster that a client is connected to; empty where it has none.
func NameOf(c client.Client) string {
	if n, ok := c.(interface{ ClusterName() string }); ok {
		return n.ClusterName()
	}
	return ""
}

// While says what was done when an error came; that of a cluster without Assay needs no more words.
func While(err error, doing string) error {
	if meta.IsNoMatchError(err) {
		return errors.New("this cluster does not know ValidationRuns: install Assay, or choose another cluster with --context")
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// BadDeadline is for a deadline that no run can have.
func BadDeadline(given time.Duration) string {
	return fmt.Sprintf("--deadline is %s, expected at least 1s: write it as 90m or 2h", given)
}

// BadSelector is for a label selector that cannot be read.
func BadSelector(given string, cause error) string {
	return fmt.Sprintf("--selector %q cannot be read (%s): write it as for kubectl get -l, for example pool=h200,zone!=b", given, cause)
}
