package result

import (
	"encoding/json"
	"fmt"

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
	if err := checkOptionalText("version", d.Version, maxVersion); err != nil {
		return err
	}
	if err := checkFinite("elapsedSeconds", d.ElapsedSeconds); err != nil {
		return err
	}
	if d.ElapsedSeconds < 0 {
		return fmt.Errorf("elapsedSeconds is %v: a time cannot be negative", d.ElapsedSeconds)
	}
	for _, step := range []func() error{d.validateContent, d.validateParameters, d.validateNotes, d.validateDevices, d.validateFacts} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
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
	if err := validateMeasurements(d.Measurements); err != nil {
		return err
	}
	return d.validateChecks()
}

func validateMeasurements(measurements []Measurement) error {
	if len(measurements) > maxMeasurements {
		return fmt.Errorf("%d measurements, at most %d are allowed", len(measurements), maxMeasurements)
	}
	seen := map[string]bool{}
	for m := range list.Each(measurements) {
		if seen[m.Name] {
			return fmt.Errorf("measurement %s appears twice", Quote(m.Name))
		}
		seen[m.Name] = true
		if err := m.validate(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Measurement) validate() error {
	if err := checkName("measurement", m.Name); err != nil {
		return err
	}
	if err := checkText("the unit of "+m.Name, m.Unit, maxUnit); err != nil {
		return err
	}
	if m.Better != BetterHigher && m.Better != BetterLower {
		return fmt.Errorf("%s has better %s: it is %q or %q", m.Name, Quote(string(m.Better)), BetterHigher, BetterLower)
	}
	if len(m.Parts) == 0 {
		return fmt.Errorf("%s has no parts", m.Name)
	}
	if len(m.Parts) > maxParts {
		return fmt.Errorf("%s has %d parts, at most %d are allowed", m.Name, len(m.Parts), maxParts)
	}
	seen := map[string]bool{}
	for _, part := range m.Parts {
		if seen[part.At] {
			return fmt.Errorf("%s at %s appears twice", m.Name, Quote(part.At))
		}
		seen[part.At] = true
		if err := part.validate(m.Name); err != nil {
			return err
		}
	}
	return m.validateSizes()
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
	if err := checkText("a part of "+name, p.At, maxAt); err != nil {
		return err
	}
	what := name + " at " + p.At
	if err := checkFinite(what, p.Value); err != nil {
		return err
	}
	if err := checkFinite("the spread of "+what, p.Spread); err != nil {
		return err
	}
	if p.Samples < 0 || p.Spread < 0 {
		return fmt.Errorf("%s has %d samples with a spread of %v: neither can be negative", what, p.Samples, p.Spread)
	}
	return nil
}

func (d *Document) validateChecks() error {
	if len(d.Checks) > maxChecks {
		return fmt.Errorf("%d checks, at most %d are allowed", len(d.Checks), maxChecks)
	}
	seen := map[string]bool{}
	for _, check := range d.Checks {
		if seen[check.Name] {
			return fmt.Errorf("check %s appears twice", Quote(check.Name))
		}
		seen[check.Name] = true
		if err := checkName("check", check.Name); err != nil {
			return err
		}
		if err := checkOptionalText("the message of check "+check.Name, check.Message, MaxNote); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) validateParameters() error {
	if len(d.Parameters) > maxParameters {
		return fmt.Errorf("%d parameters, at most %d are allowed", len(d.Parameters), maxParameters)
	}
	for name, value := range d.Parameters {
		if len(name) > maxName || !parameterPattern.MatchString(name) {
			return fmt.Errorf("parameter %s is not a name", Quote(name))
		}
		switch value := value.(type) {
		case bool:
		case string:
			if err := checkOptionalText("parameter "+name, value, maxParameter); err != nil {
				return err
			}
		case json.Number:
			if err := checkNumber("parameter "+name, value); err != nil {
				return err
			}
		default:
			return fmt.Errorf("parameter %s is not a number, a text or a boolean", name)
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
	if len(d.Device) > MaxDevices {
		return fmt.Errorf("%d devices, at most %d are allowed", len(d.Device), MaxDevices)
	}
	seen := map[int32]bool{}
	for _, device := range d.Device {
		if device.Index < 0 || device.Index > maxDeviceIndex {
			return fmt.Errorf("device index %d is out of range", device.Index)
		}
		if seen[device.Index] {
			return fmt.Errorf("device %d appears twice", device.Index)
		}
		seen[device.Index] = true
		if err := checkOptionalText("the uuid of a device", device.UUID, maxDeviceText); err != nil {
			return err
		}
		if err := checkOptionalText("the product of a device", device.Product, maxDeviceText); err != nil {
			return err
		}
	}
	return nil
}
