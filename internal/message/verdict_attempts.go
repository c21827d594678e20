package message

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// WrongDataIn says how often data was wrong, where it was measured more than once.
func WrongDataIn(failed string, wrong, attempts int) string {
	if attempts < 2 {
		return failed
	}
	return ending(failed, fmt.Sprintf("; data was wrong in %d of %d attempts", wrong, attempts))
}

// NoBenchmarkYet: nothing of a node is judged.
func NoBenchmarkYet() string { return "no benchmark has been measured yet" }

// StillToJudge names the benchmarks without a verdict.
func StillToJudge(benchmarks []string) string {
	return quantity.Clip("not judged yet: "+strings.Join(benchmarks, ", "), Longest)
}

// SomePassed: the other benchmarks of the node were skipped.
func SomePassed(passed, all int, skipped []string) string {
	return quantity.Clip(fmt.Sprintf("%d of %d benchmarks passed; skipped: %s", passed, all, strings.Join(skipped, ", ")), Longest)
}

// AllPassed is the message of a node that passed more than one benchmark.
func AllPassed(benchmarks int) string { return fmt.Sprintf("all %d benchmarks passed", benchmarks) }

// WorstBenchmark says what came of a node's worst benchmark; alike of all have the same verdict.
func WorstBenchmark(benchmark, what string, v v1alpha1.Verdict, alike, all int) string {
	text := because(benchmark, what)
	if alike < 2 {
		return quantity.Clip(text, Longest)
	}
	return ending(text, fmt.Sprintf("; %d of %d benchmarks %s", alike, all, ended(v)))
}

// ended is what is said of benchmarks with this verdict.
func ended(v v1alpha1.Verdict) string {
	switch v {
	case v1alpha1.VerdictPass:
		return "passed"
	case v1alpha1.VerdictFail:
		return "failed"
	case v1alpha1.VerdictMissing:
		return "lack a measurement"
	case v1alpha1.VerdictInconclusive:
		return "could not be judged"
	case v1alpha1.VerdictSkipped:
		return "were skipped"
	}
	return "could not be measured"
}

// RunSummary joins what decided about a run, its counts that are not zero, and the worst node, as far as there is one of each.
func RunSummary(cause string, s v1alpha1.RunSummary, worstNode, worst string) string {
	var counts []string
	for _, c := range []struct {
		n    int32
		word string
	}{
		{s.Failed, "failed"}, {s.Errored, "could not be measured"}, {s.NotJudged, "could not be judged"}, {s.Skipped, "skipped"}, {s.Passed, "passed"},
		{s.Running, "running"}, {s.Pending, "pending"}, {s.Tainted, "tainted"},
	} {
		if c.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	text := because(several(int(s.Nodes), "node"), strings.Join(counts, ", "))
	if cause != "" {
		text = cause + "; " + text
	}
	if worstNode != "" {
		text += "; worst: " + because(worstNode, worst)
	}
	return quantity.Clip(text, Longest)
}

// NoNodeMatches: a run has no node.
func NoNodeMatches() string { return "no node matches: check selector and nodeNames" }

// AllSkipped: a run measured nothing.
func AllSkipped() string { return "every node was skipped, so nothing is proved" }

// Doubt is why a value that misses a bound in a tournament proves nothing.
type Doubt struct {
	// Missed of Pairs with good partners missed the bound; Needed would prove it.
	Missed, Pairs, Needed int
	// WithinNoise: chance may explain the value; Noise is how far it reaches, relative to the value.
	WithinNoise bool
	Noise       float64
}

// NotProved: the value that the model gives a node misses a bound, but its pairs do not prove it.
func NotProved(finding string, d Doubt) string {
	text := fmt.Sprintf("%d of %s with good partners missed the bound", d.Missed, several(d.Pairs, "pair"))
	switch {
	case d.WithinNoise && d.Noise > 1: // a share beyond the whole would tell nobody anything
		text = "this may be noise, of which so few pairs tell too little; " + text
	case d.WithinNoise:
		text = fmt.Sprintf("this is within noise, which may reach %s here; %s", quantity.Percent(100*d.Noise), text)
	default:
		text += fmt.Sprintf(", and %d must", d.Needed)
	}
	return ending(finding, "; not proved: "+text+
		"; measure the node in more rounds (group.rounds of the Benchmark), or set the bound further from what healthy nodes reach")
}

// RuleOf names a rule and what it judges: "Min of hbmTriad".
func RuleOf(rule, metric string) string {
	if metric == "" {
		return rule
	}
	return rule + " of " + metric
}

// FewerPartsHeld explains why a measurement does not refute a conviction.
func FewerPartsHeld(rule, metric string, parts, convicted int32) string {
	return fmt.Sprintf("%s was judged at %s, and at %d when it convicted", RuleOf(rule, metric), several(int(parts), "part"), convicted)
}

// StillBeyondBound explains why a measurement does not refute a conviction.
func StillBeyondBound(rule, metric string, value, bound float64, s quantity.Scale) string {
	return fmt.Sprintf("%s held at %s, which still misses the bound of %s that convicted", RuleOf(rule, metric), s.Format(value), s.Format(bound))
}

// OtherParameters explains why a measurement does not refute a conviction.
func OtherParameters(benchmark string) string {
	return fmt.Sprintf("this run measured %s with parameters of its own: run it as the Benchmark has them", benchmark)
}

// AskedForLess explains why a measurement does not refute a conviction.
func AskedForLess(rule, metric string, limit, convicted v1alpha1.Decimal) string {
	return fmt.Sprintf("this run asked for less: %s %s, convicted by %s", RuleOf(rule, metric), limit, convicted)
}

// NotJudgedHere explains why a run does not refute a conviction.
func NotJudgedHere(rule, metric, why string) string {
	return quantity.Clip(because(RuleOf(rule, metric)+" was not judged in this run", why), Longest)
}

// HeldNotAlways explains why a run in which the last attempt was fine does not refute a conviction.
func HeldNotAlways(rule, metric string) string {
	return quantity.Clip("an attempt of this run broke "+RuleOf(rule, metric)+" again, so it still comes and goes", Longest)
}

// TakesOtherNodes explains why a node as a whole was not judged.
func TakesOtherNodes() string { return "it takes other nodes of the same kind to compare with" }

// UnknownMetric: a run overrides what a Benchmark does not have.
func UnknownMetric(benchmark, metric string) string {
	return fmt.Sprintf("benchmark %q has no metric %q: correct the run's expectations", benchmark, metric)
}

// MetricWithoutPeak: a run sets a field that asks for a share of a peak, and the metric names none.
func MetricWithoutPeak(benchmark, metric, field string) string {
	return fmt.Sprintf("metric %q of benchmark %q names no peak, so %s cannot be set for it: use min or max", metric, benchmark, field)
}

// MetricWithoutScaling: a run asks for efficiency of a metric that is not measured at several sizes.
func MetricWithoutScaling(benchmark, metric string) string {
	return fmt.Sprintf("metric %q of benchmark %q has no scaling, so minEfficiency cannot be set for it: use min or max", metric, benchmark)
}

// MetricUnreadable: a field of a metric cannot be read.
func MetricUnreadable(benchmark, metric, why string) string {
	return fmt.Sprintf("metric %q of benchmark %q: %s", metric, benchmark, why)
}

// ProfileLeftOut: a HardwareProfile does not count.
func ProfileLeftOut(profile string) string {
	return fmt.Sprintf("HardwareProfile %s is left out, because its selector cannot be read", profile)
}
