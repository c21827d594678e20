package runs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/benchmarks"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/source"
	"github.com/assay-dev/assay/internal/reader/explain"
)

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
