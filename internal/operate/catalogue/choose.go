package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// Suites that benchmarks belong to, by name.
func Suites(all []v1alpha1.Benchmark) []string {
	var names []string
	for i := range all {
		names = append(names, all[i].Suites()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Choose the benchmarks that a run or a policy asks for: those of a suite, of which some may be overridden, or those that it names. The error is
// for the user: what to correct.
func Choose(all []v1alpha1.Benchmark, suite string, named, overrides []v1alpha1.BenchmarkRef) ([]v1alpha1.Benchmark, error) {
	chosen := make([]v1alpha1.Benchmark, 0, len(named))
	for _, ref := range named {
		i := slices.IndexFunc(all, func(b v1alpha1.Benchmark) bool { return b.Name == ref.Name })
		if i < 0 {
			return nil, fmt.Errorf("there is no Benchmark %q: choose one that `kubectl get benchmarks` shows, or install it", ref.Name)
		}
		chosen = append(chosen, all[i])
	}
	if suite != "" {
		chosen = append(chosen, OfSuite(all, suite)...)
	}
	switch {
	case len(chosen) == 0:
		return nil, errors.New(message.SuiteUnknown(suite))
	case len(chosen) > maxBenchmarks:
		return nil, fmt.Errorf("%d Benchmarks list the suite %q, and a run takes at most %d: name those to measure in spec.benchmarks of several runs, "+
			"or take some out of the suite", len(chosen), suite, maxBenchmarks)
	}
	return chosen, Overridden(chosen, suite, overrides)
}

// Overridden makes sure that a suite has the benchmarks that are to be different.
func Overridden(chosen []v1alpha1.Benchmark, suite string, overrides []v1alpha1.BenchmarkRef) error {
	for _, o := range overrides {
		if !slices.ContainsFunc(chosen, func(b v1alpha1.Benchmark) bool { return b.Name == o.Name }) {
			has := list.Map(chosen, func(b v1alpha1.Benchmark) string { return b.Name })
			slices.Sort(has)
			return fmt.Errorf("the suite %q has no benchmark %q to be overridden: it has %s", suite, o.Name, strings.Join(has, ", "))
		}
	}
	return nil
}

// OfSuite are the benchmarks of a suite, in their order.
func OfSuite(all []v1alpha1.Benchmark, suite string) []v1alpha1.Benchmark {
	return list.Where(all, func(b v1alpha1.Benchmark) bool { return slices.Contains(b.Suites(), suite) })
}

// defaultRounds of a tournament of pairs, where the Benchmark sets none.
const defaultRounds = 4

// Cost of one measurement; of a tournament or a curve, of all its rounds.
func Cost(b *v1alpha1.Benchmark) time.Duration {
	cost := time.Duration(cmp.Or(b.Spec.CostSeconds, 60)) * time.Second
	return cost * time.Duration(Rounds(b))
}

// Rounds of a tournament of pairs, or of a group that is measured at several sizes; 1 of all else.
func Rounds(b *v1alpha1.Benchmark) int32 {
	switch g := b.Spec.Group; {
	case g == nil:
		return 1
	case g.Size.StrVal != "" || g.Size.IntVal != 2:
		return 1 + int32(len(g.Sizes))
	case g.Rounds == nil:
		return defaultRounds
	default:
		return *g.Rounds
	}
}
