package local

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/reader/export"
)

// bench is a host on which programs do as they are told.
type bench struct {
	t       *testing.T
	options Options
	now     time.Time
	// ran counts the attempts by benchmark; said are the lines that a user sees.
	ran map[string]int
	// does says what a program reaches in an attempt: of the first headline metric, on each of its parts.
	does func(b *v1alpha1.Benchmark, attempt int) []float64
	// file that is measured.
	file   string
	ending func(e *result.Envelope)
}

func newBench(t *testing.T, benchmarks ...string) *bench {
	t.Helper()
	catalogue, err := ReadCatalogue(config.Catalogue)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), ran: map[string]int{}, file: "local@sha256:1", ending: func(*result.Envelope) {}}
	b.options = Options{Name: "bench", Catalogue: catalogue, Host: Host{Name: "lab-3", MachineID: "m", BootID: "b", Kernel: "6.1", CPUs: 8, MemoryBytes: 1 << 34},
		Begins: func([]string, []string, time.Duration) {}, Started: func(*v1alpha1.Benchmark, int32) {}, Ended: func(*v1alpha1.Benchmark, v1alpha1.Attempt) {},
		Execute: b.execute, Now: func() time.Time { return b.now }}
	for _, name := range benchmarks {
		b.options.Spec.Benchmarks = append(b.options.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: name})
	}
	return b
}

// least asks for so much of a benchmark's metric.
func (b *bench) least(metric, value string) *bench {
	r := &b.options.Spec.Benchmarks[0]
	r.Expectations = []v1alpha1.ExpectationOverride{{Metric: metric, Expectation: v1alpha1.Expectation{Min: v1alpha1.Decimal(value)}}}
	return b
}

func (b *bench) execute(ctx context.Context, of *v1alpha1.Benchmark, _ []string) (result.Envelope, string) {
	name := of.Name
	b.ran[name]++
	e := result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Start: b.now, End: b.now.Add(10 * time.Second),
		Document: &result.Document{Schema: result.Schema, Benchmark: name, Version: "1"}}
	b.now = e.End
	metric := headlineOf(of)
	m := result.Measurement{Name: metric.Name, Unit: metric.Unit, Better: result.BetterHigher}
	values := b.does(of, b.ran[name])
	for i, v := range values {
		at := result.NodePart
		if len(values) > 1 {
			at = fmt.Sprintf("gpu%d", i)
		}
		m.Parts = append(m.Parts, result.Part{At: at, Value: v, Samples: 1})
	}
	e.Document.Measurements = []result.Measurement{m}
	if ctx.Err() != nil {
		e.Outcome, e.Reason, e.Document = result.OutcomeFailed, v1alpha1.ReasonEvicted, nil
	}
	b.ending(&e)
	return e, b.file
}

func headlineOf(b *v1alpha1.Benchmark) *v1alpha1.Metric {
	i := slices.IndexFunc(b.Spec.Metrics, func(m v1alpha1.Metric) bool { return m.Headline })
	return &b.Spec.Metrics[i]
}

