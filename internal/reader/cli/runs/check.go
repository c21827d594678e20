package runs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	kube "k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/message"
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
		b, err := benchmarks.Named(all, ref.Name)
		if err != nil {
			return err
		}
		if _, err := workload.Arguments(b, ref.Parameters); err != nil {
			return err
		}
		if _, err := expect.Effective(b, ref.Expectations); err != nil {
			return err
		}
	}
	return nil
}

func checkNodes(ctx context.Context, c client.Client, run *v1alpha1.ValidationRun) error {
	selector, err := run.Spec.ByLabels()
	if err != nil {
		return errors.New(cluster.BadSelector(metav1.FormatLabelSelector(run.Spec.Selector), err))
	}
	requirements, _ := selector.Requirements()
	names, matching := map[string]bool{}, 0
	values := map[string][]string{} // by label
	err = cluster.EachMeta(ctx, c, corev1.SchemeGroupVersion.WithKind("Node"), func(n *metav1.PartialObjectMetadata) error {
		names[n.Name] = true
		if selector.Matches(labels.Set(n.Labels)) {
			matching++
		}
		for _, r := range requirements {
			if v, has := n.Labels[r.Key()]; has {
				values[r.Key()] = append(values[r.Key()], v)
			}
		}
		return nil
	})
	switch {
	case apierrors.IsForbidden(err):
		return nil
	case err != nil:
		return fmt.Errorf("listing nodes: %w", err)
	case len(run.Spec.NodeNames) == 0 && len(names) == 0:
		return errors.New("the cluster has no node to measure")
	case len(run.Spec.NodeNames) == 0 && matching == 0:
		return fmt.Errorf("no node matches %s: the cluster has %s%s", selector, message.Several(len(names), "node"), told(requirements, values))
	}
	switch lacking := list.Where(run.Spec.NodeNames, func(name string) bool { return !names[name] }); len(lacking) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("there is no node %s: kubectl get nodes lists all nodes", lacking[0])
	default:
		return fmt.Errorf("there are no nodes %s: kubectl get nodes lists all nodes", message.Names(lacking))
	}
}

// told are the values that nodes have of the labels of a selector.
func told(requirements labels.Requirements, values map[string][]string) (all string) {
	for _, r := range requirements {
		if has := slices.Compact(slices.Sorted(slices.Values(values[r.Key()]))); len(has) > 0 {
			all += fmt.Sprintf("; their values of %s are %s", r.Key(), message.Names(has))
		} else {
			all += "; none has the label " + r.Key()
		}
	}
	return all
}

// refused says why the API server did not take a run.
func refused(name string, err error) error {
	var status apierrors.APIStatus
	switch {
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
			// A rule speaks for itself, without the value that it is about, where that is a whole object.
			text := output.Clean(strings.TrimPrefix(cause.Message, `Invalid value: "object": `))
			if cause.Field != "" && cause.Field != "<nil>" {
				text = cause.Field + ": " + text
			}
			why = append(why, text)
		}
		if len(why) > 0 {
			return errors.New("the API server refused the run: " + strings.Join(why, "; "))
		}
	}
	return cluster.While(err, "creating run "+name)
}

// noArguments refuses what stands alone on the command line of run: most likely it is the value of a flag that may go without one.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("run takes no argument and got %q: --taint and --dry-run take their value after an equals sign, for example "+
			"--dry-run=client", args[0])
	}
	return nil
}

// Numbers or percentages, as the API takes them.
var (
	atLeastNone = regexp.MustCompile(`^([0-9]{1,9}|(100|[0-9]{1,2})%)$`)
	atLeastOne  = regexp.MustCompile(`^([1-9][0-9]{0,8}|(100|[1-9][0-9]?)%)$`)
)

// mostConfirmations of a run, as the API takes them.
const mostConfirmations = 5

// checkValues of flags: the API server would refuse the run for them, and a dry run of the client asks no server.
func (f *runFlags) checkValues() error {
	switch {
	case f.name != "" && f.generateName != "":
		return errors.New("set either --name or --generate-name")
	case f.maxTainted != "" && f.taint == "":
		return errors.New("--max-tainted-nodes needs --taint: without it no node is tainted")
	case f.given("taint") && f.taint == "":
		return runTaintForm(f.taint)
	case f.maxTainted != "" && !atLeastNone.MatchString(f.maxTainted):
		return runNumberOrPercent("--max-tainted-nodes", f.maxTainted, 0)
	case f.maxConcurrent != "" && !atLeastOne.MatchString(f.maxConcurrent):
		return runNumberOrPercent("--max-concurrent", f.maxConcurrent, 1)
	case f.given("confirmations") && (f.confirmations < 0 || f.confirmations > mostConfirmations):
		return fmt.Errorf("--confirmations is %d, expected 0 to %d", f.confirmations, mostConfirmations)
	case !slices.Contains([]v1alpha1.BusyNodes{"", v1alpha1.BusyWait, v1alpha1.BusySkip}, v1alpha1.BusyNodes(f.busy)):
		return fmt.Errorf("--busy-nodes is %q: choose Wait or Skip", f.busy)
	}
	return f.checkNames()
}

// checkNames of the run, and of what it names.
func (f *runFlags) checkNames() error {
	if name := f.runName(); len(kube.IsDNS1123Subdomain(name)) > 0 || len(name) > kube.LabelValueMaxLength {
		return fmt.Errorf("a run cannot have the name %q: use at most 63 small letters, digits, - and ., and begin and end with a letter or digit", name)
	}
	for flag, names := range map[string][]string{"--nodes": f.nodes, "--benchmark": f.benchmarks} {
		for i, name := range names {
			if name == "" {
				return errors.New(flag + " has an empty name in it: write names with one comma between them")
			}
			if slices.Contains(names[:i], name) {
				return fmt.Errorf("%s names %s twice", flag, name)
			}
		}
	}
	return nil
}

func runTaintForm(given string) error {
	return fmt.Errorf("--taint %q cannot be read: write KEY=VALUE:EFFECT, with the effect NoSchedule, PreferNoSchedule or NoExecute", given)
}

func runNumberOrPercent(flag, given string, least int) error {
	return fmt.Errorf("%[1]s is %[2]q, expected a number of at least %[3]d, or a percentage from %[3]d%% to 100%%", flag, given, least)
}
