package explain

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
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
		if found := report.Finding(*f); !found.Warns() {
			between := cause.Between(f)
			all = append(all, indent+between.Advice())
		}
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

// alike names the other nodes of the run of which a benchmark ended the same way; nothing where there is none.
func (c *knownCase) alike(what string, same func(*v1alpha1.BenchmarkResult) bool) []string {
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
	if len(nodes) == 0 {
		return nil
	}
	return []string{explainAlike(what, nodes, total, c.OthersCut)}
}
