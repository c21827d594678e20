package taint

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// Noted is the note on a node's row with what the benchmarks of this run warn of: nothing that fails the node, so that nobody would
// look for it.
func (j Judgement) Noted(note string, v *v1alpha1.NodeValidation) string {
	benchmark, first, all := "", "", 0
	for _, b := range j.Benchmarks {
		for _, w := range b.warnings(v) {
			if all++; all == 1 {
				benchmark, first = b.Name, w.Message
			}
		}
	}
	if all == 0 {
		return note
	}
	warned := message.Warned(benchmark, first, all-1)
	if note == "" {
		return warned
	}
	return note + "; " + warned
}

// warnings of a benchmark: of the run's own findings, and of the node's past, as far as it is known.
func (b Benchmark) warnings(v *v1alpha1.NodeValidation) []v1alpha1.Finding {
	all := list.Where(b.Findings, func(f v1alpha1.Finding) bool { return f.Verdict == v1alpha1.VerdictWarning })
	if h := v.Benchmark(b.Name); h != nil {
		all = append(all, h.Warnings...)
	}
	return all
}
