package explain

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/report"
)

// links are the findings of the run that name the node, with what is known of their other ends.
func (c *knownCase) links() []string {
	var all []string
	findings := c.newest.Run.Status.Findings
	for i := range findings {
		f := &findings[i]
		if !slices.Contains(f.Members, c.Node) {
			continue
		}
		all = append(all, fmt.Sprintf("%s, by %s: %s", f.Kind, f.Benchmark, f.Message))
		for _, member := range f.Members {
			if member != c.Node {
				all = append(all, indent+c.end(member, i))
			}
		}
	}
	return all
}

// end of a link: how that node ended, and in which other findings it is.
func (c *knownCase) end(node string, but int) string {
	verdict := v1alpha1.Verdict("")
	if row := c.newest.Run.Row(node); row != nil {
		verdict = row.Verdict
	}
	var with []string
	for i, f := range c.newest.Run.Status.Findings {
		if i == but || !slices.Contains(f.Members, node) {
			continue
		}
		for _, member := range f.Members {
			if member != node && member != c.Node && !slices.Contains(with, member) {
				with = append(with, member)
			}
		}
	}
	slices.SortFunc(with, report.CompareNatural)
	return explainEnd(node, verdict, with)
}

// others are the nodes of the run that broke the same rules, or could not be measured for the same reason.
func (c *knownCase) others() []string {
	var all, told []string
	for i := range c.result.Benchmarks {
		b := &c.result.Benchmarks[i]
		for j := range b.Findings {
			f := &b.Findings[j]
			what := b.Name + " " + f.Metric + " " + f.Rule
			if !failing(f) || slices.Contains(told, what) {
				continue
			}
			told = append(told, what)
			all = append(all, c.alike(what, func(o *v1alpha1.BenchmarkResult) bool {
				return o.Name == b.Name && slices.ContainsFunc(o.Findings, func(of v1alpha1.Finding) bool {
					return failing(&of) && of.Metric == f.Metric && of.Rule == f.Rule
				})
			}))
		}
		if b.Verdict == v1alpha1.VerdictError {
			all = append(all, c.alike(b.Name+" "+b.Reason, func(o *v1alpha1.BenchmarkResult) bool { return o.Name == b.Name && o.Reason == b.Reason }))
		}
	}
	return all
}

func (c *knownCase) alike(what string, same func(*v1alpha1.BenchmarkResult) bool) string {
	var nodes []string
	for i := range c.newest.Results {
		r := &c.newest.Results[i]
		if r.Group != nil || r.Node.Name == c.Node {
			continue
		}
		for j := range r.Benchmarks {
			if same(&r.Benchmarks[j]) {
				nodes = append(nodes, r.Node.Name)
				break
			}
		}
	}
	slices.SortFunc(nodes, report.CompareNatural)
	total := 0
	if s := c.newest.Run.Status.Summary; s != nil {
		total = int(s.Nodes) - 1
	}
	return explainAlike(what, nodes, total, c.OthersCut)
}
