package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/stat"
)

// metric is a measurement in one unit: only values of the same are compared.
type metric struct {
	name, unit string
	better     result.Better
}

// metricOf names a measurement. The load of `burn` and gpu-burn has a precision, and only the same one compares.
func metricOf(d result.Document, m result.Measurement) metric {
	name := m.Name
	if precision, ok := d.Parameters["precision"].(string); ok {
		name += " " + precision
	}
	if d.Parameters["tensorCores"] == true {
		name += " on tensor cores"
	}
	return metric{name, m.Unit, m.Better}
}

// figures are the values of a metric, by part; several where it was measured several times.
type figures map[metric]map[string][]float64

func (f figures) add(d result.Document) {
	for _, m := range d.Measurements {
		if m.Unit == "C" { // the room's as much as the program's
			continue
		}
		key := metricOf(d, m)
		if f[key] == nil {
			f[key] = map[string][]float64{}
		}
		for _, part := range m.Parts {
			f[key][part.At] = append(f[key][part.At], part.Value)
		}
	}
}

// addOutput reads what a tool printed.
func (f figures) addOutput(format v1alpha1.OutputFormat, file string) error {
	content, err := read(file)
	if err != nil {
		return err
	}
	d, err := formats.Parse(format, nil, nil, content)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	f.add(d)
	return nil
}

// recording is what hack/record.sh and hack/gpu/run.sh write.
type recording struct {
	Series map[string]struct {
		Runs []struct {
			ExitCode int             `json:"exitCode"`
			Document json.RawMessage `json:"document"`
		} `json:"runs"`
	} `json:"series"`
}

// addOurs reads one document, or all documents of a recording, of which those of a series stand for its program alone: a series
// with other options has another name.
func (f figures) addOurs(file string) error {
	content, err := read(file)
	if err != nil {
		return err
	}
	var r recording
	if err := json.Unmarshal(content, &r); err != nil || len(r.Series) == 0 {
		return f.addOutput(v1alpha1.FormatAssay, file)
	}
	for name, series := range r.Series {
		for i, run := range series.Runs {
			if run.ExitCode != 0 || len(run.Document) == 0 {
				continue
			}
			d, err := formats.Parse(v1alpha1.FormatAssay, nil, nil, run.Document)
			if err != nil {
				return fmt.Errorf("%s, %s, repetition %d: %w", file, name, i+1, err)
			}
			if d.Benchmark == name {
				f.add(d)
			}
		}
	}
	return nil
}

// read returns a file's content, unpacked.
func read(file string) ([]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		return content, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return io.ReadAll(unpacked)
}

// row is a metric with what both measured of it.
type row struct {
	metric
	parts []pair
}

// pair is a part that both measured.
type pair struct {
	at           string
	ours, theirs float64
}

func (p pair) ratio() float64 { return p.ours / p.theirs }

// compare pairs what has the same name, unit and part. Ratios need values above zero.
func compare(ours, theirs figures) []row {
	var rows []row
	for key, parts := range ours {
		compared := row{metric: key}
		for at, values := range parts {
			if others := theirs[key][at]; len(others) > 0 && stat.Median(values) > 0 && stat.Median(others) > 0 {
				compared.parts = append(compared.parts, pair{at, stat.Median(values), stat.Median(others)})
			}
		}
		if len(compared.parts) > 0 {
			slices.SortFunc(compared.parts, func(a, b pair) int { return byNumber(a.at, b.at) })
			rows = append(rows, compared)
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return byNumber(a.name+" "+a.unit, b.name+" "+b.unit) })
	return rows
}
