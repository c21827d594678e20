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
	text += ", " + message.Several(s.Nodes, "node")
	if took > 0 {
		text += " in " + message.Duration(took)
	}
	return message.Because(text, strings.Trim(Done(s)+", "+Open(s), ", "))
}

// FindingTitle heads a finding about a link, a boundary or a set of nodes.
func FindingTitle(kind string, members []string) string {
	return kind + " " + strings.Join(members, ", ")
}

// Done counts the nodes that are done, by how they ended.
func Done(s v1alpha1.RunSummary) string {
	return message.Counts([]string{"passed", "failed", "could not be measured", "could not be judged", "skipped"},
		s.Passed, s.Failed, s.Errored, s.NotJudged, s.Skipped)
}

// Open counts the nodes that are not done.
func Open(s v1alpha1.RunSummary) string {
	return message.Counts([]string{"running", "pending"}, s.Running, s.Pending)
}

// InWords is a metric at all of its sizes, in words: "1 node: 125 ns/day, 2 nodes: 238 ns/day (95%), 4 nodes: killed after 10m".
func (c *Curve) InWords() string {
	points := make([]string, 0, len(c.Points))
	for i, p := range c.Points {
		text := message.Several(p.Size, strings.ReplaceAll(c.Of, "gpu", "GPU")) + ": "
		switch {
		case p.Value == nil:
			text += p.Message
		case p.Efficiency != nil && i > 0:
			text += quantity.Format(*p.Value, c.Unit) + " (" + quantity.Percent(100**p.Efficiency) + ")"
		default:
			text += quantity.Format(*p.Value, c.Unit)
		}
		points = append(points, text)
	}
	return strings.Join(points, ", ")
}
