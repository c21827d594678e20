package metrics

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/docs"
	"github.com/prometheus/client_golang/prometheus"
)

var update = flag.Bool("update", false, "write the table of metrics in docs/monitoring.md anew")

// described is every metric of the operator with its labels, and what its help says.
func described(t *testing.T) map[string]string {
	t.Helper()
	registry := &listed{}
	New(registry)
	registry.MustRegister(&State{PerNode: true})
	all := map[string]string{}
	for _, c := range registry.collectors {
		ch := make(chan *prometheus.Desc, 32)
		c.Describe(ch)
		close(ch)
		for d := range ch {
			parts := regexp.MustCompile(`fqName: "([^"]+)", help: "((?:[^"\\]|\\.)*)", unit: "[^"]*", constLabels: \{\}, variableLabels: \{(.*)\}\}$`).FindStringSubmatch(d.String())
			if parts == nil {
				t.Fatalf("a description that this test cannot read: %s", d)
			}
			name := parts[1]
			if parts[3] != "" {
				name += "{" + parts[3] + "}"
			}
			all[name] = parts[2]
		}
	}
	return all
}

// listed remembers what is registered.
type listed struct {
	prometheus.Registerer
	collectors []prometheus.Collector
}

func (l *listed) MustRegister(c ...prometheus.Collector) { l.collectors = append(l.collectors, c...) }

// TestTheTableOfMetrics: the documentation says of every metric what its help says, and of no other.
func TestTheTableOfMetrics(t *testing.T) {
	all := described(t)
	if len(all) < 20 {
		t.Fatalf("found %d metrics, want them all", len(all))
	}
	var rows []string
	for name, help := range all {
		rows = append(rows, fmt.Sprintf("| `%s` | %s |\n", name, strings.TrimSuffix(help, ".")))
	}
	slices.Sort(rows)
	table := "| metric | meaning |\n|---|---|\n" + strings.Join(rows, "")
	path := filepath.Join("..", "..", "..", "docs", "monitoring.md")
	document, err := docs.Pages.ReadFile("monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(document), "<!-- metrics -->\n")
	_, after, ends := strings.Cut(rest, "<!-- end of metrics -->\n")
	if !begins || !ends {
		t.Fatal("docs/monitoring.md has no table of metrics between <!-- metrics --> and <!-- end of metrics -->")
	}
	want := before + "<!-- metrics -->\n" + table + "<!-- end of metrics -->\n" + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(document) {
		t.Error("the table in docs/monitoring.md is out of date: run `go test ./internal/operate/metrics -update`, and commit the result")
	}
}
