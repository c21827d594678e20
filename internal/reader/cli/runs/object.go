package runs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/reader/cli/benchmarks"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
)

// defaultTaint is that of a run that says no more than that it taints.
const defaultTaint = v1alpha1.DefaultTaintKey + "=failed:" + string(corev1.TaintEffectNoSchedule)

// object is the run that the flags describe. What the user left out is left to the API server's defaults.
func (f *runFlags) object() (*v1alpha1.ValidationRun, error) {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: f.runName()}}
	f.asked.DeepCopyInto(&run.Spec)
	spec := &run.Spec
	if f.again == "" {
		spec.Suite = f.suite
		refs, err := f.references()
		switch {
		case err != nil:
			return nil, err
		case f.suite != "":
			spec.Overrides = refs
		default:
			spec.Benchmarks = refs
		}
	}
	if err := f.where(spec); err != nil {
		return nil, err
	}
	if f.busy != "" {
		spec.BusyNodes = v1alpha1.BusyNodes(f.busy)
	}
	if f.given("confirmations") {
		spec.Confirmations = &f.confirmations
	}
	if f.given("deadline") {
		if f.deadline < time.Second {
			return nil, errors.New(cluster.BadDeadline(f.deadline))
		}
		spec.ActiveDeadlineSeconds = new(int64(f.deadline / time.Second))
	}
	if f.maxConcurrent != "" {
		spec.MaxConcurrentNodes = new(intstr.Parse(f.maxConcurrent))
	}
	if f.taint != "" {
		taint, err := parseTaint(f.taint)
		if err != nil {
			return nil, err
		}
		spec.OnFailure = &v1alpha1.OnFailure{Taint: taint}
		if f.maxTainted != "" {
			spec.OnFailure.MaxTaintedNodes = new(intstr.Parse(f.maxTainted))
		}
	}
	return run, nil
}

// where to measure, if the flags say it.
func (f *runFlags) where(spec *v1alpha1.ValidationRunSpec) (err error) {
	if len(f.nodes) == 0 && f.selector == "" && !f.allNodes {
		return nil
	}
	spec.NodeNames, spec.Selector, spec.AllNodes = f.nodes, nil, f.allNodes
	if f.selector == "" {
		return nil
	}
	if _, err := labels.Parse(f.selector); err != nil {
		return errors.New(cluster.BadSelector(f.selector, err))
	}
	if spec.Selector, err = metav1.ParseToLabelSelector(f.selector); err != nil {
		return errors.New(cluster.BadSelector(f.selector, err))
	}
	return nil
}

// longestPrefix leaves room for what makes the name of a run its own: it becomes a label.
const longestPrefix = 56

// runName is the one given, or one that no other run has.
func (f *runFlags) runName() string {
	if f.name != "" {
		return f.name
	}
	prefix := f.generateName
	if prefix == "" {
		prefix = "run-"
		if only := cmp.Or(f.suite, f.again, strings.Join(f.benchmarks, "-")); len(f.benchmarks) <= 1 {
			prefix = strings.TrimRight(only[:min(len(only), longestPrefix)], "-.") + "-"
		}
	}
	return prefix + f.suffix()
}

// parseTaint reads key=value:effect; value and effect may be missing.
func parseTaint(text string) (*v1alpha1.Taint, error) {
	rest, effect, _ := strings.Cut(text, ":")
	key, value, _ := strings.Cut(rest, "=")
	known := []corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
	if key == "" || !slices.Contains(known, corev1.TaintEffect(effect)) {
		return nil, runTaintForm(text)
	}
	return &v1alpha1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)}, nil
}

// cutLast cuts a text around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return "", text, false
	}
	return text[:i], text[i+len(separator):], true
}

// references to the benchmarks that the flags name, with their parameters and expectations; of a suite, to those that are to be different.
func (f *runFlags) references() ([]v1alpha1.BenchmarkRef, error) {
	all := list.Map(f.benchmarks, func(name string) v1alpha1.BenchmarkRef { return v1alpha1.BenchmarkRef{Name: name} })
	for _, given := range f.parameters {
		key, value, valued := strings.Cut(given, "=")
		benchmark, parameter, named := cutLast(key, ".")
		if !valued || !named || benchmark == "" || parameter == "" {
			return nil, fmt.Errorf("--parameter %q cannot be read: write BENCHMARK.PARAMETER=VALUE, for example stream.seconds=20", given)
		}
		ref := benchmarks.Asked(&all, benchmark, f.suite)
		if ref == nil {
			return nil, fmt.Errorf("--parameter %s sets a parameter of %s, which --benchmark does not name: add it there", given, benchmark)
		}
		ref.Parameters = append(ref.Parameters, v1alpha1.ParameterValue{Name: parameter, Value: value})
	}
	for _, given := range f.expect {
		if err := f.expected(&all, given); err != nil {
			return nil, err
		}
	}
	return all, nil
}
