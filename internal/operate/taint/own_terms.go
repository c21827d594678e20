package taint

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
)

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
