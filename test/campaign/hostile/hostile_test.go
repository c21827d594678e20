package hostile

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/measure/result"
)

// TestOutputs: what is said to be readable is, and nothing else.
func TestOutputs(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	honest := result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: "Measured", Start: at, End: at.Add(time.Second),
		Document: &result.Document{Schema: result.Schema, Benchmark: "gemm", Measurements: []result.Measurement{
			{Name: "speed", Unit: "GB/s", Better: result.BetterHigher, Parts: []result.Part{{At: "gpu0", Value: 100}}}}}}
	for _, o := range Outputs {
		e, err := result.Decode(o.Make(honest, []string{"n01", "n02"}))
		verdict := "Error"
		if err == nil {
			verdict = string(e.Attempt(1).Verdict)
		}
		t.Logf("%s: %s, %v", o.Kind, verdict, err)
		if o.Readable != (err == nil && verdict != "Error") {
			t.Errorf("%s: verdict %s, error %v", o.Kind, verdict, err)
		}
	}
}
