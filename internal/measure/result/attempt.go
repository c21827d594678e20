package result

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// storedDigits of a value are more than any program can reproduce.
const storedDigits = 6

// Attempt is the envelope as the API stores it. Its verdict is Pass (measured, data right), Fail (wrong data) or Error (also
// where it was disturbed, or cannot run); how fast it was is judged elsewhere. The pod's fields are left to the caller.
func (e Envelope) Attempt(number int32) v1alpha1.Attempt {
	attempt := v1alpha1.Attempt{
		Number:    number,
		Reason:    Truncate(e.Reason, maxReason),
		Message:   e.withLogTail(e.Message),
		StartTime: apiTime(e.Start),
		EndTime:   apiTime(e.End),
		Telemetry: apiMeasurements(e.Telemetry),
	}
	switch e.Outcome {
	case OutcomeMeasured:
		attempt.Verdict = v1alpha1.VerdictPass
		if e.Document != nil {
			e.Document.judge(&attempt)
		}
		if attempt.Verdict == v1alpha1.VerdictError {
			attempt.Message = e.withLogTail(attempt.Message)
		}
	default: // a program that says that it cannot run has measured nothing, whatever the reason
		attempt.Verdict = v1alpha1.VerdictError
	}
	if e.Document != nil {
		e.Document.fill(&attempt)
	}
	return attempt
}

// fill copies what the API stores of a document.
func (d *Document) fill(attempt *v1alpha1.Attempt) {
	attempt.Version = Clean(d.Version, maxVersion)
	attempt.Measurements = apiMeasurements(d.Measurements)
	attempt.Telemetry = append(attempt.Telemetry, apiMeasurements(d.readings(attempt.Telemetry))...)
	for _, check := range d.Checks {
		attempt.Checks = append(attempt.Checks, v1alpha1.Check{Name: check.Name, OK: check.OK, Message: Clean(check.Message, MaxNote)})
	}
	var notes []string
	if len(d.Parameters) > 0 {
		notes = append(notes, d.parametersNote())
	}
	for _, note := range capNotes(append(notes, d.Notes...)) {
		attempt.Notes = append(attempt.Notes, Clean(note, MaxNote))
	}
	for _, device := range d.Device {
		attempt.Devices = append(attempt.Devices, v1alpha1.Device{
			Index: device.Index, UUID: Clean(device.UUID, maxDeviceText), Product: Clean(device.Product, maxDeviceText),
		})
	}
	attempt.Facts = list.Map(d.Facts, func(f Fact) v1alpha1.Fact { return v1alpha1.Fact{Name: f.Name, At: f.At, Value: f.text()} })
}

// parametersNote keeps the settings of the measurement in the API, which has no field for them.
func (d *Document) parametersNote() string {
	var text strings.Builder
	text.WriteString("parameters:")
	for _, name := range slices.Sorted(maps.Keys(d.Parameters)) {
		if _, ok := d.reading(name); ok {
			continue // it is telemetry
		}
		fmt.Fprintf(&text, " %s=%v", name, d.Parameters[name])
	}
	return text.String()
}

// withLogTail is what went wrong, followed by as much of the log's end as fits.
func (e Envelope) withLogTail(failure string) string {
	failure = Clean(failure, maxMessage)
	tail := []rune(Clean(strings.ReplaceAll(strings.TrimSpace(e.LogTail), "\n", " | "), maxLogTail))
	if len(tail) == 0 {
		return failure
	}
	room := maxMessage - len([]rune(withLastLines(failure, "")))
	if room < 40 {
		return failure
	}
	if len(tail) > room {
		tail = append([]rune("…"), tail[len(tail)-room+1:]...)
	}
	return withLastLines(failure, string(tail))
}

func wrongDataMessage(failed []Check) string {
	texts := list.Map(failed, func(check Check) string { return wrongData(check.Name, check.Message) })
	return Clean(strings.Join(texts, "; "), maxMessage)
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
			value := v1alpha1.PartValue{At: part.At, Value: quantity.Decimal(part.Value, storedDigits), Samples: part.Samples}
			if part.Spread > 0 {
				value.Spread = quantity.Decimal(part.Spread, storedDigits)
			}
			parts = append(parts, value)
		}
		out = append(out, v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Better: better, Parts: parts})
	}
	return out
}

// apiTime has whole seconds, as the API stores it.
func apiTime(t time.Time) *metav1.Time {
	if t.IsZero() {
		return nil
	}
	return &metav1.Time{Time: t.UTC().Truncate(time.Second)}
}

// Clean makes hostile text fit for the API and for a terminal: valid UTF-8, one line, nothing unprintable, at most max
// characters.
func Clean(text string, max int) string {
	text = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	return Truncate(strings.TrimSpace(text), max)
}

// capNotes keeps as many notes as the API stores; the last says how many are missing.
func capNotes(notes []string) []string {
	if len(notes) <= maxNotes {
		return notes
	}
	kept := append([]string{}, notes[:maxNotes-1]...)
	return append(kept, fmt.Sprintf("%d more notes were left out", len(notes)-len(kept)))
}

// Number is a parameter's value.
func Number(value float64) json.Number {
	return json.Number(strconv.FormatFloat(value, 'f', -1, 64))
}

// wrongData is for data checks that failed: name and, if the program said more, why.
func wrongData(check, why string) string {
	if why == "" {
		return fmt.Sprintf("check %s failed", check)
	}
	return fmt.Sprintf("check %s failed: %s", check, why)
}

// withLastLines adds the end of a program's log to a message. Without lines it is what stands before them.
func withLastLines(failure, lines string) string { return failure + "; its last lines: " + lines }
