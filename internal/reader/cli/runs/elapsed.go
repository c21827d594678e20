package runs

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/output"
)

// time what a node has ended since its row was as before. Its value may follow in a later state.
func (l *live) time(was, row *v1alpha1.NodeRow, now time.Time) {
	if m := was.Measuring; m != nil && (row.Measuring == nil || *row.Measuring != *m) {
		if l.last == nil {
			l.last = map[string]ended{}
		}
		l.last[row.Name] = ended{m.Benchmark, now.Sub(m.Since.Time)}
	}
	last, there := l.last[row.Name]
	if b, known := l.costs[last.benchmark]; there && known && !hasValue(was, last.benchmark) && hasValue(row, last.benchmark) {
		b.Spec.CostSeconds = int32(max(1, last.took.Seconds()))
		l.costs[last.benchmark] = b
	}
}

func hasValue(row *v1alpha1.NodeRow, benchmark string) bool {
	return slices.ContainsFunc(row.Metrics, func(h v1alpha1.HeadlineValue) bool { return h.Benchmark == benchmark && h.Value != "" })
}

// atWork are the nodes that are not done: first those that a benchmark measures, one by one, then the others, by what they wait for.
func (l *live) atWork(now time.Time) (all []doing) {
	var rows [][]string
	for row := range list.Each(l.run.Status.Nodes) {
		if row.Measuring != nil {
			rows = append(rows, []string{row.Name, measuredBy(row.Measuring), l.elapsed(row.Measuring, now), lastValue(row)})
		}
	}
	for _, line := range aligned(rows) {
		all = append(all, doing{line, 1})
	}
	for _, reason := range []string{v1alpha1.ReasonRunning, v1alpha1.ReasonWaiting} {
		all = append(all, together(l.run, reason)...)
	}
	return all
}

// measuredBy names a benchmark, and which attempt it is where it is not the first.
func measuredBy(m *v1alpha1.Measuring) string {
	switch {
	case m.Round > 0:
		return fmt.Sprintf("%s, round %d", output.Clean(m.Benchmark), m.Round)
	case m.Attempt > 1:
		return fmt.Sprintf("%s, attempt %d", output.Clean(m.Benchmark), m.Attempt)
	}
	return output.Clean(m.Benchmark)
}

func (l *live) elapsed(m *v1alpha1.Measuring, now time.Time) string {
	text := message.Duration(max(0, now.Sub(m.Since.Time)).Truncate(time.Second))
	if expected := l.costs[m.Benchmark].Spec.CostSeconds; expected > 0 {
		text += " of about " + message.Duration(time.Duration(expected)*time.Second)
	}
	return text
}

// lastValue that the node reached, in the order of its benchmarks.
func lastValue(row *v1alpha1.NodeRow) string {
	for _, m := range slices.Backward(row.Metrics) {
		v, ok := quantity.ParseDecimal(m.Value)
		if !ok {
			continue
		}
		text := "last: " + output.Clean(m.Metric) + " " + quantity.Format(v, output.Clean(m.Unit))
		if percent, known := quantity.ParseDecimal(m.PercentOfPeak); known {
			text += fmt.Sprintf(" (%s of peak)", quantity.Percent(percent))
		}
		return text
	}
	return ""
}

// aligned columns, without the blanks of a last column that is empty.
func aligned(rows [][]string) (lines []string) {
	var out strings.Builder
	columns := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(columns, strings.Join(row, "\t"))
	}
	_ = columns.Flush() // to memory
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return lines
}

// bar of a progress, at most 40 columns wide.
func bar(e estimate, width int) string {
	const most = 40
	text := "takes longer than expected"
	switch {
	case e.left > 5*time.Minute:
		text = fmt.Sprintf("%d%%, about %s left", int(100*e.done), message.Duration(e.left.Round(time.Minute)))
	case e.left >= time.Second:
		text = fmt.Sprintf("%d%%, about %s left", int(100*e.done), message.Duration(e.left))
	}
	room := max(0, min(most, width-len(text)-4))
	full := int(e.done * float64(room))
	return "[" + strings.Repeat("#", full) + strings.Repeat("-", room-full) + "] " + text
}
