package report

import (
	"fmt"

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
			for k := range b.Metrics {
				all = append(all, Row{n, b, &b.Metrics[k]})
			}
		}
	}
	return all
}

// Verdict of the row: the metric's own, else the benchmark's, else the node's.
func (r Row) Verdict() v1alpha1.Verdict {
	for _, v := range []v1alpha1.Verdict{r.Metric.Verdict, r.Benchmark.Verdict, r.Node.Verdict} {
		if v != "" {
			return v
		}
	}
	return v1alpha1.VerdictPending
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
	for i := range r.Nodes {
		switch n := &r.Nodes[i]; {
		case n.OutOfService != nil:
			names = append(names, fmt.Sprintf("%s (%s)", n.Name, n.OutOfService.Count()))
		case n.Tainted:
			names = append(names, n.Name)
		}
	}
	return names
}
