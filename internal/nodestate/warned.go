package nodestate

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// Noted is the note on a node's row with what the benchmarks of this run warn of: nothing that fails the node, so that nobody would
// look for it.
func (j Judgement) Noted(note string, v *v1alpha1.NodeValidation) string {
	if v == nil {
		return note
	}
	benchmark, first, all := "", "", 0
	for i := range v.Benchmarks {
		b := &v.Benchmarks[i]
		if len(b.Warnings) == 0 || !slices.ContainsFunc(j.Benchmarks, func(o Benchmark) bool { return o.Name == b.Name }) {
			continue
		}
		if all == 0 {
			benchmark, first = b.Name, b.Warnings[0].Message
		}
		all += len(b.Warnings)
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
