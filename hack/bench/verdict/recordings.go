package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/assay-dev/assay/internal/stat"
)

// noise of one metric is what repetitions on the same healthy part differed by, as shares of the part's own mean: common to all parts
// of a repetition, and of each part beside that.
type noise struct {
	level       float64 // median over machines of the median over their parts
	common, own []float64
}

// recording is a file of test/testdata/h200.
type recording struct {
	Series map[string]struct {
		Runs []struct {
			Document struct {
				Measurements []struct {
					Name  string
					Parts []struct {
						At    string
						Value float64
					}
				}
			}
		}
	}
}

func readRecordings(folder string) ([]recording, error) {
	files, err := filepath.Glob(filepath.Join(folder, "node*.json.gz"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no recordings in %s: %w", folder, err)
	}
	all := make([]recording, len(files))
	for i, name := range files {
		if err := all[i].read(name); err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
	}
	return all, nil
}

func (r *recording) read(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	return json.NewDecoder(unpacked).Decode(r)
}

// repetitions of one metric on one machine, by part. Only parts that the catalogue's command measures count: of the message sizes of
// collectives the largest.
func (r *recording) repetitions(benchmark, metric string) map[string][]float64 {
	values := map[string][]float64{}
	for _, run := range r.Series[benchmark].Runs {
		for _, m := range run.Document.Measurements {
			if m.Name != metric {
				continue
			}
			for _, p := range m.Parts {
				if benchmark != "collectives" || p.At == largest {
					values[p.At] = append(values[p.At], p.Value)
				}
			}
		}
	}
	return values
}

// largest message of collectives.
const largest = "8GiB"

// noiseOf a metric over all machines.
func noiseOf(all []recording, benchmark, metric string) noise {
	var n noise
	var levels []float64
	ownInCommon := 0.0
	for i := range all {
		parts := all[i].repetitions(benchmark, metric)
		if len(parts) == 0 {
			continue
		}
		var means []float64
		var residuals [][]float64
		for _, at := range sortedKeys(parts) {
			mean := average(parts[at])
			means = append(means, mean)
			residuals = append(residuals, aroundMean(parts[at], mean))
		}
		levels = append(levels, stat.Median(means))
		ownInCommon += n.add(residuals)
	}
	n.level = stat.Median(levels)
	n.narrow(ownInCommon)
	return n
}

// narrow the common residuals by what they hold of the parts' own: the mean of m values has 1/m of their variance, which is drawn with each
// part's own residual, and not twice.
func (n *noise) narrow(own float64) {
	all := 0.0
	for _, v := range n.common {
		all += v * v
	}
	for i := range n.common {
		n.common[i] *= math.Sqrt(max(0, 1-own/max(all, own, math.SmallestNonzeroFloat64)))
	}
}

// add the residuals of one machine, part by part. Where a mean was subtracted, what is left is scaled up to the spread it is from. Returned is
// the sum of squares of what the common residuals hold of it.
func (n *noise) add(residuals [][]float64) (ownInCommon float64) {
	parts := float64(len(residuals))
	for k := range residuals[0] {
		common := 0.0
		for _, part := range residuals {
			common += part[k] / parts
		}
		n.common = append(n.common, common)
		for _, part := range residuals {
			if parts > 1 {
				own := (part[k] - common) * math.Sqrt(parts/(parts-1))
				n.own = append(n.own, own)
				ownInCommon += own * own / (parts * parts) // their mean square, over the number of parts
			}
		}
	}
	return ownInCommon
}

func aroundMean(values []float64, mean float64) []float64 {
	out := make([]float64, len(values))
	scale := math.Sqrt(float64(len(values)) / float64(max(1, len(values)-1)))
	for i, v := range values {
		if mean != 0 {
			out[i] = (v/mean - 1) * scale
		}
	}
	return out
}

func average(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
