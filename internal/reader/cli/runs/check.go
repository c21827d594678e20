package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/cli/benchmarks"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// checkAgainst the cluster what a run asks for, before it is created: a slip of the keyboard is told at once, and by name. What the
// user may not read is not checked here; the operator says the same in the run's status.
func checkAgainst(ctx context.Context, c client.Client, run *v1alpha1.ValidationRun) error {
	all, err := cluster.Benchmarks(ctx, c)
	switch {
	case apierrors.IsForbidden(err):
	case err != nil:
		return err
	default:
		if err := checkBenchmarks(run, all); err != nil {
			return err
		}
	}
	return checkNodes(ctx, c, run)
}

func checkBenchmarks(run *v1alpha1.ValidationRun, all []v1alpha1.Benchmark) error {
	if run.Spec.Suite != "" {
		chosen, err := benchmarks.OfSuite(all, run.Spec.Suite)
		if err != nil {
			return err
		}
		if err := catalogue.Overridden(chosen, run.Spec.Suite, run.Spec.Overrides); err != nil {
			return err
		}
	}
	for _, ref := range slices.Concat(run.Spec.Benchmarks, run.Spec.Overrides) {
		i := slices.IndexFunc(all, func(b v1alpha1.Benchmark) bool { return b.Name == ref.Name })
		if i < 0 {
			return errors.New(benchmarks.NoBenchmark(ref.Name, benchmarks.Names(all)))
		}
		if _, err := workload.Arguments(&all[i], ref.Parameters); err != nil {
			return err
		}
		if _, err := expect.Effective(&all[i], ref.Expectations); err != nil {
			return err
		}
	}
	return nil
}

// nodeLabels are what is asked of nodes here: their names, and the values of some labels.
type nodeLabels struct {
	names  map[string]bool
	values map[string][]string // by label
}

func checkNodes(ctx context.Context, c client.Client, run *v1alpha1.ValidationRun) error {
	selector, err := run.Spec.ByLabels()
	if err != nil {
		return errors.New(cluster.BadSelector(metav1.FormatLabelSelector(run.Spec.Selector), err))
	}
	requirements, _ := selector.Requirements()
	seen := nodeLabels{names: map[string]bool{}, values: map[string][]string{}}
	matching := 0
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("NodeList"))
	err = cluster.Each(ctx, c, list, func(n *metav1.PartialObjectMetadata) error {
		seen.names[n.Name] = true
		if selector.Matches(labels.Set(n.Labels)) {
			matching++
		}
		for _, r := range requirements {
			if v, has := n.Labels[r.Key()]; has && !slices.Contains(seen.values[r.Key()], v) {
				seen.values[r.Key()] = append(seen.values[r.Key()], v)
			}
		}
		return nil
	})
	switch {
	case apierrors.IsForbidden(err):
		return nil
	case err != nil:
		return fmt.Errorf("listing nodes: %w", err)
	case len(run.Spec.NodeNames) == 0 && matching == 0:
		return errors.New(runNoNodes(selector.String(), len(seen.names), seen.told(requirements)))
	}
	var lacking []string
	for _, name := range run.Spec.NodeNames {
		if !seen.names[name] {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) > 0 {
		return errors.New(runUnknownNodes(lacking))
	}
	return nil
}

// told are the values that nodes have of the labels of a selector.
func (n nodeLabels) told(requirements labels.Requirements) []string {
	var all []string
	for _, r := range requirements {
		slices.Sort(n.values[r.Key()])
		all = append(all, labelValues(r.Key(), n.values[r.Key()]))
	}
	return all
}

// refused says why the API server did not take a run.
func refused(name string, err error) error {
	var status apierrors.APIStatus
	switch {
	case meta.IsNoMatchError(err):
		return errors.New(cluster.NoAPI)
	case apierrors.IsAlreadyExists(err):
		return fmt.Errorf("there is a run %[1]q already: choose another --name, or delete it first (kubectl delete validationrun %[1]s)", name)
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), "cannot create resource"):
		return errors.New("you may not create ValidationRuns: ask an administrator to bind you to the ClusterRole assay-editor")
	case apierrors.IsInvalid(err) && errors.As(err, &status) && status.Status().Details != nil:
		var why []string
		for _, cause := range status.Status().Details.Causes {
			if strings.Contains(cause.Message, "some validation rules were not checked") {
				continue // beside the causes that kept them from it
			}
			why = append(why, runCause(cause.Field, output.Clean(plain(cause.Message))))
		}
		if len(why) > 0 {
			return errors.New("the API server refused the run: " + strings.Join(why, "; "))
		}
	}
	return fmt.Errorf("creating run %s: %w", name, err)
}

// plain is what a cause says without the value that it is about, where that is a whole object: a rule speaks for itself.
func plain(cause string) string { return strings.TrimPrefix(cause, `Invalid value: "object": `) }
