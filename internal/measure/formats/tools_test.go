package formats

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

// toolOutputs are outputs of tools and applications of others, each with its format.
var toolOutputs = []struct {
	file   string
	format v1alpha1.OutputFormat
}{
	{"nvbandwidth-documented.txt", v1alpha1.FormatNVBandwidth},
	{"nvbandwidth-one-gpu-documented.txt", v1alpha1.FormatNVBandwidth},
	{"nvbandwidth-documented.json", v1alpha1.FormatNVBandwidth},
	{"nccl-tests-documented.txt", v1alpha1.FormatNCCLTests},
	{"nccl-tests-old-documented.txt", v1alpha1.FormatNCCLTests},
	{"nccl-tests-mpi-wrong-documented.txt", v1alpha1.FormatNCCLTests},
	{"babelstream-documented.txt", v1alpha1.FormatBabelStream},
	{"babelstream-csv-documented.txt", v1alpha1.FormatBabelStream},
	{"babelstream-mib-float-documented.txt", v1alpha1.FormatBabelStream},
	{"babelstream-openmp-documented.txt", v1alpha1.FormatBabelStream},
	{"babelstream-triad-only-documented.txt", v1alpha1.FormatBabelStream},
	{"gpu-burn-documented.txt", v1alpha1.FormatGPUBurn},
	{"gpu-burn-faulty-documented.txt", v1alpha1.FormatGPUBurn},
	{"lammps-2021-two-runs.txt", v1alpha1.FormatLAMMPS},
	{"lammps-2025.txt", v1alpha1.FormatLAMMPS},
	{"fluent-documented.txt", v1alpha1.FormatFluent},
	{"fluent-benchmark-documented.txt", v1alpha1.FormatFluent},
	{"npb-cg-mpi-documented.txt", v1alpha1.FormatNPB},
	{"npb-ft-omp-documented.txt", v1alpha1.FormatNPB},
	{"wrf-documented.txt", v1alpha1.FormatWRF},
	{"wrf-nested-documented.txt", v1alpha1.FormatWRF},
	{"perftest-write-bw-documented.txt", v1alpha1.FormatPerfTest},
	{"perftest-send-bw-sweep-documented.txt", v1alpha1.FormatPerfTest},
	{"perftest-write-bw-duration-documented.txt", v1alpha1.FormatPerfTest},
	{"perftest-write-lat-documented.txt", v1alpha1.FormatPerfTest},
	{"perftest-send-lat-sweep-documented.txt", v1alpha1.FormatPerfTest},
	{"namd2-documented.txt", v1alpha1.FormatNAMD},
	{"namd3-documented.txt", v1alpha1.FormatNAMD},
	{"hpcc.txt", v1alpha1.FormatHPCC},
	{"fio-3.33.json", v1alpha1.FormatFIO},
	{"fio-3.33-damaged.json", v1alpha1.FormatFIO},
}

// What a site sees when it uses its own tool as a Benchmark is reviewed in the golden file.
func TestWhatToolsMeasureIsInTheGoldenFile(t *testing.T) {
	const golden = "testdata/tools.golden"
	var got strings.Builder
	for _, output := range toolOutputs {
		d, err := Parse(output.format, nil, nil, []byte(testdata.Output(output.file)))
		if err != nil {
			t.Fatalf("%s: %v", output.file, err)
		}
		fmt.Fprintf(&got, "# %s\n%s\n", output.file, show(d))
	}
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("documents differ from %s (-want +got):\n%s\nIf that is meant, run: go test ./internal/measure/formats -run Golden -update", golden, diff)
	}
}

// show is a document as text.
func show(d result.Document) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s %s\n", d.Benchmark, d.Version)
	for _, name := range slices.Sorted(maps.Keys(d.Parameters)) {
		fmt.Fprintf(&s, "  %s: %v\n", name, d.Parameters[name])
	}
	for _, check := range d.Checks {
		fmt.Fprintf(&s, "  check %s: %v %s\n", check.Name, check.OK, check.Message)
	}
	for _, m := range d.Measurements {
		fmt.Fprintf(&s, "  %s %s, better %s:", m.Name, m.Unit, m.Better)
		for _, part := range m.Parts {
			fmt.Fprintf(&s, " %s %.6g (%d)", part.At, part.Value, part.Samples)
		}
		s.WriteString("\n")
	}
	return s.String()
}

