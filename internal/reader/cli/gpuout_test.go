package cli

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/clitest"
	"github.com/assay-dev/assay/test/testdata"
)

// TestOneGPUOut: whoever looks at a node of which one GPU is out of service reads which, since when, by which run, why, and what to do next.
func TestOneGPUOut(t *testing.T) {
	for name, args := range map[string][]string{
		"gpuout.explain.golden": {"explain", "node-3"},
		"gpuout.history.golden": {"history", "node-3", "--at", "gpu3"},
		"gpuout.report.golden":  {"report", "rack-9"},
		"gpuout.csv.golden":     {"report", "rack-9", "--failed", "-o", "csv"},
	} {
		t.Run(name, func(t *testing.T) {
			var all []export.Run
			testdata.OneGPUOut(&all)
			out, err := run(t, clitest.Cluster(t, interceptor.Funcs{}, objects(all)...), args...)
			if err != nil {
				t.Fatal(err)
			}
			clitest.Golden(t, name, out)
		})
	}
}
