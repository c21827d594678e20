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
	document := page(t)
	before, rest, begins := strings.Cut(document, "<!-- metrics -->\n")
	_, after, ends := strings.Cut(rest, "<!-- end of metrics -->\n")
	if !begins || !ends {
		t.Fatal("docs/monitoring.md has no table of metrics between <!-- metrics --> and <!-- end of metrics -->")
	}
	want := before + "<!-- metrics -->\n" + table + "<!-- end of metrics -->\n" + after
	if *update {
		rewrite(t, want)
	} else if want != document {
		t.Error("the table in docs/monitoring.md is out of date: run `go test ./internal/operate/metrics -update`, and commit the result")
	}
}

// pagePath of what these tests write, each a part of it.
var pagePath = filepath.Join("..", "..", "..", "docs", "monitoring.md")

// page as it is part of the test program; to be written anew, as it is by now.
func page(t *testing.T) string {
	t.Helper()
	read := func() ([]byte, error) { return docs.Pages.ReadFile("monitoring.md") }
	if *update {
		read = func() ([]byte, error) { return os.ReadFile(pagePath) }
	}
	text, err := read()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func rewrite(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(pagePath, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
