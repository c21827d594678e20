package formats

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// measured is an envelope around a document.
func measured(d result.Document) result.Envelope {
	start := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return result.Envelope{
		Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured,
		Start: start, End: start.Add(90 * time.Second), Document: &d,
	}
}
