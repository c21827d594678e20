package result

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// captured reads a real output of a program.
func captured(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "test", "testdata", "outputs", name))
	if err != nil {
		t.Fatalf("reading a captured output: %v", err)
	}
	return string(data)
}

// entry is a Benchmark of the catalogue.
func entry(t testing.TB, name string) v1alpha1.Benchmark {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "config", "catalogue", "benchmarks", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var b v1alpha1.Benchmark
	if err := yaml.UnmarshalStrict(content, &b); err != nil {
		t.Fatal(err)
	}
	return b
}

var testStart = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// measured is an envelope around a document.
func measured(d Document) Envelope {
	return Envelope{
		Version: EnvelopeVersion, Outcome: OutcomeMeasured, Reason: v1alpha1.ReasonMeasured,
		Start: testStart, End: testStart.Add(90 * time.Second), Document: &d,
	}
}

func smallDocument() Document {
	return Document{
		Schema: Schema, Benchmark: "p2p", Version: "0.1.0",
		Measurements: []Measurement{{Name: "bandwidth", Unit: "GB/s", Better: BetterHigher, Parts: []Part{
			{At: "gpu0->gpu1", Value: 392.1, Samples: 12, Spread: 0.004},
		}}},
		Checks: []Check{{Name: "dataIntegrity", OK: true}},
	}
}

// wantError fails unless the error says each of the fragments.
func wantError(t *testing.T, err error, fragments ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that says %q", fragments)
	}
	for _, fragment := range fragments {
		if !strings.Contains(err.Error(), fragment) {
			t.Errorf("the error %q does not say %q", err, fragment)
		}
	}
}
