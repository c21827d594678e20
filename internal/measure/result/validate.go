package result

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// validate requires that the document can be stored in the API as it is: unique well-formed names, finite numbers,
// lists and texts within their limits, and either measurements, a failed check, or the reason why it was skipped.
func (d *Document) validate() error {
	if d.Schema != Schema {
		return fmt.Errorf("schema is %s, expected %q", Quote(d.Schema), Schema)
	}
	if len(d.Benchmark) > maxName || !benchmarkPattern.MatchString(d.Benchmark) {
		return fmt.Errorf("benchmark %s is not a name", Quote(d.Benchmark))
	}
	if d.ElapsedSeconds < 0 {
		return fmt.Errorf("elapsedSeconds is %v: a time cannot be negative", d.ElapsedSeconds)
	}
	return cmp.Or(checkOptionalText("version", d.Version, maxVersion), checkFinite("elapsedSeconds", d.ElapsedSeconds), d.validateContent(),
		d.validateParameters(), d.validateNotes(), d.validateDevices(), d.validateFacts())
}

func (d *Document) validateContent() error {
	if d.Skipped != "" {
		if len(d.Measurements) > 0 || len(d.Checks) > 0 {
			return fmt.Errorf("the document says that it was skipped (%s) and holds measurements or checks too", Quote(d.Skipped))
		}
		return checkText("skipped", d.Skipped, maxSkipped)
	}
	if len(d.Measurements) == 0 && len(d.FailedChecks()) == 0 {
		return fmt.Errorf("no measurement in it")
	}
	return cmp.Or(validateMeasurements(d.Measurements), d.validateChecks())
}

func validateMeasurements(measurements []Measurement) error {
	return checkEach("measurements", measurements, maxMeasurements, func(m *Measurement) (key, title string, wrong error) {
		return m.Name, "measurement " + Quote(m.Name), m.validate()
	})
}

// checkEach of a list that may have so many: none has the key of another one.
func checkEach[T any](what string, all []T, most int, of func(*T) (key, title string, wrong error)) error {
	if len(all) > most {
		return fmt.Errorf("%d %s, at most %d are allowed", len(all), what, most)
	}
	seen := map[string]bool{}
	for one := range list.Each(all) {
		key, title, wrong := of(one)
		switch {
		case seen[key]:
			return fmt.Errorf("%s appears twice", title)
		case wrong != nil:
			return wrong
		}
		seen[key] = true
	}
	return nil
}

func (m *Measurement) validate() error {
	if err := cmp.Or(checkName("measurement", m.Name), checkText("the unit of "+m.Name, m.Unit, maxUnit)); err != nil {
		return err
	}
	switch {
	case m.Better != BetterHigher && m.Better != BetterLower:
		return fmt.Errorf("%s has better %s: it is %q or %q", m.Name, Quote(string(m.Better)), BetterHigher, BetterLower)
	case len(m.Parts) == 0:
		return fmt.Errorf("%s has no parts", m.Name)
	case len(m.Parts) > maxParts:
		return fmt.Errorf("%s has %d parts, at most %d are allowed", m.Name, len(m.Parts), maxParts)
	}
	err := checkEach("parts", m.Parts, maxParts, func(p *Part) (key, title string, wrong error) {
		said := p.SampleStatistics
		p.SampleStatistics = SampleStatistics{}
		return p.At, m.Name + " at " + Quote(p.At), cmp.Or(said.of(p), p.validate(m.Name))
	})
	return cmp.Or(err, m.validateSizes())
}

// validateSizes of a curve: from 1 on, each once, and no more than are stored.
func (m *Measurement) validateSizes() error {
	type size struct {
		n  int
		of string
	}
	seen := map[size]string{}
	for _, part := range m.Parts {
		n, of, ok := quantity.SizeOf(part.At)
		if !ok {
			continue
		}
		if n < 1 {
			return fmt.Errorf("%s at %s: a size is 1 or more", m.Name, Quote(part.At))
		}
		if other := seen[size{n, of}]; other != "" {
			return fmt.Errorf("%s at %s and at %s: these are the same size", m.Name, Quote(other), Quote(part.At))
		}
		seen[size{n, of}] = part.At
	}
	if len(seen) > maxSizes {
		return fmt.Errorf("%s has %d sizes, at most %d are allowed", m.Name, len(seen), maxSizes)
	}
	return nil
}

func (p Part) validate(name string) error {
	what := name + " at " + p.At
	if p.Samples < 0 || p.Spread < 0 {
		return fmt.Errorf("%s has %d samples with a spread of %v: neither can be negative", what, p.Samples, p.Spread)
	}
	return cmp.Or(checkText("a part of "+name, p.At, maxAt), checkFinite(what, p.Value), checkFinite("the spread of "+what, p.Spread))
}

func (d *Document) validateChecks() error {
	return checkEach("checks", d.Checks, maxChecks, func(c *Check) (key, title string, wrong error) {
		wrong = cmp.Or(checkName("check", c.Name), checkOptionalText("the message of check "+c.Name, c.Message, MaxNote))
		return c.Name, "check " + Quote(c.Name), wrong
	})
}

func (d *Document) validateParameters() error {
	if len(d.Parameters) > maxParameters {
		return fmt.Errorf("%d parameters, at most %d are allowed", len(d.Parameters), maxParameters)
	}
	for name, value := range d.Parameters {
		if len(name) > maxName || !parameterPattern.MatchString(name) {
			return fmt.Errorf("parameter %s is not a name", Quote(name))
		}
		if err := checkValue("parameter "+name, value); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) validateNotes() error {
	if len(d.Notes) > maxNotes {
		return fmt.Errorf("%d notes, at most %d are allowed", len(d.Notes), maxNotes)
	}
	for _, note := range d.Notes {
		if err := checkText("a note", note, MaxNote); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) validateDevices() error {
	return checkEach("devices", d.Device, MaxDevices, func(device *Device) (key, title string, wrong error) {
		index := strconv.Itoa(int(device.Index))
		if device.Index < 0 || device.Index > maxDeviceIndex {
			wrong = fmt.Errorf("device index %s is out of range", index)
		}
		return index, "device " + index, cmp.Or(wrong, checkOptionalText("the uuid of a device", device.UUID, MaxDeviceText),
			checkOptionalText("the product of a device", device.Product, MaxDeviceText))
	})
}
