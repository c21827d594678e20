package verdict

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

// inventory is one document as a recording: what it reports does not scatter.
func inventory() testdata.Recording {
	var r testdata.Recording
	if err := json.Unmarshal(fmt.Appendf(nil, `{"series":{"inventory":{"runs":[{"document":%s}]}}}`, testdata.Output("assay-inventory.json")), &r); err != nil {
		panic(err)
	}
	return r
}

// attempts are the repetitions of a series as the controller would get them. Reading them with the metrics refuses other units.
func attempts(t *testing.T, r testdata.Recording, series string, metrics []v1alpha1.Metric) []*v1alpha1.Attempt {
	t.Helper()
	var all []*v1alpha1.Attempt
	for i, run := range r.Series[series].Runs {
		document, err := formats.Parse(v1alpha1.FormatAssay, nil, metrics, run.Document)
		if err != nil {
			t.Fatalf("%s, repetition %d: %v", series, i, err)
		}
		a := result.Envelope{Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Document: &document}.Attempt(1)
		all = append(all, &a)
	}
	return all
}

// ofGPUs are the Benchmarks of the catalogue that programs of kernels/ run on GPUs, by name.
func ofGPUs() map[string]*v1alpha1.Benchmark {
	benchmarks := map[string]*v1alpha1.Benchmark{}
	for _, b := range testdata.Benchmarks() {
		if b.Spec.Image != "" && b.Spec.Needs.DeviceResource == "nvidia.com/gpu" {
			benchmarks[b.Name] = &b
		}
	}
	return benchmarks
}

// series is where a benchmark of the catalogue was recorded, if not under its own name.
var series = map[string]string{"nccl-cluster": "collectives-mpi", "gemm-formats": "gemm"}

func seriesOf(benchmark string) string {
	if name, ok := series[benchmark]; ok {
		return name
	}
	return benchmark
}

func TestTheGPUProgramsReportWhatTheCatalogueExpects(t *testing.T) {
	recordings := map[string]testdata.Recording{}
	for _, name := range recordedMachines {
		recordings[name] = testdata.Recorded("h200/" + name)
	}
	recordings["outputs"] = inventory()
	for name, b := range ofGPUs() {
		t.Run(name, func(t *testing.T) {
			seen := 0
			for machine, r := range recordings {
				for _, a := range attempts(t, r, seriesOf(name), b.Spec.Metrics) {
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

func TestTheCatalogueJudgesHistoryOnlyOfWhatItKeeps(t *testing.T) {
	for name, b := range ofGPUs() {
		for i := range b.Spec.Metrics {
			m := &b.Spec.Metrics[i]
			if m.Expectation != nil && m.Expectation.MaxRegression != "" && !m.Headline {
				t.Errorf("%s: %s has maxRegression, but only headlines are kept", name, m.Name)
			}
		}
	}
}
