package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Headline sums up a run: how it ended, how many nodes it had, how long it took, and what became of them. took is 0 where the
// run has not ended.
func Headline(run string, verdict v1alpha1.Verdict, reason string, s v1alpha1.RunSummary, took time.Duration) string {
	text := fmt.Sprintf("Run %s: %s", run, verdict)
	if reason != "" && reason != string(verdict) {
		text += " (" + reason + ")"
	}
	text += ", " + message.NodesCounted(s.Nodes)
	if took > 0 {
		text += " in " + message.Duration(took)
	}
	return Listed(text, ": ", append(Done(s), Open(s)...))
}

// FindingTitle heads a finding about a link, a boundary or a set of nodes.
func FindingTitle(kind string, members []string) string {
	return kind + " " + strings.Join(members, ", ")
}

// Done counts the nodes that are done, by how they ended.
func Done(s v1alpha1.RunSummary) []string {
	var all []string
	all = nodesThat(all, s.Passed, "passed")
	all = nodesThat(all, s.Failed, "failed")
	all = nodesThat(all, s.Errored, "could not be measured")
	all = nodesThat(all, s.NotJudged, "could not be judged")
	return nodesThat(all, s.Skipped, "skipped")
}

// Open counts the nodes that are not done.
func Open(s v1alpha1.RunSummary) []string {
	return nodesThat(nodesThat(nil, s.Running, "running"), s.Pending, "pending")
}

func nodesThat(all []string, n int32, did string) []string {
	if n == 0 {
		return all
	}
	return append(all, fmt.Sprintf("%d %s", n, did))
}

// Listed adds counts to a text, if there are any.
func Listed(text, separator string, counts []string) string {
	if len(counts) == 0 {
		return text
	}
	return text + separator + strings.Join(counts, ", ")
}

// CurveInWords is a metric at all of its sizes, in words: "1 node: 125 ns/day, 2 nodes: 238 ns/day (95%), 4 nodes: killed after 10m".
func CurveInWords(c *v1alpha1.Curve) string {
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
	return message.Several(int(n), of)
}
