package benchmarks

import (
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/test/clitest"
)

// Whoever has no cluster sees what this release can measure, and that it is that.
func TestTheCatalogueWithoutACluster(t *testing.T) {
	nowhere := func() (client.WithWatch, error) { return nil, cluster.ErrNoCluster }
	for want, args := range map[string][]string{
		"\nquick ":         {"suites"},
		"\ngpustream ":     {"benchmarks"},
		"\nallReduceBusBa": {"benchmarks", "collectives", "--built-in"},
	} {
		cmd := Command(nowhere)
		if args[0] == "suites" {
			cmd = SuitesCommand(nowhere)
		}
		var notes strings.Builder
		root := clitest.Under(cmd)
		root.SetErr(&notes)
		out, err := clitest.Execute(t, root, args...)
		if err != nil || !strings.Contains(strings.ReplaceAll(out, "\n  ", "\n"), want) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}