// figures are the values of a document, by name, unit and part.
func figures(d result.Document) map[string]float64 {
	found := map[string]float64{}
	for _, m := range d.Measurements {
		for _, part := range m.Parts {
			found[m.Name+" "+m.Unit+" "+part.At] = round6(part.Value)
		}
	}
	return found
}

// What a sample expects of a tool is what its output says, in the same units.
func TestEveryMetricOfASampleIsOneItsToolReports(t *testing.T) {
	samples, err := filepath.Glob(filepath.Join("..", "..", "..", "config", "samples", "tools", "*.yaml"))
	if err != nil || len(samples) != 6 {
		t.Fatalf("%d samples: %v", len(samples), err)
	}
	for _, entry := range []string{"namd", "fluent", "wrf", "specfem", "orb5", "fio", "hpcc", "rdma-bandwidth", "rdma-latency"} {
		samples = append(samples, filepath.Join("..", "..", "..", "config", "catalogue", "benchmarks", entry+".yaml"))
	}
	for _, sample := range samples {
		content, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		var b v1alpha1.Benchmark
		if err := yaml.UnmarshalStrict(content, &b); err != nil {
			t.Fatalf("%s: %v", sample, err)
		}
		d, err := Parse(b.Spec.Output.Format, b.Spec.Output.Patterns, b.Spec.Metrics, []byte(testdata.Output(sampleOutput(b.Name))))
		if err != nil {
			t.Fatalf("%s: %v", sample, err)
		}
		for _, match := range regexp.MustCompile(`\$\(([^)]*)\)`).FindAllStringSubmatch(strings.Join(b.Spec.Command, "\n"), -1) {
			if !slices.ContainsFunc(b.Spec.Parameters, func(p v1alpha1.ParameterSpec) bool { return p.Name == match[1] }) {
				t.Errorf("%s starts its program with %s, which is no parameter", sample, match[0])
			}
		}
		for _, metric := range b.Spec.Metrics {
			if !slices.ContainsFunc(d.Measurements, func(m result.Measurement) bool { return m.Name == metric.Name }) {
				t.Errorf("%s expects %s, which the tool does not report", sample, metric.Name)
			}
		}
	}
}

// The patterns of orb5 let nothing of a line pass by: a drift that is no number, or that has a sign, is no drift that was not reported.
func TestADriftOfORB5IsReadWhateverItIs(t *testing.T) {
	b := *testdata.Benchmark("orb5")
	output := testdata.Output("orb5-documented.txt")
	for _, wrong := range []string{"NaN", "inf", "***"} {
		if _, err := Parse(b.Spec.Output.Format, b.Spec.Output.Patterns, b.Spec.Metrics, []byte(swap(t, output, "2.1e-4", wrong))); err == nil {
			t.Errorf("a drift of %s is accepted", wrong)
		}
	}
	d, err := Parse(b.Spec.Output.Format, b.Spec.Output.Patterns, b.Spec.Metrics, []byte(swap(t, output, "2.1e-4", "-2.1e-4")))
	if got := figures(d)["energyDrift 1 node"]; err != nil || got != -2.1e-4 {
		t.Errorf("a falling energy has the drift %v: %v", got, err)
	}
	if m := b.Spec.Metrics[slices.IndexFunc(b.Spec.Metrics, func(m v1alpha1.Metric) bool { return m.Name == "energyDrift" })]; m.Expectation == nil {
		t.Error("a run that reports no drift passes")
	}
}

// sampleOutput is the output that a sample is tried on.
func sampleOutput(name string) string {
	if file, ok := map[string]string{"lammps-own": "lammps-2025.txt", "perftest": "perftest-write-bw-documented.txt", "npb": "npb-cg-mpi-documented.txt", "namd": "namd3-documented.txt",
		"fio": "fio-3.33.json", "hpcc": "hpcc.txt", "rdma-bandwidth": "perftest-write-bw-documented.txt", "rdma-latency": "perftest-write-lat-documented.txt"}[name]; ok {
		return file
	}
	return name + "-documented.txt"
}

