package taint

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/quantity"
)

// Benchmark is what one benchmark of the run said of the node.
type Benchmark struct {
	Name string
	// Benchmark is what is remembered of it, but for what follows from all this: expectations and terms of the run's own, and what was held.
	nodevalidation.Benchmark
	// Overridden are metrics of which the run sets the expectation, as the Benchmark has them.
	Overridden []v1alpha1.Metric
	Verdict    v1alpha1.Verdict
	Terms      term.Terms
	Findings   []v1alpha1.Finding
	// NotMissing says why devices that were missing are not known to be so any more; empty: they still are, or never were.
	NotMissing string
}

// held are the rules that the node held, and whether it held them as the Benchmark asks.
func (b Benchmark) held() (all []v1alpha1.HeldRule) {
	for _, h := range b.Terms.Held {
		all = append(all, v1alpha1.HeldRule{Metric: h.Metric, Rule: h.Rule, Limit: h.Limit, Value: h.Value, Kinds: h.Kinds, Parts: h.Parts,
			AsCatalogued: h.Rule == term.Devices || !b.OwnParameters && b.overridden(h.Metric) == nil})
	}
	return all
}

// warnings of a benchmark: of the run's own findings, and of the node's past, as far as it is known.
func (b Benchmark) warnings(v *v1alpha1.NodeValidation) []v1alpha1.Finding {
	all := list.Where(b.Findings, func(f v1alpha1.Finding) bool { return f.Verdict == v1alpha1.VerdictWarning })
	if h := v.Benchmark(b.Name); h != nil {
		all = append(all, h.Warnings...)
	}
	return all
}

// overridden is a metric as the Benchmark has it, if the run sets its expectation; nil: it does not.
func (b Benchmark) overridden(metric string) *v1alpha1.Metric {
	return list.First(b.Overridden, func(m *v1alpha1.Metric) bool { return m.Name == metric })
}

// asCatalogued is what was broken as the Benchmark asks for it; not ok: only terms of the run's own were broken. Whatever a program measures with
// parameters of the run's own, right data included, may be their doing. How many devices a node has is no matter of what a run asks.
func (b Benchmark) asCatalogued(t term.Term, row *v1alpha1.BenchmarkResult) (term.Term, bool) {
	own := b.overridden(t.Metric)
	switch {
	case t.Rule == term.Devices:
		return t, true
	case b.OwnParameters:
		return t, false
	case own == nil || t.Rule == term.DataCheck:
		return t, true
	}
	return t.AsCatalogued(own, row.Attempts)
}

// unjudged says why a rule that convicted was neither held nor broken.
func (b Benchmark) unjudged(c *v1alpha1.Conviction) string {
	rule := term.RuleOf(c.Rule, c.Metric)
	for _, t := range b.Terms.Doubtful {
		if t.Metric == c.Metric && (t.Rule == c.Rule || term.Replaces(c.Rule, t.Rule)) {
			return quantity.Clip("an attempt of this run broke "+term.RuleOf(t.Rule, t.Metric)+" again, so it still comes and goes", message.Longest)
		}
	}
	why := ""
	if f := list.First(b.Findings, func(f *v1alpha1.Finding) bool { return f.Metric == c.Metric && f.Rule == c.Rule }); f != nil {
		why = f.Message
	}
	if why == "" && c.Rule == term.NodeDeviation {
		why = "it takes other nodes of the same kind to compare with"
	}
	if why == "" && b.isGone(c) {
		why = "the Benchmark does not have it now; if that is meant, delete the node's NodeValidation and NodeHistory"
	}
	return quantity.Clip(message.Because(rule+" was not judged in this run", why), message.Longest)
}

// isGone: the Benchmark has no longer the bound that convicted. Where it has one, and the run sets none of its own, a node that passes has held it.
func (b Benchmark) isGone(c *v1alpha1.Conviction) bool {
	held := slices.ContainsFunc(b.Terms.Held, func(t term.Term) bool { return t.Metric == c.Metric && t.Rule == c.Rule })
	fixed := slices.Contains([]string{term.Min, term.Max, term.FractionOfPeak, term.FractionOfReached}, c.Rule)
	return fixed && !held && b.Verdict == v1alpha1.VerdictPass && b.overridden(c.Metric) == nil
}

// failedOwnTerms: the benchmark failed, and by nothing that the Benchmark asks.
func (b Benchmark) failedOwnTerms(row *v1alpha1.BenchmarkResult) bool {
	if b.Verdict != v1alpha1.VerdictFail || row == nil || !b.OwnParameters && len(b.Overridden) == 0 {
		return false
	}
	return !slices.ContainsFunc(b.Terms.Broken, func(t term.Term) bool {
		_, catalogued := b.asCatalogued(t, row)
		return catalogued
	})
}
