package reports

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
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
			for j := range benchmarks[i].Curves {
				lines = append(lines, output.Clean(reportCurve(benchmarks[i].Name, where, stored(&benchmarks[i].Curves[j]))))
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

// stored is the curve as the API has it.
func stored(c *report.Curve) *v1alpha1.Curve {
	out := v1alpha1.Curve{Metric: c.Metric, Of: c.Of, Unit: c.Unit, Scaling: c.Scaling}
	for _, p := range c.Points {
		point := v1alpha1.CurvePoint{Size: p.Size, Message: p.Message}
		if p.Value != nil {
			point.Value = quantity.Decimal(*p.Value, quantity.Exact)
		}
		if p.Efficiency != nil {
			point.Efficiency = quantity.Decimal(*p.Efficiency, quantity.Exact)
		}
		out.Points = append(out.Points, point)
	}
	return &out
}
