package result

import (
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// BenchmarkDecode reads what a pod leaves that measured the pairs of eight GPUs. The operator does so once for each attempt.
func BenchmarkDecode(b *testing.B) {
	pairs := Measurement{Name: "bandwidth", Unit: "GB/s", Better: BetterHigher}
	for i := range 56 {
		pairs.Parts = append(pairs.Parts, Part{At: fmt.Sprintf("gpu%d->gpu%d", i/7, i%7), Value: 390 + float64(i)/100, Samples: 12, Spread: 0.004})
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	text, err := Encode(Envelope{Version: EnvelopeVersion, Outcome: OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Start: now, End: now,
		Document: &Document{Schema: Schema, Benchmark: "p2p", Measurements: []Measurement{pairs}, Checks: []Check{{Name: "data", OK: true}}}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(text); err != nil {
			b.Fatal(err)
		}
	}
}
