package runs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/benchmarks"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/source"
	"github.com/assay-dev/assay/internal/reader/explain"
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

// ruleOf is what --expect asks for. The benchmark may be left out.
type ruleOf struct{ benchmark, metric, rule, value string }

func readRule(given string) (r ruleOf, err error) {
	key, value, valued := strings.Cut(given, "=")
	rest, rule, ruled := cutLast(key, ".")
	benchmark, metric, _ := cutLast(rest, ".")
	if _, number := quantity.ParseDecimal(v1alpha1.Decimal(value)); !valued || !ruled || metric == "" || !number {
		return ruleOf{}, fmt.Errorf("--expect %q cannot be read: write METRIC.RULE=NUMBER or BENCHMARK.METRIC.RULE=NUMBER, for example hbmTriad.min=4.3", given)
	}
	if !setRule(&v1alpha1.Expectation{}, rule, value) {
		return ruleOf{}, fmt.Errorf("--expect %s has the rule %q: choose one of min, max, minFractionOfPeak, minFractionOfReached, maxFleetDeviation, "+
			"maxRegression, minEfficiency", given, rule)
	}
	return ruleOf{benchmark, metric, rule, value}, nil
}

// setRule of an expectation, by the name that the API has for it.
func setRule(e *v1alpha1.Expectation, rule, value string) bool {
	text, err := json.Marshal(map[string]string{rule: value})
	if err != nil {
		return false
	}
	read := json.NewDecoder(bytes.NewReader(text))
	read.DisallowUnknownFields()
	return read.Decode(e) == nil
}

// expected of a metric: rules for one metric add up.
func (f *runFlags) expected(all *[]v1alpha1.BenchmarkRef, given string) error {
	r, err := readRule(given)
	if err != nil {
		return err
	}
	if r.benchmark == "" {
		if r.benchmark, err = f.benchmarkOf(r.metric); err != nil {
			return err
		}
	}
	ref := benchmarks.Asked(all, r.benchmark, f.suite)
	if ref == nil {
		return fmt.Errorf("--expect %s is about %s, which --benchmark does not name: add it there", given, r.benchmark)
	}
	i := slices.IndexFunc(ref.Expectations, func(o v1alpha1.ExpectationOverride) bool { return o.Metric == r.metric })
	if i < 0 {
		i = len(ref.Expectations)
		ref.Expectations = append(ref.Expectations, v1alpha1.ExpectationOverride{Metric: r.metric})
	}
	setRule(&ref.Expectations[i].Expectation, r.rule, r.value)
	return nil
}

// lookUp the cluster's benchmarks, if an expectation leaves it to them whose metric it is about.
func (f *runFlags) lookUp(ctx context.Context, connect cluster.Connect) error {
	short := slices.ContainsFunc(f.expect, func(given string) bool {
		r, err := readRule(given)
		return err == nil && r.benchmark == ""
	})
	switch {
	case !short:
		return nil
	case f.dryRun == dryRunClient:
		return errors.New("--dry-run=client asks no cluster whose metric it is: write --expect BENCHMARK.METRIC.RULE=NUMBER")
	}
	c, err := connect()
	if err != nil {
		return err
	}
	f.known, err = cluster.Benchmarks(ctx, c)
	return err
}

// benchmarkOf a metric, of those that are to be measured.
func (f *runFlags) benchmarkOf(metric string) (string, error) {
	var have []string
	for b := range list.Each(f.known) {
		asked := slices.Contains(f.benchmarks, b.Name) || f.suite != "" && slices.Contains(b.Suites(), f.suite)
		if asked && slices.ContainsFunc(b.Spec.Metrics, func(m v1alpha1.Metric) bool { return m.Name == metric }) {
			have = append(have, b.Name)
		}
	}
	switch len(have) {
	case 0:
		return "", fmt.Errorf("none of the benchmarks to be measured has the metric %q: kubectl assay benchmarks NAME lists those of one", metric)
	case 1:
		return have[0], nil
	}
	return "", fmt.Errorf("%s have a metric %q: write which of them is meant, for example --expect %s.%s.min=1", strings.Join(have, " and "), metric, have[0], metric)
}

// repeat takes over what a run of this name asked for, or else the newest run of a node of this name.
func (f *runFlags) repeat(ctx context.Context, connect cluster.Connect) error {
	c, err := connect()
	if err != nil {
		return err
	}
	run, err := cluster.ReadIf[v1alpha1.ValidationRun](ctx, c, f.again)
	if err != nil {
		return err
	}
	if run != nil {
		run.Spec.DeepCopyInto(&f.asked)
		f.asked.Suspend, f.asked.TTLSecondsAfterFinished = false, nil
		return nil
	}
	known, err := source.Source{Connect: connect}.Node(ctx, f.again, true)
	if err != nil {
		return fmt.Errorf("there is no run %[1]q, and of node %[1]q: %w", f.again, err)
	}
	if explain.Newest(f.again, known).Run.UID == "" {
		return fmt.Errorf("the runs that measured %s are gone: say with --suite or --benchmark what to measure by", f.again)
	}
	var lack int
	if f.asked, lack = explain.Again(explain.Input{Node: f.again, Runs: known}); lack > 0 && len(f.nodes) == 0 && f.selector == "" && !f.allNodes {
		return fmt.Errorf("%[1]s broke a rule that compares it with other nodes, and its run has %[2]d too few that passed by the same benchmarks: "+
			"name %[1]s and the others with --nodes", f.again, lack)
	}
	return nil
}