func (b *bench) run(ctx context.Context) export.Run {
	b.t.Helper()
	r, err := Run(ctx, b.options)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// ended checks how a run ended, and returns the row of the host.
func ended(t *testing.T, r export.Run, verdict v1alpha1.Verdict, message string) v1alpha1.NodeRow {
	t.Helper()
	if r.Run.Status.Verdict != verdict || len(r.Run.Status.Nodes) != 1 || !strings.Contains(r.Run.Status.Nodes[0].Message, message) {
		t.Fatalf("the run ended as %s: %+v\nwant %s, with %q", r.Run.Status.Verdict, r.Run.Status.Nodes, verdict, message)
	}
	return r.Run.Status.Nodes[0]
}

func always(values ...float64) func(*v1alpha1.Benchmark, int) []float64 {
	return func(*v1alpha1.Benchmark, int) []float64 { return values }
}

func TestAHealthyHostPasses(t *testing.T) {
	b := newBench(t, "stream").least("triad", "100")
	b.does = always(150)
	r := b.run(t.Context())
	ended(t, r, v1alpha1.VerdictPass, "")
	if b.ran["stream"] != 1 || len(r.Results) != 1 || len(r.Validations) != 1 || r.Validations[0].Verdict != v1alpha1.VerdictPass {
		t.Errorf("measured %d times, %d results, validations %+v", b.ran["stream"], len(r.Results), r.Validations)
	}
	if r.Run.Status.CompletionTime == nil || r.Catalogue == nil || len(r.Catalogue.Benchmarks) != 1 {
		t.Errorf("the run is not complete: %+v", r.Run.Status)
	}
}

func TestASlowHostFailsOnlyOnceItIsConfirmed(t *testing.T) {
	b := newBench(t, "stream").least("triad", "100")
	b.does = always(50)
	ended(t, b.run(t.Context()), v1alpha1.VerdictFail, "bound 100 GB/s; confirmed")
	if b.ran["stream"] < 2 {
		t.Errorf("measured %d times", b.ran["stream"])
	}
}

func TestASlowMomentIsNoFault(t *testing.T) {
	b := newBench(t, "stream").least("triad", "100")
	b.does = func(_ *v1alpha1.Benchmark, attempt int) []float64 {
		if attempt == 1 {
			return []float64{99}
		}
		return []float64{150}
	}
	ended(t, b.run(t.Context()), v1alpha1.VerdictPass, "")
	if b.ran["stream"] < 2 {
		t.Errorf("the suspect was measured %d times", b.ran["stream"])
	}
}

func TestWrongDataFails(t *testing.T) {
	b := newBench(t, "stream").least("triad", "100")
	b.does = always(150)
	b.ending = func(e *result.Envelope) {
		e.Document.Checks = []result.Check{{Name: "data", Message: "element 7 is 1, expected 2"}}
	}
	ended(t, b.run(t.Context()), v1alpha1.VerdictFail, "element 7 is 1, expected 2")
}

// As `burn` ended 0.6 s after its start on a healthy GPU.
func TestAProgramThatWasStoppedProvesNothing(t *testing.T) {
	synctest.Test(t, stoppedProvesNothing) // it is measured again, and time passes between
}

func stoppedProvesNothing(t *testing.T) {
	start := time.Now()
	b := newBench(t, "stream").least("triad", "100")
	b.options.Now = func() time.Time { return b.now.Add(time.Since(start)) }
	b.does = always(150)
	b.ending = func(e *result.Envelope) {
		e.Document.Checks = []result.Check{
			{Name: "dataIntegrity", OK: true}, {Name: "finiteValues", Message: "triad at node"},
			{Name: "finished", Message: "stopped by SIGTERM after 0.6 s, before all was measured"},
		}
	}
	ended(t, b.run(t.Context()), v1alpha1.VerdictInconclusive, "stopped by SIGTERM after 0.6 s")
}

func TestAProgramThatIsNotThereIsAnError(t *testing.T) {
	b := newBench(t, "stream").least("triad", "100")
	b.options.Execute = Programs{Folders: []string{t.TempDir()}}.Execute
	b.options.Now = time.Now
	t.Setenv("PATH", "")
	ended(t, b.run(t.Context()), v1alpha1.VerdictInconclusive, "there is no program stream in ")
}

func TestAnInterruptedRunKeepsWhatWasMeasured(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	b := newBench(t, "dgemm", "stream").least("dgemm", "100")
	b.options.Spec.ActiveDeadlineSeconds = new(int64(3600))
	b.does = func(p *v1alpha1.Benchmark, _ int) []float64 {
		if p.Name == "stream" {
			interrupt()
		}
		return []float64{150}
	}
	r := b.run(ctx)
	ended(t, r, v1alpha1.VerdictInconclusive, "stream: not measured")
	if *r.Run.Spec.ActiveDeadlineSeconds != 3600 {
		t.Errorf("the user asked for an hour, and it is saved as %d s", *r.Run.Spec.ActiveDeadlineSeconds)
	}
	told(t, r, v1alpha1.ReasonInterrupted, "the run was interrupted")
	var measured []string
	for _, m := range r.Results[0].Benchmarks {
		if len(m.Attempts) > 0 {
			measured = append(measured, m.Name)
		}
	}
	if !slices.Equal(measured, []string{"dgemm"}) {
		t.Errorf("kept attempts of %v, want only those of dgemm", measured)
	}
}

// told checks how a run says that it was cut short: nowhere by a field of an object that the user of a command line never wrote.
func told(t *testing.T, r export.Run, reason, why string) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	c := meta.FindStatusCondition(r.Run.Status.Conditions, v1alpha1.ConditionFinished)
	if c == nil || c.Reason != reason || !strings.Contains(c.Message, why) || !strings.Contains(r.Run.Status.Nodes[0].Message, why) {
		t.Errorf("want %s, %q in %+v and %q", reason, why, c, r.Run.Status.Nodes[0].Message)
	}
	if strings.Contains(string(text), "activeDeadlineSeconds (") || strings.Contains(string(text), "activeDeadlineSeconds passed") {
		t.Errorf("names activeDeadlineSeconds: %s", text)
	}
}

