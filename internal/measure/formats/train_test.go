package formats

import (
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/testdata"
)

import "testing"

// Python writes this document, not the C++ of all others.
func TestTheDocumentOfTrainIsReadAsItsBenchmarkAsks(t *testing.T) {
	b := *testdata.Benchmark("train")
	d, err := Parse(b.Spec.Output.Format, nil, b.Spec.Metrics, []byte(testdata.Output("assay-train.json")))
	if err != nil {
		t.Fatal(err)
	}
	if failed := d.FailedChecks(); len(failed) > 0 {
		t.Errorf("failed checks %+v", failed)
	}
	if len(d.Facts) != 1 || d.Facts[0].Name != b.Spec.Facts[0].Name {
		t.Errorf("facts %+v, want the one that the Benchmark judges, %s", d.Facts, b.Spec.Facts[0].Name)
	}
	for _, metric := range b.Spec.Metrics {
		if metric.Headline && len(partsOf(d, metric.Name)) != 1 {
			t.Errorf("the headline %s has parts %v, want one", metric.Name, partsOf(d, metric.Name))
		}
	}
	if parts := partsOf(d, "computeRate"); len(parts) != 2 || parts[0].At != "processor0" || parts[0].Samples != 4 {
		t.Errorf("computeRate has parts %+v, want 4 samples of each of two processes", parts)
	}
}

func partsOf(d result.Document, metric string) []result.Part {
	for _, m := range d.Measurements {
		if m.Name == metric {
			return m.Parts
		}
	}
	return nil
}
