package reports

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/report"
)

// mostScalings are the curves that are told. The JSON document has all of them.
const mostScalings = 20

// scalings tells of what was measured at several sizes: of groups, and in a wide report of nodes.
func scalings(r *report.Report, wide bool) []paragraph {
	var lines []string
	add := func(where string, benchmarks []report.Benchmark) {
		for i := range benchmarks {
			for c := range list.Each(benchmarks[i].Curves) {
				lines = append(lines, output.Clean(fmt.Sprintf("%s %s on %s (%s scaling): %s", benchmarks[i].Name, c.Metric, where,
					strings.ToLower(string(c.Scaling)), c.InWords())))
			}
		}
	}
	for i := range r.Groups {
		add(message.Nodes(r.Groups[i].Nodes), r.Groups[i].Benchmarks)
	}
	for i := range r.Nodes {
		if wide {
			add(r.Nodes[i].Name, r.Nodes[i].Benchmarks)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	if more := len(lines) - mostScalings; more > 0 {
		lines = append(lines[:mostScalings], fmt.Sprintf("and %s: see -o json", message.Several(more, "more curve")))
	}
	return []paragraph{{title: "Scaling, with the parallel efficiency at each size", lines: lines}}
}
