// Package runs makes runs for the tests of the HTML report: recorded, simulated and hostile ones, judged as the operator judges them.
package runs

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

// attempt is a repetition of a series as the operator would get it; false: it was not recorded so often.
func attempt(r testdata.Recording, b *v1alpha1.Benchmark, repetition int) (v1alpha1.Attempt, bool) {
	all := r.Series[b.Name].Runs
	if repetition >= len(all) {
		return v1alpha1.Attempt{}, false
	}
	document, err := formats.Parse(v1alpha1.FormatAssay, nil, b.Spec.Metrics, all[repetition].Document)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", b.Name, err))
	}
	return result.Envelope{Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Document: &document}.Attempt(int32(repetition + 1)), true
}
