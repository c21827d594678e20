package result

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/stat"
)

// Parse reads a program's output in the given format. patterns are for format Regex; metrics give their units there, and
// in every format a measurement whose unit differs from its metric's is refused, because comparing the two would be wrong.
// Errors wrap ErrNoOutput, ErrBadOutput, ErrTooLarge or ErrBadRequest; nothing is returned beside an error.
func Parse(format v1alpha1.OutputFormat, patterns []v1alpha1.OutputPattern, metrics []v1alpha1.Metric, output []byte) (Document, error) {
	if len(output) > MaxOutput {
		return Document{}, fmt.Errorf("reading the output: %w: %d bytes, at most %d are read", ErrTooLarge, len(output), MaxOutput)
	}
	if len(bytes.TrimSpace(output)) == 0 {
		return Document{}, fmt.Errorf("reading the output: %w: the program printed nothing on stdout", ErrNoOutput)
	}
	r, known := readerOf(format)
	if !known {
		return Document{}, fmt.Errorf("%w: format %s is unknown, expected one of %v", ErrBadRequest, quote(string(format)), Formats())
	}
	d, err := r.read(output, patterns, metrics)
	if err != nil {
		return Document{}, fmt.Errorf("reading the output as %s: %w", format, err)
	}
	d.tidy()
	if err := d.validate(); err != nil {
		return Document{}, fmt.Errorf("reading the output as %s: %w", format, bad("%w", err))
	}
	if err := d.checkUnits(metrics); err != nil {
		return Document{}, fmt.Errorf("reading the output as %s: %w", format, err)
	}
	return d, nil
}

// tidy makes free text fit the API's limits with a mark, because a long note is no reason to lose a measurement.
func (d *Document) tidy() {
	for i := range d.Checks {
		d.Checks[i].Message = clean(d.Checks[i].Message, maxNote)
	}
	var notes []string
	for _, note := range d.Notes {
		if note = clean(note, maxNote); note != "" {
			notes = append(notes, note)
		}
	}
	d.Notes = capNotes(notes)
	d.Version = clean(d.Version, maxVersion)
	d.Skipped = clean(d.Skipped, maxSkipped)
	for i := range d.Device {
		d.Device[i].Product = clean(d.Device[i].Product, maxDeviceText)
	}
	if len(d.Facts) > maxFacts {
		d.Facts = capFacts(d.Facts, maxFacts-1)
	}
	for i := range d.Facts {
		if text, ok := d.Facts[i].Value.(string); ok {
			d.Facts[i].Value = clean(text, maxFact)
		}
	}
	for name, value := range d.Parameters {
		if text, ok := value.(string); ok {
			d.Parameters[name] = clean(text, maxParameter)
		}
	}
}

func (d *Document) checkUnits(metrics []v1alpha1.Metric) error {
	for _, metric := range metrics {
		for _, m := range d.Measurements {
			if m.Name == metric.Name && m.Unit != metric.Unit {
				return bad("%s is in %s, but the Benchmark declares it in %s: correct the unit of that metric", m.Name, m.Unit, quote(metric.Unit))
			}
		}
	}
	return nil
}

// ansiColour is what programs and launchers colour their output with. Other control sequences are left in place, where
// they make a line unreadable: a cursor that moves back could show another number than the one read.
var ansiColour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// textLines splits a third-party program's output into lines without colours and line-end spaces.
func textLines(output []byte) []string {
	text := strings.ToValidUTF8(string(output), "\uFFFD")
	if strings.Contains(text, "\x1b") {
		text = ansiColour.ReplaceAllString(text, "")
	}
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return lines
}

var decimalNumber = regexp.MustCompile(`^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// parseNumber reads a finite decimal number and nothing else: no hexadecimal, no separators, no words.
func parseNumber(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if !decimalNumber.MatchString(text) {
		word := strings.ToLower(strings.TrimLeft(text, "-+"))
		switch {
		case strings.HasPrefix(word, "nan"), strings.HasPrefix(word, "inf"):
			return 0, bad("%s is not a finite number", quote(text))
		case strings.Contains(text, ","):
			return 0, bad("%s is written with a comma: run the program with LC_ALL=C", quote(text))
		default:
			return 0, bad("%s is not a number", quote(text))
		}
	}
	value, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, bad("%s is out of range: it is not a finite number", quote(text))
	}
	if err != nil {
		return 0, bad("%s is not a number", quote(text))
	}
	return value, nil
}

// parsePositive reads a rate or a time, which is greater than zero.
func parsePositive(text string) (float64, error) {
	value, err := parseNumber(text)
	if err != nil {
		return 0, err
	}
	if value <= 0 {
		return 0, bad("%s is not greater than zero", quote(text))
	}
	return value, nil
}

// relativeSpread is 1.4826 MAD / |median|, for normal noise the relative standard deviation. 0 where it is not known.
func relativeSpread(samples []float64) float64 {
	if len(samples) < 2 {
		return 0
	}
	centre := stat.Median(samples)
	deviations := make([]float64, len(samples))
	for i, sample := range samples {
		deviations[i] = math.Abs(sample - centre)
	}
	spread := stat.MADToSigma * stat.Median(deviations) / math.Abs(centre)
	if math.IsNaN(spread) || math.IsInf(spread, 0) {
		return 0
	}
	return spread
}
