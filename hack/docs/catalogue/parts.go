package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

// recordings of machines, from the root of the repository.
const recordings = "test/testdata/*/*.json.gz"

var size = regexp.MustCompile(`\d+(B|[KMGT]iB)`)

// recordedParts are the kinds of parts that each metric had a value for on a recorded machine: Benchmarks do not say it.
func recordedParts(pattern string) (map[string]string, error) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("finding the recordings %s: %d files, %w", pattern, len(files), err)
	}
	kinds := map[string][]string{}
	for _, file := range files {
		recording, err := testdata.RecordingIn(file)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
		for _, series := range recording.Series {
			for _, run := range series.Runs {
				addParts(kinds, run.Document)
			}
		}
	}
	parts := map[string]string{}
	for metric, all := range kinds {
		slices.Sort(all)
		parts[metric] = strings.Join(slices.Compact(all), ", ")
	}
	return parts, nil
}

// addParts of one document; what is no document of Assay's has none.
func addParts(kinds map[string][]string, document []byte) {
	var d result.Document
	if json.Unmarshal(document, &d) != nil {
		return
	}
	for _, m := range d.Measurements {
		for _, p := range m.Parts {
			if kind := size.ReplaceAllString(part.Kind(p.At), "size"); !slices.Contains(kinds[m.Name], kind) {
				kinds[m.Name] = append(kinds[m.Name], kind)
			}
		}
	}
}
