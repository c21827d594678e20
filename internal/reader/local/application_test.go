package local

import (
	"io"
	"io/fs"
	"os/exec"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config/samples"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// application is the example of CONTRIBUTING.md.
func application(t *testing.T) *v1alpha1.Benchmark {
	t.Helper()
	files, err := fs.Sub(samples.Files, "application")
	if err != nil {
		t.Fatal(err)
	}
	c, err := ReadCatalogue(files)
	if err != nil || len(c.Benchmarks) != 1 {
		t.Fatalf("%v, %+v", err, c)
	}
	return &c.Benchmarks[0]
}

// TestTheExampleOfAnApplication: its program runs here as the runner starts it in a pod, and its pattern finds what it prints.
func TestTheExampleOfAnApplication(t *testing.T) {
	b := application(t)
	if _, err := exec.LookPath(b.Spec.Command[0]); err != nil {
		t.Skipf("the example's program is not installed: %v", err)
	}
	argv, err := workload.Arguments(b, []v1alpha1.ParameterValue{{Name: "count", Value: "1000"}, {Name: "seconds", Value: "0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	e, _ := Programs{Log: io.Discard}.Execute(t.Context(), b, argv)
	if e.Outcome != result.OutcomeMeasured || len(e.Document.Measurements) != 1 {
		t.Fatalf("%+v", e)
	}
	m := e.Document.Measurements[0]
	if m.Name != "sortingRate" || m.Unit != "numbers/s" || len(m.Parts) != 1 || m.Parts[0].Value < 1 {
		t.Errorf("%+v", m)
	}
}

// TestTheExampleOfAnApplicationCutOff: a line that is cut off in its middle is no measurement.
func TestTheExampleOfAnApplicationCutOff(t *testing.T) {
	b := application(t)
	for output, want := range map[string]bool{"3 sorts\nsorting rate: 1.5e+06 numbers/s\n": true, "3 sorts\nsorting rate: 1.5": false} {
		_, err := formats.Parse(b.Spec.Output.Format, b.Spec.Output.Patterns, b.Spec.Metrics, []byte(output))
		if (err == nil) != want {
			t.Errorf("%q: %v", output, err)
		}
	}
}

// TestOnAHostNoImageIsAskedFor: programs of a site come from its folders there.
func TestOnAHostNoImageIsAskedFor(t *testing.T) {
	b := newBench(t, "stream")
	for i := range b.options.Catalogue.Benchmarks {
		if s := &b.options.Catalogue.Benchmarks[i].Spec; s.Description != "" {
			s.Image, s.SiteImage = "", "a program"
		}
	}
	s, err := newSession(b.options)
	if err != nil {
		t.Fatal(err)
	}
	if why := workload.NotProvided(s.tasks[0].Benchmark); why != "" {
		t.Error(why)
	}
}