// A program may be killed at any moment. What it printed until then is refused, or says what the whole output says.
func TestAnOutputThatIsCutOffSaysNothingElse(t *testing.T) {
	for _, output := range toolOutputs {
		whole := testdata.Output(output.file)
		d, err := Parse(output.format, nil, nil, []byte(whole))
		if err != nil {
			t.Fatal(err)
		}
		want := figures(d)
		for end := 1; end < len(whole); end += 1 + len(whole)/1000 {
			cut, err := Parse(output.format, nil, nil, []byte(whole[:end]))
			if err != nil {
				if !errors.Is(err, result.ErrBadOutput) && !errors.Is(err, result.ErrNoOutput) {
					t.Fatalf("%s cut after %d bytes: %v is of another kind", output.file, end, err)
				}
				continue
			}
			for part, value := range figures(cut) {
				if want[part] != value {
					t.Fatalf("%s cut after %d bytes says %s %v, the whole says %v", output.file, end, part, value, want[part])
				}
			}
		}
	}
}

// A line that was lost takes no figure along unnoticed, but for tables that are lost with their test's name, which nobody can see.
func TestARowThatIsLostIsNoticed(t *testing.T) {
	for _, output := range toolOutputs {
		lines := strings.Split(testdata.Output(output.file), "\n")
		for i, line := range lines {
			if !isRow(output.format, line) {
				continue
			}
			rest := strings.Join(slices.Concat(lines[:i], lines[i+1:]), "\n")
			if _, err := Parse(output.format, nil, nil, []byte(rest)); !errors.Is(err, result.ErrBadOutput) {
				t.Errorf("%s without line %d (%q): %v", output.file, i+1, line, err)
			}
		}
	}
}

var (
	nvbRow      = regexp.MustCompile(`^[0-9]{1,4}(\s+([0-9]{1,9}\.[0-9]{2}|N/A))+$`)
	ncclRowHead = regexp.MustCompile(`^[0-9]{1,18}\s+[0-9]{1,18}\s+[a-z][a-z0-9_]*\s`)
	babelRow    = regexp.MustCompile(`^(Copy|Mul|Add|Triad|Dot|Nstream)[^A-Za-z0-9:]`)
	burnVerdict = regexp.MustCompile(`^GPU ([0-9]{1,3}): (OK|FAULTY)$`)
)

// isRow: the line has figures of which a table with that format must have every one.
func isRow(format v1alpha1.OutputFormat, line string) bool {
	line = strings.TrimSpace(line)
	switch format {
	case v1alpha1.FormatNVBandwidth:
		return nvbRow.MatchString(line) || strings.HasPrefix(line, "SUM ")
	case v1alpha1.FormatNCCLTests: // small messages have no bandwidth that the average would miss
		fields := strings.Fields(line)
		return ncclRowHead.MatchString(line) && len(fields[0]) > 8
	case v1alpha1.FormatBabelStream:
		return babelRow.MatchString(line)
	case v1alpha1.FormatHPCC:
		return strings.HasPrefix(line, "StarSTREAM_Triad=") || strings.HasPrefix(line, "Randomly") && strings.Contains(line, "=")
	case v1alpha1.FormatNAMD:
		return strings.HasPrefix(line, "WallClock:")
	case v1alpha1.FormatPerfTest:
		return strings.HasPrefix(line, "4 ") || strings.HasPrefix(line, "65536 ") || strings.HasPrefix(line, "1048576 ") // the end of a sweep is anywhere
	case v1alpha1.FormatWRF:
		return strings.Contains(line, "SUCCESS COMPLETE WRF")
	case v1alpha1.FormatFluent:
		return strings.Contains(line, "wall-clock time:") || strings.HasPrefix(line, "Solver rating") || strings.HasPrefix(line, "Performance Timer")
	case v1alpha1.FormatFIO:
		return strings.HasPrefix(line, `"jobname"`) || strings.HasPrefix(line, `"fio version"`)
	case v1alpha1.FormatLAMMPS:
		return strings.HasPrefix(line, "Loop time of")
	default:
		return burnVerdict.MatchString(line)
	}
}