func TestTheDeadlineOfAHostIsToldAsItsFlag(t *testing.T) {
	b := newBench(t, "dgemm", "stream").least("dgemm", "100")
	b.options.Spec.ActiveDeadlineSeconds = new(int64(5))
	b.does = always(150)
	r := b.run(t.Context())
	ended(t, r, v1alpha1.VerdictInconclusive, "--deadline (5s)")
	told(t, r, v1alpha1.ReasonDeadlineExceeded, "--deadline")
}

// With three passes behind it, a host is held against its own past, as long as the same program measures it.
func TestAHostIsComparedWithItsOwnPast(t *testing.T) {
	for name, c := range map[string]struct {
		file string
		want v1alpha1.Verdict
	}{
		"the same program": {"local@sha256:1", v1alpha1.VerdictFail},
		"another program":  {"local@sha256:2", v1alpha1.VerdictInconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			var past []export.Run
			for day := range 3 {
				b := newBench(t, "stream").least("triad", "10")
				b.does, b.now = always(150+float64(day)/10), b.now.AddDate(0, 0, day-3)
				b.options.Past = past
				past = []export.Run{b.run(t.Context())}
				ended(t, past[0], v1alpha1.VerdictPass, "")
			}
			b := newBench(t, "stream")
			b.does, b.file, b.options.Past = always(140), c.file, past
			ended(t, b.run(t.Context()), c.want, "140 GB/s")
		})
	}
}

func TestThePastOfAnotherHostCountsForNothing(t *testing.T) {
	b := newBench(t, "stream").least("triad", "10")
	b.does, b.options.Host.Name = always(150), "lab-4"
	b.options.Past = []export.Run{b.run(t.Context())}
	for host, knows := range map[string]bool{"lab-3": false, "lab-4": true} {
		b.options.Host.Name = host
		s, err := newSession(b.options)
		if err != nil {
			t.Fatal(err)
		}
		if (s.validation != nil) != knows || (s.history != nil) != knows {
			t.Errorf("%s knows %v, %v", host, s.validation, s.history)
		}
	}
}

// A host with GPUs is judged by the profile of their product, or by the one that the user names.
func TestTheProfileOfTheGPUs(t *testing.T) {
	for name, c := range map[string]struct {
		gpu, profile string
		reaches      float64
		want         v1alpha1.Verdict
		message      string
	}{
		"fast by its label": {"NVIDIA H200", "", 4395, v1alpha1.VerdictPass, ""},
		"slow by its label": {"NVIDIA H200", "", 3000, v1alpha1.VerdictFail, "bound 4.329 TB/s"},
		"no such product":   {"NVIDIA X900", "", 4395, v1alpha1.VerdictInconclusive, "NVIDIA-X900"},
		"named":             {"NVIDIA X900", "h200", 3000, v1alpha1.VerdictFail, "bound 4.329 TB/s"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "gpustream")
			b.options.Host.GPUs, b.options.Host.Driver = []string{c.gpu, c.gpu}, "580.1"
			for i := range b.options.Catalogue.Profiles {
				if p := &b.options.Catalogue.Profiles[i]; p.Name == c.profile {
					b.options.Profile = p
				}
			}
			b.does = always(c.reaches, c.reaches)
			r := b.run(t.Context())
			if c.want == v1alpha1.VerdictInconclusive {
				if r.Run.Status.Verdict != c.want {
					t.Errorf("got %+v", r.Run.Status.Nodes)
				}
				return
			}
			ended(t, r, c.want, c.message)
		})
	}
}

func TestAHostWithoutGPUsSkipsWhatNeedsThem(t *testing.T) {
	b := newBench(t, "stream", "gpustream").least("triad", "100")
	b.does = always(150)
	r := b.run(t.Context())
	if b.ran["gpustream"] != 0 || r.Results[0].Benchmarks == nil {
		t.Errorf("gpustream ran %d times", b.ran["gpustream"])
	}
	ended(t, r, v1alpha1.VerdictPass, "")
}

func TestGroupsAreLeftOut(t *testing.T) {
	b := newBench(t)
	b.options.Spec.Suite = "fabric"
	var left []string
	b.options.Begins = func(_, leftOut []string, _ time.Duration) { left = leftOut }
	b.does = always(8)
	b.run(t.Context())
	if b.ran["inventory-host"] != 1 || len(b.ran) != 1 {
		t.Errorf("ran %v", slices.Sorted(maps.Keys(b.ran)))
	}
	if slices.Sort(left); !slices.Equal(left, []string{"hpl-cluster", "mpibench", "mpibench-all"}) {
		t.Errorf("left out %v", left)
	}
	b = newBench(t, "mpibench")
	if _, err := Run(t.Context(), b.options); err == nil || !strings.Contains(err.Error(), "several nodes at once") {
		t.Errorf("only groups: %v", err)
	}
}
