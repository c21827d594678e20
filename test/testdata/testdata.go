// Package testdata gives tests and benchmarks what the repository ships and what was recorded with it. All of it is part of the test programs:
// go test then knows by their content whether a result still holds, in a fresh clone, too, where every file is new.
package testdata

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config"
)

//go:embed h200 cpu outputs demo.json.gz rack-7.yaml node-4.yaml one-gpu-out.yaml
var recorded embed.FS

// Recording is what hack/record.sh wrote: what programs printed on one machine, again and again.
type Recording struct {
	Machine struct {
		CPU  string   `json:"cpu"`
		CPUs int      `json:"cpus"`
		GPUs []string `json:"gpus"`
	} `json:"machine"`
	Series map[string]struct {
		Runs []Repetition `json:"runs"`
	} `json:"series"`
}

// Repetition of one program; Document is what programs of the format Assay printed.
type Repetition struct {
	ExitCode int             `json:"exitCode"`
	Output   string          `json:"output"`
	Document json.RawMessage `json:"document"`
}

// Recorded reads a recording, such as "h200/node1"; there must be one.
func Recorded(name string) (r Recording) {
	Unzip(name, &r)
	return r
}

// RecordingIn a file that is anywhere.
func RecordingIn(name string) (r Recording, err error) {
	file, err := os.Open(name)
	if err != nil {
		return r, err
	}
	defer file.Close()
	err = unzip(file, &r)
	return r, err
}

// Unzip reads the JSON of a file NAME.json.gz; there must be one.
func Unzip(name string, into any) {
	packed, err := recorded.ReadFile(name + ".json.gz")
	must(err)
	must(unzip(bytes.NewReader(packed), into))
}

func unzip(packed io.Reader, into any) error {
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	return json.NewDecoder(unpacked).Decode(into)
}

// Output is a file of testdata/outputs: what one program printed once.
func Output(name string) string {
	text, err := recorded.ReadFile("outputs/" + name)
	must(err)
	return string(text)
}

// Rack7 are the documents of a finished run in which all kinds of things were found, and of what is known of its nodes.
func Rack7() [][]byte {
	text, err := recorded.ReadFile("rack-7.yaml")
	must(err)
	return bytes.Split(text, []byte("\n---\n"))
}

// Node4 reads the runs of a node that passed for weeks and then failed.
func Node4(into any) {
	readRuns("node-4.yaml", into)
}

// OneGPUOut reads a run of four nodes of eight GPUs, of which one GPU is out of service.
func OneGPUOut(into any) {
	readRuns("one-gpu-out.yaml", into)
}

func readRuns(file string, into any) {
	text, err := recorded.ReadFile(file)
	must(err)
	must(yaml.UnmarshalStrict(text, into))
}

// Benchmark of the catalogue; there must be one of that name.
func Benchmark(name string) *v1alpha1.Benchmark {
	return read[v1alpha1.Benchmark]("catalogue/benchmarks/" + name + ".yaml")
}

// Profile of the catalogue; there must be one of that name.
func Profile(name string) *v1alpha1.HardwareProfile {
	return read[v1alpha1.HardwareProfile]("catalogue/profiles/" + name + ".yaml")
}

// Benchmarks are all of the catalogue, in the order of their names.
func Benchmarks() []v1alpha1.Benchmark {
	files, err := fs.Glob(config.Catalogue, "catalogue/benchmarks/*.yaml")
	must(err)
	var all []v1alpha1.Benchmark
	for _, file := range files {
		if path.Base(file) != "kustomization.yaml" {
			all = append(all, *read[v1alpha1.Benchmark](file))
		}
	}
	return all
}

func read[T any](file string) *T {
	text, err := config.Catalogue.ReadFile(file)
	must(err)
	o := new(T)
	if err := yaml.UnmarshalStrict(text, o); err != nil {
		panic(fmt.Errorf("%s: %w", file, err))
	}
	return o
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
