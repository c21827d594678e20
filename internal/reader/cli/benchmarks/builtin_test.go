package benchmarks

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/docs"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
	"github.com/assay-dev/assay/internal/reader/cli/output"
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

// What a suite is for, and how long it takes, stands in the list and in the docs alike.
func TestEverySuiteSaysWhatItIsFor(t *testing.T) {
	all, err := builtIn()
	if err != nil {
		t.Fatal(err)
	}
	page, err := docs.Pages.ReadFile("catalogue.md")
	if err != nil {
		t.Fatal(err)
	}
	suites := suitesOf(all)
	for _, s := range suites {
		row := fmt.Sprintf("\n| `%s` | %s | %s | %s |", s.Name, s.For, output.OrUnknown(took(s.NodeSeconds)), output.OrUnknown(took(s.GroupSeconds)))
		if s.For == "" || !strings.Contains(string(page), row) {
			t.Errorf("docs/catalogue.md has no row that begins with %q", row)
		}
	}
	if len(suites) != len(suiteFor) {
		t.Errorf("%d suites, %d of which something is said: take out what is no suite any more", len(suites), len(suiteFor))
	}
}
