package verdict

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
)

const repository = "../../.."

// recording is a file of test/testdata/h200: what the GPU programs printed on one machine, again and again.
type recording struct {
	Series map[string]struct {
		Runs []struct {
			Document json.RawMessage `json:"document"`
		} `json:"runs"`
	} `json:"series"`
}

func readRecording(t *testing.T, name string) recording {
	t.Helper()
	file, err := os.Open(filepath.Join(repository, "test/testdata/h200", name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.NewDecoder(unpacked).Decode(&r); err != nil {
		t.Fatal(err)
	}
	return r
}

// readInventory is one document as a recording: what inventory reports does not scatter.
func readInventory(t *testing.T) recording {
	t.Helper()
	document, err := os.ReadFile(filepath.Join(repository, "test/testdata/outputs/assay-inventory.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r recording
	if err := json.Unmarshal(fmt.Appendf(nil, `{"series":{"inventory":{"runs":[{"document":%s}]}}}`, document), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// attempts are the repetitions of a series as the controller would get them. Reading them with the metrics refuses other units.
func (r *recording) attempts(t *testing.T, series string, metrics []v1alpha1.Metric) []*v1alpha1.Attempt {
	t.Helper()
	var attempts []*v1alpha1.Attempt
	for i, run := range r.Series[series].Runs {
		document, err := formats.Parse(v1alpha1.FormatAssay, nil, metrics, run.Document)
		if err != nil {
			t.Fatalf("%s, repetition %d: %v", series, i, err)
		}
		a := result.Envelope{Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Document: &document}.Attempt(1)
		attempts = append(attempts, &a)
	}
	return attempts
}

// catalogue reads the Benchmarks that programs of kernels/ run on GPUs, by name.
func catalogue(t *testing.T) map[string]*v1alpha1.Benchmark {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository, "config/catalogue/benchmarks/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	benchmarks := map[string]*v1alpha1.Benchmark{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b v1alpha1.Benchmark
		if err := yaml.Unmarshal(text, &b); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if b.Spec.Image != "" && b.Spec.Needs.DeviceResource == "nvidia.com/gpu" {
			benchmarks[b.Name] = &b
		}
	}
	if len(benchmarks) < 12 {
		t.Fatalf("the catalogue has %d benchmarks of GPUs", len(benchmarks))
	}
	return benchmarks
}

// series is where a benchmark of the catalogue was recorded, if not under its own name.
var series = map[string]string{"nccl-cluster": "collectives-mpi"}

func seriesOf(benchmark string) string {
	if name, ok := series[benchmark]; ok {
		return name
	}
	return benchmark
}

func TestTheGPUProgramsReportWhatTheCatalogueExpects(t *testing.T) {
	recordings := map[string]recording{}
	for _, name := range recordedMachines {
		recordings[name] = readRecording(t, name)
	}
	recordings["outputs"] = readInventory(t)
	for name, b := range catalogue(t) {
		t.Run(name, func(t *testing.T) {
			seen := 0
			for machine, r := range recordings {
				for _, a := range r.attempts(t, seriesOf(name), b.Spec.Metrics) {
					if a.Verdict != v1alpha1.VerdictPass {
						t.Errorf("%s: %s %s", machine, a.Verdict, a.Message)
					}
					seen++
					reportsAll(t, b, machine, a)
				}
			}
			if seen == 0 {
				t.Errorf("no document of %s was recorded", seriesOf(name))
			}
		})
	}
}

// sinceRecorded are metrics that the programs have learned since the recordings.
var sinceRecorded = []string{"atomStepRatePerWatt", "l2Read"}

// unmetered are metrics that no recorded machine could tell: virtual ones have neither RAPL nor a power meter.
var unmetered = []string{"cpuIdlePower", "nodeIdlePower"}

// reportsAll requires every metric of a benchmark in an attempt, and every fact that must have a value, with that value; what compares GPUs with one is missing where there is one.
func reportsAll(t *testing.T, b *v1alpha1.Benchmark, machine string, a *v1alpha1.Attempt) {
	t.Helper()
	for _, f := range b.Spec.Facts {
		isOther := func(got v1alpha1.Fact) bool { return got.Value != f.Equal }
		var found []v1alpha1.Fact
		for _, fact := range a.Facts {
			if fact.Name == f.Name {
				found = append(found, fact)
			}
		}
		if f.Equal != "" && (len(found) == 0 || slices.ContainsFunc(found, isOther)) {
			t.Errorf("%s: fact %s is %v; the catalogue has %s", machine, f.Name, found, f.Equal)
		}
	}
	for i := range b.Spec.Metrics {
		m := &b.Spec.Metrics[i]
		got := attempt.Measurement(a, m.Name)
		if got == nil {
			excused := slices.Contains(sinceRecorded, m.Name) || slices.Contains(unmetered, m.Name)
			if !expect.Expects(m) && (strings.HasPrefix(machine, "one") || excused) {
				continue
			}
			t.Errorf("%s: %s is not reported", machine, m.Name)
			continue
		}
		better := m.Better
		if better == "" {
			better = v1alpha1.Higher
		}
		if got.Unit != m.Unit || got.Better != better {
			t.Errorf("%s: %s in %s, %s is better; the catalogue has %s, %s", machine, m.Name, got.Unit, got.Better, m.Unit, better)
		}
	}
}

func TestTheGPUProgramsKnowTheOptionsOfTheCatalogue(t *testing.T) {
	for name, b := range catalogue(t) {
		command := b.Spec.Command
		for len(command) > 0 && (command[0] == "mpirun" || strings.HasPrefix(command[0], "-") || !isProgram(command[0])) {
			command = command[1:] // mpirun and its options
		}
		if len(command) == 0 {
			t.Errorf("%s: no program of kernels/ in %q", name, b.Spec.Command)
			continue
		}
		source := sources(t, folderOf(command[0])) + sources(t, "common")
		for _, word := range command[1:] {
			if strings.HasPrefix(word, "--") && !strings.Contains(source, `"`+word+`"`) {
				t.Errorf("%s: %s has no option %s", name, command[0], word)
			}
		}
	}
}

func TestTheCatalogueJudgesHistoryOnlyOfWhatItKeeps(t *testing.T) {
	for name, b := range catalogue(t) {
		for i := range b.Spec.Metrics {
			m := &b.Spec.Metrics[i]
			if m.Expectation != nil && m.Expectation.MaxRegression != "" && !m.Headline {
				t.Errorf("%s: %s has maxRegression, but only headlines are kept", name, m.Name)
			}
		}
	}
}

func folderOf(program string) string { return strings.TrimSuffix(program, "-mpi") }

func isProgram(word string) bool {
	info, err := os.Stat(filepath.Join(repository, "kernels", folderOf(word)))
	return word != "" && err == nil && info.IsDir()
}

// sources is all the C++, CUDA and Python of a folder of kernels/.
func sources(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{"*.[ch]pp", "*.cu", "*.py", "*/*.[ch]pp"} {
		files, _ := filepath.Glob(filepath.Join(repository, "kernels", folder, pattern))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
	}
	return all.String()
}
