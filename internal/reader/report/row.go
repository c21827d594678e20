package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// Row is one row of a table: a metric of a benchmark of a node, or as much of these as there is. None of them is nil.
type Row struct {
	Node      *Node
	Benchmark *Benchmark
	Metric    *Metric
}

// Rows are the nodes metric by metric, in the order of the report. Each node has one at least.
func (r *Report) Rows() []Row {
	var all []Row
	for n := range list.Each(r.Nodes) {
		if len(n.Benchmarks) == 0 {
			all = append(all, Row{n, &Benchmark{}, &Metric{}})
		}
		for b := range list.Each(n.Benchmarks) {
			if len(b.Metrics) == 0 {
				all = append(all, Row{n, b, &Metric{}})
			}
			for m := range list.Each(b.Metrics) {
				all = append(all, Row{n, b, m})
			}
		}
	}
	return all
}

// Verdict of the row: the metric's own, else the benchmark's, else the node's.
func (r Row) Verdict() v1alpha1.Verdict {
	return cmp.Or(r.Metric.Verdict, r.Benchmark.Verdict, r.Node.Verdict, v1alpha1.VerdictPending)
}

// Reason of the row's verdict. Empty where the row passed and something else of its benchmark did not: the reason is not about it.
func (r Row) Reason() string {
	of, reason := r.Benchmark.Verdict, r.Benchmark.Reason
	if reason == "" { // no more is known than the node's row
		of, reason = r.Node.Verdict, r.Node.Reason
	}
	if r.Verdict() != of {
		return ""
	}
	return reason
}

// TaintedNodes names the nodes that carry Assay's taint, in the order of the report, and how many of their devices do where the others do not.
func (r *Report) TaintedNodes() []string {
	var names []string
	for n := range list.Each(r.Nodes) {
		switch {
		case n.OutOfService != nil:
			names = append(names, fmt.Sprintf("%s (%s)", n.Name, n.OutOfService.Count()))
		case n.Tainted:
			names = append(names, n.Name)
		}
	}
	return names
}

// LeaveOutPassed leaves nodes that did not pass or are tainted, groups that did not pass, and everything about the run as a whole.
func (r *Report) LeaveOutPassed() {
	r.Nodes = slices.DeleteFunc(r.Nodes, func(n Node) bool { return n.Verdict == v1alpha1.VerdictPass && !n.Tainted })
	r.Groups = slices.DeleteFunc(r.Groups, func(g Group) bool { return g.Verdict == v1alpha1.VerdictPass })
}

// Notable says whether there is something to say about the node already.
func (n *Node) Notable() bool {
	return n.Verdict != v1alpha1.VerdictPending && (n.Verdict != v1alpha1.VerdictPass || n.Tainted || n.Note != "")
}

// Untold says whether a benchmark of the node did not pass for a reason that no fault tells.
func (n *Node) Untold(b *Benchmark) bool {
	return b.Verdict != v1alpha1.VerdictPass && b.Message != "" &&
		!slices.ContainsFunc(n.Faults, func(f Fault) bool { return slices.Contains(f.Benchmarks, b.Name) })
}

// UntoldGroups are the groups that ended without a pass and that neither a finding nor a failed node speaks for, in the order of the report.
func (r *Report) UntoldGroups() []*Group {
	failed := map[string]bool{}
	for n := range list.Each(r.Nodes) {
		failed[n.Name] = n.Verdict == v1alpha1.VerdictFail
	}
	found := map[string]bool{}
	for f := range list.Each(r.Findings) {
		if !f.Warns() {
			found[about(f.Benchmark, f.Members)] = true
		}
	}
	return list.Those(r.Groups, func(g *Group) bool {
		told := slices.ContainsFunc(g.Nodes, func(name string) bool { return failed[name] }) || found[about(g.benchmark(), g.Nodes)]
		return g.Verdict != v1alpha1.VerdictPass && g.Verdict != v1alpha1.VerdictPending && !(told && g.Verdict == v1alpha1.VerdictFail)
	})
}

// about is a key for nodes that a benchmark measured, in whatever order they are named.
func about(benchmark string, nodes []string) string {
	return benchmark + " " + strings.Join(slices.Sorted(slices.Values(nodes)), " ")
}

// benchmark that measured the group: there is one.
func (g *Group) benchmark() string {
	if len(g.Benchmarks) == 0 {
		return ""
	}
	return g.Benchmarks[0].Name
}
