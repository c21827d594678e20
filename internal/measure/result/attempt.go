package result

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// storedDigits of a value are more than any program can reproduce.
const storedDigits = 6

// Attempt is the envelope as the API stores it. Its verdict is Pass (measured, data right), Fail (wrong data) or Error (also
// where it was disturbed, or cannot run); how fast it was is judged elsewhere. The pod's fields are left to the caller.
func (e Envelope) Attempt(number int32) v1alpha1.Attempt {
	attempt := v1alpha1.Attempt{
		Number:    number,
		Verdict:   v1alpha1.VerdictError, // a program that says that it cannot run has measured nothing, whatever the reason
		Reason:    Truncate(e.Reason, maxReason),
		Message:   e.withLogTail(e.Message),
		StartTime: apiTime(e.Start),
		EndTime:   apiTime(e.End),
		Telemetry: apiMeasurements(e.Telemetry),
	}
	if e.Outcome == OutcomeMeasured {
		attempt.Verdict = v1alpha1.VerdictPass
		e.Document.judge(&attempt)
		if attempt.Verdict == v1alpha1.VerdictError {
			attempt.Message = e.withLogTail(attempt.Message)
		}
	}
	if e.Document != nil {
		e.Document.fill(&attempt)
	}
	return attempt
}

// ofMeasurement are the checks that are not about data, with what an attempt is that only they refuse; those that explain others first.
var ofMeasurement = []struct {
	check, reason string
	sentence      string
}{
	{v1alpha1.CheckFinished, v1alpha1.ReasonInterrupted, "a signal stopped the program"},
	{v1alpha1.CheckUndisturbed, v1alpha1.ReasonDisturbed, "something else used the devices while they were measured"},
	{v1alpha1.CheckComparable, v1alpha1.ReasonNotComparable, "less was measured than asked for, so it cannot be compared"},
	{v1alpha1.CheckCompleted, v1alpha1.ReasonProgramFailed, "the program could not measure everything"},
	{v1alpha1.CheckMeasured, v1alpha1.ReasonProgramFailed, "the program could not measure everything"},
}

// judge gives an attempt the verdict of the document's checks. A program that was stopped proves nothing, whatever its checks say. Else wrong
// data counts in any case. A measurement that was disturbed or broken off, or is not the one that was asked for, is none.
func (d *Document) judge(attempt *v1alpha1.Attempt) {
	failed := d.FailedChecks()
	ofData := list.Where(failed, func(c Check) bool { return v1alpha1.IsDataCheck(c.Name) })
	interrupted := slices.ContainsFunc(failed, func(c Check) bool { return c.Name == v1alpha1.CheckFinished })
	if len(ofData) > 0 && !interrupted {
		texts := list.Map(ofData, func(c Check) string { return message.Because(fmt.Sprintf("check %s failed", c.Name), c.Message) })
		attempt.Verdict, attempt.Reason, attempt.Message = v1alpha1.VerdictFail, v1alpha1.ReasonOfCheck(ofData[0].Name), Clean(strings.Join(texts, "; "), maxMessage)
		return
	}
	for _, m := range ofMeasurement {
		if i := slices.IndexFunc(failed, func(c Check) bool { return c.Name == m.check }); i >= 0 {
			attempt.Verdict, attempt.Reason, attempt.Message = v1alpha1.VerdictError, m.reason, Clean(message.Because(m.sentence, failed[i].Message), maxMessage)
			return
		}
	}
}

// fill copies what the API stores of a document.
func (d *Document) fill(attempt *v1alpha1.Attempt) {
	attempt.Version = Clean(d.Version, maxVersion)
	attempt.Measurements = apiMeasurements(d.Measurements)
	attempt.Telemetry = append(attempt.Telemetry, apiMeasurements(d.readings(attempt.Telemetry))...)
	attempt.Checks, attempt.Devices = d.Checks, d.Device
	notes := d.Notes
	if len(d.Parameters) > 0 {
		notes = append([]string{d.parametersNote()}, notes...)
	}
	attempt.Notes = list.Map(capNotes(notes), func(note string) string { return Clean(note, MaxNote) })
	attempt.Facts = list.Map(d.Facts, func(f Fact) v1alpha1.Fact { return v1alpha1.Fact{Name: f.Name, At: f.At, Value: f.text()} })
}

// withLogTail is what went wrong, followed by as much of the log's end as fits.
func (e Envelope) withLogTail(failure string) string {
	failure = Clean(failure, maxMessage)
	tail := []rune(Clean(strings.ReplaceAll(strings.TrimSpace(e.LogTail), "\n", " | "), maxLogTail))
	if len(tail) == 0 {
		return failure
	}
	const lastLines = "; its last lines: "
	room := maxMessage - len([]rune(failure+lastLines))
	if room < 40 {
		return failure
	}
	if len(tail) > room {
		tail = append([]rune("…"), tail[len(tail)-room+1:]...)
	}
	return failure + lastLines + string(tail)
}

func apiMeasurements(measurements []Measurement) []v1alpha1.Measurement {
	return list.Map(measurements, func(m Measurement) v1alpha1.Measurement {
		out := v1alpha1.Measurement{Name: m.Name, Unit: m.Unit, Better: v1alpha1.Higher, Parts: list.Map(m.Parts, apiPart)}
		if m.Better == BetterLower {
			out.Better = v1alpha1.Lower
		}
		return out
	})
}

func apiPart(p Part) v1alpha1.PartValue {
	value := v1alpha1.PartValue{At: p.At, Value: quantity.Decimal(p.Value, storedDigits), Samples: p.Samples}
	if p.Spread > 0 {
		value.Spread = quantity.Decimal(p.Spread, storedDigits)
	}
	return value
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
	return append(slices.Clone(notes[:maxNotes-1]), fmt.Sprintf("%d more notes were left out", len(notes)-maxNotes+1))
}

// jsonNumber is a parameter's value.
func jsonNumber(value float64) json.Number {
	return json.Number(strconv.FormatFloat(value, 'f', -1, 64))
}
