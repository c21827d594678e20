// Package runs makes runs for the tests of the HTML report: recorded, simulated and hostile ones, judged as the operator judges them.
package runs

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
)

// root of the repository.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(file) { // compiled with -trimpath: tests run in their own folder
		here, err := os.Getwd()
		must("the folder of the test", err)
		return above(here)
	}
	return filepath.Join(filepath.Dir(file), "../../..")
}

// above a folder is the repository that it is in. Outside of one there is nothing to read.
func above(folder string) string {
	for dir := folder; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			panic(folder + " is in no repository: run the test in its own folder")
		}
	}
}

func benchmark(name string) v1alpha1.Benchmark {
	var b v1alpha1.Benchmark
	read("config/catalogue/benchmarks/"+name+".yaml", &b)
	return b
}

// h200 are the peaks of a node with eight or fewer H200s.
func h200() (v1alpha1.HardwareProfile, peak.Peaks) {
	var p v1alpha1.HardwareProfile
	read("config/catalogue/profiles/h200.yaml", &p)
	return p, peak.Of(&p)
}

func read(file string, into any) {
	text, err := os.ReadFile(filepath.Join(root(), file))
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	must(file, err)
}

func must(what string, err error) {
	if err != nil {
		panic(fmt.Sprintf("%s: %v", what, err))
	}
}

// recording is what the GPU programs printed on one machine, again and again.
type recording struct {
	Series map[string]struct {
		Runs []struct {
			Document json.RawMessage `json:"document"`
		} `json:"runs"`
	} `json:"series"`
}

func record(machine string) recording {
	var r recording
	unzip("test/testdata/h200/"+machine+".json.gz", &r)
	return r
}

// unzip reads gzipped JSON.
func unzip(file string, into any) {
	packed, err := os.Open(filepath.Join(root(), file))
	must(file, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	must(file, err)
	must(file, json.NewDecoder(unpacked).Decode(into))
}

// attempt is a repetition of a series as the operator would get it; false: it was not recorded so often.
func (r recording) attempt(b *v1alpha1.Benchmark, repetition int) (v1alpha1.Attempt, bool) {
	all := r.Series[b.Name].Runs
	if repetition >= len(all) {
		return v1alpha1.Attempt{}, false
	}
	document, err := formats.Parse(v1alpha1.FormatAssay, nil, b.Spec.Metrics, all[repetition].Document)
	must(b.Name, err)
	return result.Envelope{Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Document: &document}.Attempt(int32(repetition + 1)), true
}
