package cli

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/clitest"
)

// The page has what tables leave out: every number of every attempt.
func TestReportAsHTML(t *testing.T) {
	objects := clitest.Rack7(t)
	for _, o := range objects {
		if r, ok := o.(*v1alpha1.ValidationResult); ok && r.Node.Name == "node-4" {
			r.Benchmarks[0].Attempts[0].Measurements = []v1alpha1.Measurement{{Name: "hbmCopy", Unit: "GB/s", Parts: []v1alpha1.PartValue{{At: "gpu7", Value: "4123"}}}}
		}
	}
	c := clitest.Cluster(t, interceptor.Funcs{}, objects...)
	all, err := run(t, c, "report", "rack-7", "-o", "html")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!DOCTYPE html>", "Run rack-7: Fail", "node-1", "node-4", "4.123", "gpu7", "<dt>Newly failed (&#43;1)</dt><dd>node-4</dd>",
		"<dt>No longer failed (-1)</dt><dd>node-2</dd>", "<td>✓✓<td", "<td>✕<td"} {
		if !strings.Contains(all, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	failed, err := run(t, c, "report", "rack-7", "--failed", "-o", "html")
	if err != nil {
		t.Fatal(err)
	}
	row := `<tr><th scope="row"><a href="#node-`
	if a, b := strings.Count(all, row), strings.Count(failed, row); b == 0 || b >= a {
		t.Errorf("%d nodes with --failed, %d without, want fewer", b, a)
	}
}

func TestCompareAsHTML(t *testing.T) {
	got := compared2(t, "rack-7-old", "rack-7-new", "-o", "html")
	for _, want := range []string{"<!DOCTYPE html>", "rack-7-new compared with rack-7-old", "Metric by metric", "Parts that differ most", "▼"} {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
