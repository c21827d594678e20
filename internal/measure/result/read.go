package result

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// Read the one JSON document that Assay's own programs print on stdout.
func Read(output []byte) (Document, error) {
	var d Document
	if err := decodeStrict(output, &d); err != nil {
		return Document{}, Bad("expected one JSON document (schema %s) on stdout and everything else on stderr: %w", Schema, err)
	}
	d.dropUnknownParameters()
	d.mergeChecks()
	return d, nil
}

// dropUnknownParameters takes out parameters that are null, which is how a program writes a setting that is no finite
// number, and says so.
func (d *Document) dropUnknownParameters() {
	for name, value := range d.Parameters {
		if value == nil {
			delete(d.Parameters, name)
			d.Notes = append(d.Notes, fmt.Sprintf("the program reported no value for parameter %s", name))
		}
	}
}

// mergeChecks joins checks of one name, which a program makes when it verifies several parts: all of them must be ok.
func (d *Document) mergeChecks() {
	d.Checks = list.Map(list.Groups(d.Checks, func(c Check) string { return c.Name }), func(same []Check) Check {
		merged := same[0]
		for _, check := range same[1:] {
			if !check.OK && merged.OK {
				merged = check
			} else if check.OK == merged.OK && check.Message != "" {
				merged.Message = strings.TrimPrefix(merged.Message+"; "+check.Message, "; ")
			}
		}
		return merged
	})
}

// Accept makes a document that was read fit for the API, or refuses it: metrics give the units in which a Benchmark declares them, and comparing
// a measurement in another unit would be wrong.
func (d *Document) Accept(metrics []v1alpha1.Metric) error {
	d.tidy()
	if err := d.validate(); err != nil {
		return Bad("%w", err)
	}
	return d.checkUnits(metrics)
}

// tidy makes free text fit the API's limits with a mark, because a long note is no reason to lose a measurement.
func (d *Document) tidy() {
	for i := range d.Checks {
		d.Checks[i].Message = Clean(d.Checks[i].Message, MaxNote)
	}
	notes := list.Map(d.Notes, func(note string) string { return Clean(note, MaxNote) })
	d.Notes = capNotes(list.Where(notes, func(note string) bool { return note != "" }))
	d.Version = Clean(d.Version, maxVersion)
	d.Skipped = Clean(d.Skipped, maxSkipped)
	for i := range d.Device {
		d.Device[i].Product = Clean(d.Device[i].Product, MaxDeviceText)
	}
	if len(d.Facts) > maxFacts {
		d.Facts = capFacts(d.Facts, maxFacts-1)
	}
	for i := range d.Facts {
		if text, ok := d.Facts[i].Value.(string); ok {
			d.Facts[i].Value = Clean(text, MaxFact)
		}
	}
	for name, value := range d.Parameters {
		if text, ok := value.(string); ok {
			d.Parameters[name] = Clean(text, MaxFact)
		}
	}
}

func (d *Document) checkUnits(metrics []v1alpha1.Metric) error {
	for _, metric := range metrics {
		for _, m := range d.Measurements {
			if m.Name == metric.Name && m.Unit != metric.Unit {
				return Bad("%s is in %s, but the Benchmark declares it in %s: correct the unit of that metric", m.Name, m.Unit, Quote(metric.Unit))
			}
		}
	}
	return nil
}
