package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

// recordings of machines, from the root of the repository.
const recordings = "test/testdata/*/*.json.gz"

var size = regexp.MustCompile(`\d+(B|[KMGT]iB)`)

// recorded are the kinds of parts that each metric of a program had a value for on some machine: Benchmarks do not say it.
type recorded map[[2]string][]string

func readParts() (recorded, error) {
	files, err := filepath.Glob(recordings)
	if err != nil {
		return nil, err
	}
	kinds := recorded{}
	for _, file := range files {
		recording, err := testdata.RecordingIn(file)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		for _, series := range recording.Series {
			for _, run := range series.Runs {
				kinds.add(run.Document)
			}
		}
	}
	return kinds, nil
}

// add the parts of one document; what is no document of Assay's has none.
func (r recorded) add(document []byte) {
	var d result.Document
	if json.Unmarshal(document, &d) != nil {
		return
	}
	for _, m := range d.Measurements {
		key := [2]string{d.Benchmark, m.Name}
		for _, p := range m.Parts {
			if kind := size.ReplaceAllString(part.Kind(p.At), "size"); !slices.Contains(r[key], kind) {
				r[key] = append(r[key], kind)
			}
		}
	}
}

// of a metric, as the program of the benchmark names them.
func (r recorded) of(b *v1alpha1.Benchmark, metric string) string {
	for _, program := range b.Spec.Command {
		if kinds := r[[2]string{strings.TrimSuffix(program, "-mpi"), metric}]; len(kinds) > 0 {
			return strings.Join(slices.Sorted(slices.Values(kinds)), ", ")
		}
	}
	return ""
}
