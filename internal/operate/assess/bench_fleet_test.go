package assess

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	repository = "../../.."
	gpus       = 8
)

// shipped are the catalogue's benchmarks of single nodes that were recorded on GPUs, as tasks, and what each measures on a node of 8.
func shipped(t testing.TB) (tasks []observe.Task, measured map[string][]v1alpha1.Measurement) {
	documents := map[string]json.RawMessage{}
	for _, name := range []string{"node1", "node3"} {
		maps.Copy(documents, recorded(t, name))
	}
	files, err := filepath.Glob(filepath.Join(repository, "config/catalogue/benchmarks/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	measured = map[string][]v1alpha1.Measurement{}
	for _, file := range files {
		var spec v1alpha1.Benchmark
		readYAML(t, file, &spec)
		document := documents[spec.Name]
		if document == nil || spec.Spec.Scope == v1alpha1.ScopeGroup {
			continue
		}
		d, err := formats.Parse(v1alpha1.FormatAssay, nil, spec.Spec.Metrics, document)
		if err != nil {
			t.Fatal(err)
		}
		spec.Spec.Needs = v1alpha1.Needs{}
		a := result.Envelope{Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Document: &d}.Attempt(1)
		measured[spec.Name] = ofEight(a.Measurements)
		tasks = append(tasks, observe.Task{Benchmark: &spec, Metrics: spec.Spec.Metrics, Configuration: "c"})
	}
	return tasks, measured
}

func readYAML(t testing.TB, file string, into any) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil && filepath.Base(file) != "kustomization.yaml" {
		t.Fatalf("%s: %v", file, err)
	}
}

// recorded are the first documents of each series of a machine.
func recorded(t testing.TB, machine string) map[string]json.RawMessage {
	file, err := os.Open(filepath.Join(repository, "test/testdata/h200", machine+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Series map[string]struct {
			Runs []struct{ Document json.RawMessage }
		}
	}
	if err := json.NewDecoder(unpacked).Decode(&r); err != nil {
		t.Fatal(err)
	}
	out := map[string]json.RawMessage{}
	for name, s := range r.Series {
		out[name] = s.Runs[0].Document
	}
	return out
}

var gpu = regexp.MustCompile(`gpu\d+`)

// ofEight gives a machine of four GPUs the parts that one of eight has.
func ofEight(four []v1alpha1.Measurement) []v1alpha1.Measurement {
	for m := range four {
		var parts []v1alpha1.PartValue
		seen := map[string]bool{}
		for _, p := range four[m].Parts {
			kind := gpu.ReplaceAllString(p.At, "gpu%d")
			if seen[kind] {
				continue
			}
			seen[kind] = true
			for i := range gpus {
				switch len(gpu.FindAllString(p.At, -1)) {
				case 0:
					if i == 0 {
						parts = append(parts, p)
					}
				case 1:
					p.At = fmt.Sprintf(kind, i)
					parts = append(parts, p)
				default:
					for j := range gpus {
						if p.At = fmt.Sprintf(kind, i, j); i != j {
							parts = append(parts, p)
						}
					}
				}
			}
		}
		four[m].Parts = parts
	}
	return four
}

// wholeFleet is a run of nodes of 8 GPUs that the shipped benchmarks have measured; nothing is judged yet.
func wholeFleet(t testing.TB, nodes int) observe.Input {
	in := soloRun()
	tasks, shapes := shipped(t)
	in.Tasks = tasks
	var h200 v1alpha1.HardwareProfile
	readYAML(t, filepath.Join(repository, "config/catalogue/profiles/h200.yaml"), &h200)
	in.Profiles, _ = peak.ReadProfiles([]v1alpha1.HardwareProfile{h200})
	random := rand.New(rand.NewPCG(1, 2))
	for i := range nodes {
		n := readyNode(fmt.Sprintf("node-%05d", i))
		n.Labels = map[string]string{"nvidia.com/gpu.product": "NVIDIA-H200"}
		in.Nodes = append(in.Nodes, n)
		in.Run.Spec.NodeNames = append(in.Run.Spec.NodeNames, n.Name)
		r := (&observe.ObservedNode{Name: n.Name}).NewResult(in.Run, string(n.UID))
		r.ResourceVersion = "1"
		for _, t := range tasks {
			r.Benchmarks = append(r.Benchmarks, v1alpha1.BenchmarkResult{Name: t.Name(), Verdict: v1alpha1.VerdictPending,
				Attempts: []v1alpha1.Attempt{attemptLike(shapes[t.Name()], n.Name, in.Now.Add(-50*time.Second), random)}})
		}
		in.Results = append(in.Results, pack.Plain(r))
	}
	return in
}

// attemptLike measures what a recorded one did, with some noise.
func attemptLike(shape []v1alpha1.Measurement, node string, at time.Time, random *rand.Rand) v1alpha1.Attempt {
	when := metav1.NewTime(at)
	a := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Pod: "assay-" + node, PodUID: "0a4b9c1e-1f4b-4b5e-9b39-0e1f4c1f6d2b",
		LaunchTime: &when, StartTime: &when, EndTime: &when, Configuration: "c", ImageID: "registry.example/bench@sha256:0123456789abcdef", Version: "1"}
	for _, m := range shape {
		m.Parts = slices.Clone(m.Parts)
		for p := range m.Parts {
			if m.Unit != "count" {
				m.Parts[p].Value = disturbed(m.Parts[p].Value, random)
			}
		}
		a.Measurements = append(a.Measurements, m)
	}
	for _, name := range []string{"temperature", "power", "smClock", "memoryClock", "throttled"} {
		m := v1alpha1.Measurement{Name: name, Unit: "x", Better: v1alpha1.Higher}
		for g := range gpus {
			m.Parts = append(m.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", g), Value: disturbed("1234.5", random), Samples: 20})
		}
		a.Telemetry = append(a.Telemetry, m)
	}
	for _, name := range []string{"dataIntegrity", "eccUncorrected", "rowRemap"} {
		a.Checks = append(a.Checks, v1alpha1.Check{Name: name, OK: true})
	}
	for g := range int32(gpus) {
		a.Devices = append(a.Devices, v1alpha1.Device{Index: g, UUID: fmt.Sprintf("GPU-%s-%d-3ab7d018-ebbb-1484-532c", node, g), Product: "NVIDIA H200"})
	}
	return a
}

func disturbed(value v1alpha1.Decimal, random *rand.Rand) v1alpha1.Decimal {
	v, _ := quantity.ParseDecimal(value)
	return quantity.Decimal(v*(1+0.0005*random.NormFloat64()), 6) // as programs print them
}
