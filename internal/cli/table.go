package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// column is one column of the report's table.
type column struct {
	title string
	wide  bool
	cell  func(line) string
}

// line is one row of the table: a metric of a benchmark of a node, or as much of these as there is.
type line struct {
	node      *Node
	benchmark *Benchmark
	metric    *Metric
}

var columns = []column{
	{title: "NODE", cell: func(l line) string { return l.node.Name }},
	{title: "BENCHMARK", cell: func(l line) string { return l.benchmark.Name }},
	{title: "METRIC", cell: func(l line) string { return l.metric.Name }},
	{title: "WHERE", wide: true, cell: func(l line) string { return l.metric.At }},
	{title: "VALUE", cell: func(l line) string { return quantity(l.metric.Value, l.metric.Unit) }},
	{title: "EXPECTED", wide: true, cell: func(l line) string { return quantity(l.metric.Expected, l.metric.Unit) }},
	{title: "OF PEAK", cell: func(l line) string { return percent(l.metric.PercentOfPeak) }},
	{title: "OF FLEET", cell: func(l line) string { return deviation(l.metric.FleetDeviationPercent) }},
	{title: "VERDICT", cell: func(l line) string { return string(l.verdict()) }},
	{title: "REASON", cell: func(l line) string { return l.reason() }},
	{title: "ATTEMPTS", wide: true, cell: func(l line) string { return strconv.Itoa(l.benchmark.Attempts) }},
}

func (l line) verdict() v1alpha1.Verdict {
	for _, v := range []v1alpha1.Verdict{l.metric.Verdict, l.benchmark.Verdict, l.node.Verdict} {
		if v != "" {
			return v
		}
	}
	return v1alpha1.VerdictPending
}

// reason of the line; that of a metric which passed says nothing new.
func (l line) reason() string {
	if l.benchmark.Reason != "" && l.verdict() == l.benchmark.Verdict {
		return l.benchmark.Reason
	}
	if l.benchmark.Name == "" {
		return l.node.Reason
	}
	return ""
}

func (r *Report) lines() []line {
	var all []line
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if len(n.Benchmarks) == 0 {
			all = append(all, line{n, &Benchmark{}, &Metric{}})
		}
		for j := range n.Benchmarks {
			b := &n.Benchmarks[j]
			if len(b.Metrics) == 0 {
				all = append(all, line{n, b, &Metric{}})
			}
			for k := range b.Metrics {
				all = append(all, line{n, b, &b.Metrics[k]})
			}
		}
	}
	return all
}

// cells are the table's header and rows.
func (r *Report) cells(wide bool) (header []string, rows [][]string) {
	for _, c := range columns {
		if !c.wide || wide {
			header = append(header, c.title)
		}
	}
	for _, l := range r.lines() {
		var row []string
		for _, c := range columns {
			if !c.wide || wide {
				row = append(row, orUnknown(c.cell(l)))
			}
		}
		rows = append(rows, row)
	}
	return header, rows
}

// WriteTable shows the report to a person: the table, why nodes did not pass, and the run's verdict.
func (r *Report) WriteTable(w io.Writer, wide bool) error {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	header, rows := r.cells(wide)
	fmt.Fprintln(out, strings.Join(header, "\t"))
	for _, row := range rows {
		fmt.Fprintln(out, strings.Join(row, "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	for _, text := range r.explanations() {
		fmt.Fprintf(w, "\n%s\n", text)
	}
	_, err := fmt.Fprintf(w, "\n%s\n", r.verdictText())
	return err
}

// explanations say what is wrong between nodes, and of each node that did not pass, benchmark by benchmark, what was found.
func (r *Report) explanations() []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, fmt.Sprintf("%s %s\n  %s: %s", f.Kind, strings.Join(f.Members, ", "), f.Benchmark, clean(f.Message)))
	}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if n.Verdict == v1alpha1.VerdictPass || n.Verdict == v1alpha1.VerdictPending {
			continue
		}
		text := n.Name + ": " + string(n.Verdict)
		if n.Tainted {
			text += strings.TrimSuffix(", tainted "+r.Run.Taint, " ") // by an earlier run, where this one taints nothing
		}
		if because := n.because(); len(because) > 0 {
			text += "\n  " + strings.Join(because, "\n  ")
		}
		all = append(all, text)
	}
	return all
}

func (n *Node) because() []string {
	var all []string
	for i := range n.Benchmarks {
		b := &n.Benchmarks[i]
		if b.Verdict == v1alpha1.VerdictPass || b.Message == "" {
			continue
		}
		text := b.Name + ": " + clean(b.Message)
		if b.Verdict == v1alpha1.VerdictFail && b.Attempts > 1 {
			text += fmt.Sprintf(" (measured %d times)", b.Attempts)
		}
		all = append(all, text)
	}
	if len(all) == 0 && n.Message != "" {
		all = append(all, clean(n.Message))
	}
	return all
}

// verdictText sums the run up in a line or two.
func (r *Report) verdictText() string {
	s := r.Run.Summary
	text := fmt.Sprintf("Run %s: %s", r.Run.Name, r.Run.Verdict)
	if r.Run.Reason != "" && r.Run.Reason != string(r.Run.Verdict) {
		text += " (" + r.Run.Reason + ")"
	}
	text += ", " + plural(int(s.Nodes), "node") + countsOf(s)
	if r.Run.Seconds > 0 {
		text += ", in " + duration(r.Run.Seconds)
	}
	if tainted := r.taintedNodes(); len(tainted) > 0 {
		text += "\nTainted: " + strings.Join(tainted, ", ")
	}
	if r.Run.Verdict != v1alpha1.VerdictPass && r.Run.Verdict != v1alpha1.VerdictFail && r.Run.Message != "" {
		text += "\n" + clean(r.Run.Message)
	}
	return text
}

func (r *Report) taintedNodes() []string {
	var names []string
	for i := range r.Nodes {
		if r.Nodes[i].Tainted {
			names = append(names, r.Nodes[i].Name)
		}
	}
	return names
}

// countsOf names the counts that are not zero: ": 3 passed, 1 failed".
func countsOf(s v1alpha1.RunSummary) string {
	var parts []string
	for _, c := range []struct {
		n    int32
		word string
	}{
		{s.Passed, "passed"}, {s.Failed, "failed"}, {s.Errored, "could not be measured"},
		{s.Skipped, "skipped"}, {s.Running, "running"}, {s.Pending, "pending"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
