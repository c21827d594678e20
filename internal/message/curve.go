package message

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// CurveOf is a metric at all of its sizes, in words: "1 node: 125 ns/day, 2 nodes: 238 ns/day (95%), 4 nodes: killed after 10m".
func CurveOf(c *v1alpha1.Curve) string {
	points := make([]string, 0, len(c.Points))
	for i, p := range c.Points {
		text := counted(p.Size, c.Of) + ": "
		v, ok := quantity.ParseDecimal(p.Value)
		if !ok {
			points = append(points, text+p.Message)
			continue
		}
		text += quantity.Format(v, c.Unit)
		if share, ok := quantity.ParseDecimal(p.Efficiency); ok && i > 0 {
			text += " (" + quantity.Percent(100*share) + ")"
		}
		points = append(points, text)
	}
	return strings.Join(points, ", ")
}

func counted(n int32, of string) string {
	if of == "gpu" {
		of = "GPU"
	}
	return several(int(n), of)
}

// ReportCurves is the title above the scaling curves.
func ReportCurves() string { return "Scaling, with the parallel efficiency at each size" }

// ReportCurve is one curve of a benchmark. where names the nodes that it was measured on.
func ReportCurve(benchmark, where string, c *v1alpha1.Curve) string {
	return fmt.Sprintf("%s %s on %s (%s scaling): %s", benchmark, c.Metric, where, strings.ToLower(string(c.Scaling)), CurveOf(c))
}

// ReportMoreCurves is for those that are not shown.
func ReportMoreCurves(n int) string {
	return fmt.Sprintf("and %s: see -o json", several(n, "more curve"))
}
