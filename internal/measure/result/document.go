// Package result turns the output of a benchmark program into one document of measurements, carries that document in a
// pod's termination message, and turns it into the API's Attempt.
//
// It decides whether an output can be believed, and refuses the whole of it when any number in it cannot. It never judges
// how good a number is, and does no I/O. All input is taken as hostile: it may be truncated, garbled, forged or huge.
package result

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// Schema names the document's format. A program that prints anything else is refused.
const Schema = "assay.dev/result/v1"

// Better says which way a measurement is better.
type Better string

// The two directions of the document.
const (
	BetterHigher Better = "higher"
	BetterLower  Better = "lower"
)

// NodePart is the part of a measurement that concerns the node as a whole.
const NodePart = "node"

// GroupPart is the part that figures of all ranks of a group together belong to.
const GroupPart = "all"

// Document is what one run of a benchmark program measured.
type Document struct {
	Schema    string `json:"schema"`
	Benchmark string `json:"benchmark"`
	Version   string `json:"version,omitempty"`
	// Skipped says why the program cannot run here. A skipped document holds no measurements and no checks.
	Skipped string `json:"skipped,omitempty"`
	// Parameters are the settings used: each a bool, a string or a json.Number.
	Parameters   map[string]any `json:"parameters,omitempty"`
	Measurements []Measurement  `json:"measurements,omitempty"`
	Checks       []Check        `json:"checks,omitempty"`
	Notes        []string       `json:"notes,omitempty"`
	Device       []Device       `json:"device,omitempty"`
	// Facts are in order of importance: those that do not fit into a termination message are left out from the end.
	Facts []Fact `json:"facts,omitempty"`
	// ElapsedSeconds is how long the program took by its own clock. Zero: unknown.
	ElapsedSeconds float64 `json:"elapsedSeconds,omitempty"`
}

// Measurement is one quantity, part by part, in SI units (GB/s is 1e9 bytes per second).
type Measurement struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Better Better `json:"better"`
	Parts  []Part `json:"parts"`
}

// Part is the value of one GPU, link, NUMA domain or message size. A program may also report min, mean, p95 and outliers of the samples
// behind it. They are for readers of its log: they are validated, and then forgotten.
type Part struct {
	At    string  `json:"at"`
	Value float64 `json:"value"`
	// Samples behind the value. Zero: unknown.
	Samples int32 `json:"samples,omitempty"`
	// Spread of the samples as a fraction of the value: 1.4826 MAD / |median|. Zero: unknown, or none.
	Spread float64 `json:"spread,omitempty"`
	SampleStatistics
}

// Check is one yes-or-no finding of a program about its own data, and Device one accelerator that took part. The API stores them as they are.
type (
	Check  = v1alpha1.Check
	Device = v1alpha1.Device
)

// FailedChecks returns the checks that are not ok, in the document's order.
func (d *Document) FailedChecks() []Check {
	return list.Where(d.Checks, func(check Check) bool { return !check.OK })
}

// AddNode adds a figure of the node, or of all ranks together.
func (d *Document) AddNode(name, unit string, better Better, part Part) {
	part.At = NodePart
	d.Measurements = append(d.Measurements, Measurement{Name: name, Unit: unit, Better: better, Parts: []Part{part}})
}

// AddKnown adds a figure of the node that a log may lack: it is none then, or negative.
func (d *Document) AddKnown(name, unit string, better Better, value float64) {
	if value >= 0 {
		d.AddNode(name, unit, better, Part{Value: value})
	}
}

// AddCount keeps a setting that the log tells: ranks, atoms, steps. Zero: it does not.
func (d *Document) AddCount(name string, n int64) {
	if n > 0 {
		d.AddParameter(name, jsonNumber(float64(n)))
	}
}

// AddParameter keeps a setting.
func (d *Document) AddParameter(name string, value any) {
	if d.Parameters == nil {
		d.Parameters = map[string]any{}
	}
	d.Parameters[name] = value
}

// AddCheck adds what a log says of the program's data: wrong is empty where it is right.
func (d *Document) AddCheck(name, wrong string) {
	d.Checks = append(d.Checks, Check{Name: name, OK: wrong == "", Message: wrong})
}

// AddPart adds a part to the measurement of that name.
func (d *Document) AddPart(name, unit string, better Better, part Part) {
	for i := range d.Measurements {
		if d.Measurements[i].Name == name {
			d.Measurements[i].Parts = append(d.Measurements[i].Parts, part)
			return
		}
	}
	d.Measurements = append(d.Measurements, Measurement{Name: name, Unit: unit, Better: better, Parts: []Part{part}})
}
