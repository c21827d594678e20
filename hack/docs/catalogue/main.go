// Command catalogue writes the reference of the benchmarks that come with Assay, from their YAML: a page for each, and one that lists them.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/config"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/reader/cli/benchmarks"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/local"
)

const source = "https://github.com/assay-dev/assay/blob/main/config/catalogue/benchmarks/"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: catalogue FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "catalogue:", err)
		os.Exit(1)
	}
}

func write(folder string) error {
	builtIn, err := local.ReadCatalogue(config.Catalogue)
	if err != nil {
		return err
	}
	parts, err := readParts()
	if err != nil {
		return err
	}
	var index bytes.Buffer
	fmt.Fprintf(&index, "# Every benchmark\n\n[The catalogue](../../catalogue.md) says how they are judged, and what to know about some of them.\nParts are those that recorded machines had.\n")
	suites := benchmarks.ListOfSuites(builtIn.Benchmarks)
	table(&index, "Suites", suites.Header, suites.Rows, "SUITE", "FOR", "NODE TIME", "GROUP TIME", "NAMES")
	fmt.Fprintf(&index, "\n## Benchmarks\n\n")
	for i := range builtIn.Benchmarks {
		b := &builtIn.Benchmarks[i]
		what, _, _ := strings.Cut(b.Spec.Description, ". ")
		fmt.Fprintf(&index, "- [%s](%s.md): %s\n", b.Name, b.Name, output.Escape(strings.TrimSuffix(what, ".")))
		if err := os.WriteFile(filepath.Join(folder, b.Name+".md"), page(b, parts), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "index.md"), index.Bytes(), 0o644)
}

// page about one benchmark: what the plugin shows of it, with the noise and the parts of its metrics.
func page(b *v1alpha1.Benchmark, parts recorded) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "# %s\n\n%s\n", b.Name, output.Escape(b.Spec.Description))
	for _, s := range benchmarks.Reference(b) {
		switch s.Header[0] {
		case "METRIC":
			for i := range s.Rows {
				m := &b.Spec.Metrics[i]
				s.Rows[i] = append(s.Rows[i], noise(m), parts.of(b, m.Name))
			}
			header := append(s.Header, "NOISE OF RUN, PART, NODE", "PARTS, AS RECORDED")
			table(&w, "Metrics", header, s.Rows, "METRIC", "UNIT", "BETTER", "HEADLINE", header[6], header[7])
			table(&w, "Peaks and expectations", header, s.Rows, "METRIC", "PEAK", "EXPECTED")
		case "FACT":
			table(&w, "Facts", s.Header, s.Rows, s.Header...)
		case "PARAMETER":
			table(&w, "Parameters", s.Header, s.Rows, s.Header...)
		default:
			table(&w, "Run", s.Header, s.Rows, s.Header...)
		}
	}
	fmt.Fprintf(&w, "\nOutput format `%s`. Generated from [%s.yaml](%s%s.yaml).\n", b.Spec.Output.Format, b.Name, source, b.Name)
	return w.Bytes()
}

// table of these columns, without rows that say nothing.
func table(w *bytes.Buffer, title string, header []string, rows [][]string, columns ...string) {
	var names []string
	var kept [][]string
	for _, c := range columns {
		names = append(names, strings.ToLower(c))
	}
	for _, row := range rows {
		var cells []string
		for _, c := range columns {
			cells = append(cells, row[slices.Index(header, c)])
		}
		if strings.Join(cells[1:], "") != "" {
			kept = append(kept, cells)
		}
	}
	if len(kept) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## %s\n\n", title)
	output.WriteMarkdown(w, names, kept)
}

// noise of a metric as percentages.
func noise(m *v1alpha1.Metric) string {
	n := bounds.NoiseOf(m)
	return fmt.Sprintf("%.3g%%, %.3g%%, %.3g%%", 100*n.Run, 100*n.Part, 100*n.Node)
}
