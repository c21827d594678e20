package result

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Attempt is the envelope as the API stores it. Its verdict is Pass (measured, data right), Fail (wrong data), Skipped or
// Error; how fast it was is judged elsewhere. The pod's fields are left to the caller.
func (e Envelope) Attempt(number int32) v1alpha1.Attempt {
	attempt := v1alpha1.Attempt{
		Number:    number,
		Reason:    truncate(e.Reason, maxReason),
		Message:   e.attemptMessage(),
		StartTime: apiTime(e.Start),
		EndTime:   apiTime(e.End),
		Telemetry: apiMeasurements(e.Telemetry),
	}
	switch e.Outcome {
	case OutcomeMeasured:
		attempt.Verdict = v1alpha1.VerdictPass
		if e.Document != nil {
			if failed := e.Document.FailedChecks(); len(failed) > 0 {
				attempt.Verdict, attempt.Reason = v1alpha1.VerdictFail, v1alpha1.ReasonWrongData
				attempt.Message = wrongDataMessage(failed)
			}
		}
	case OutcomeSkipped:
		attempt.Verdict = v1alpha1.VerdictSkipped
	default:
		attempt.Verdict = v1alpha1.VerdictError
	}
	if e.Document != nil {
		e.Document.fill(&attempt)
	}
	return attempt
}

// fill copies what the API stores of a document.
func (d *Document) fill(attempt *v1alpha1.Attempt) {
	attempt.Version = clean(d.Version, maxVersion)
	attempt.Measurements = apiMeasurements(d.Measurements)
	for _, check := range d.Checks {
		attempt.Checks = append(attempt.Checks, v1alpha1.Check{Name: check.Name, OK: check.OK, Message: clean(check.Message, maxNote)})
	}
	var notes []string
	if len(d.Parameters) > 0 {
		notes = append(notes, d.parametersNote())
	}
	for _, note := range capNotes(append(notes, d.Notes...)) {
		attempt.Notes = append(attempt.Notes, clean(note, maxNote))
	}
	for _, device := range d.Device {
		attempt.Devices = append(attempt.Devices, v1alpha1.Device{
			Index: device.Index, UUID: clean(device.UUID, maxDeviceText), Product: clean(device.Product, maxDeviceText),
		})
	}
}

// parametersNote keeps the settings of the measurement in the API, which has no field for them.
func (d *Document) parametersNote() string {
	var text strings.Builder
	text.WriteString("parameters:")
	for _, name := range slices.Sorted(maps.Keys(d.Parameters)) {
		fmt.Fprintf(&text, " %s=%v", name, d.Parameters[name])
	}
	return text.String()
}

// attemptMessage is the envelope's message followed by as much of the log's end as fits.
func (e Envelope) attemptMessage() string {
	message := clean(e.Message, maxMessage)
	tail := []rune(clean(strings.ReplaceAll(strings.TrimSpace(e.LogTail), "\n", " | "), maxLogTail))
	if len(tail) == 0 {
		return message
	}
	const lead = "; it last said: "
	room := maxMessage - len([]rune(message)) - len(lead)
	if room < 40 {
		return message
	}
	if len(tail) > room {
		tail = append([]rune("…"), tail[len(tail)-room+1:]...)
	}
	return message + lead + string(tail)
}

func wrongDataMessage(failed []Check) string {
	texts := make([]string, 0, len(failed))
	for _, check := range failed {
		text := "check " + check.Name + " failed"
		if check.Message != "" {
			text += ": " + check.Message
		}
		texts = append(texts, text)
	}
	return clean(strings.Join(texts, "; "), maxMessage)
}

func apiMeasurements(measurements []Measurement) []v1alpha1.Measurement {
	var out []v1alpha1.Measurement
	for _, m := range measurements {
		better := v1alpha1.Higher
		if m.Better == BetterLower {
			better = v1alpha1.Lower
		}
		parts := make([]v1alpha1.PartValue, 0, len(m.Parts))
		for _, part := range m.Parts {
			value := v1alpha1.PartValue{At: part.At, Value: Decimal(part.Value), Samples: part.Samples}
			if part.Spread > 0 {
				value.Spread = Decimal(part.Spread)
			}
			parts = append(parts, value)
		}
		out = append(out, v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Better: better, Parts: parts})
	}
	return out
}

// Decimal writes a finite number with up to 6 significant digits in its shortest form, as the API's Decimal wants it. A
// number that is not finite, which no parser lets through, becomes "0".
func Decimal(value float64) v1alpha1.Decimal {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(value, 'g', 6, 64), 64)
	size := math.Abs(rounded)
	switch {
	case math.IsNaN(rounded) || math.IsInf(rounded, 0) || size == 0:
		return "0"
	case size >= 1e-6 && size < 1e15:
		return v1alpha1.Decimal(strconv.FormatFloat(rounded, 'f', -1, 64))
	default:
		return v1alpha1.Decimal(strconv.FormatFloat(rounded, 'e', -1, 64))
	}
}

// apiTime has whole seconds, as the API stores it.
func apiTime(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t.UTC().Truncate(time.Second)}
}

// clean makes hostile text fit for the API and for a terminal: valid UTF-8, one line, nothing unprintable, at most max
// characters.
func clean(text string, max int) string {
	text = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return truncate(strings.TrimSpace(text), max)
}

// capNotes keeps as many notes as the API stores; the last says how many are missing.
func capNotes(notes []string) []string {
	if len(notes) <= maxNotes {
		return notes
	}
	kept := append([]string{}, notes[:maxNotes-1]...)
	return append(kept, fmt.Sprintf("%d more notes were left out", len(notes)-len(kept)))
}

// number is a parameter's value.
func number(value float64) json.Number {
	return json.Number(strconv.FormatFloat(value, 'f', -1, 64))
}
