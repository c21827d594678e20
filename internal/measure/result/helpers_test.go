package result

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var testStart = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// measured is an envelope around a document.
func measured(d Document) Envelope {
	return Envelope{
		Version: EnvelopeVersion, Outcome: OutcomeMeasured, Reason: v1alpha1.ReasonMeasured,
		Start: testStart, End: testStart.Add(90 * time.Second), Document: &d,
	}
}

func smallDocument() Document {
	return Document{
		Schema: Schema, Benchmark: "p2p", Version: "0.1.0",
		Measurements: []Measurement{{Name: "bandwidth", Unit: "GB/s", Better: BetterHigher, Parts: []Part{
			{At: "gpu0->gpu1", Value: 392.1, Samples: 12, Spread: 0.004},
		}}},
		Checks: []Check{{Name: "dataIntegrity", OK: true}},
	}
}

// read is a document of our own programs, as formats.Parse reads it.
func read(output string, metrics ...v1alpha1.Metric) (Document, error) {
	d, err := Read([]byte(output))
	if err == nil {
		err = d.Accept(metrics)
	}
	if err != nil {
		return Document{}, err
	}
	return d, nil
}
