package explain

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/report"
)

// links are the findings of the run that name the node, with what is known of their other ends.
func (c *knownCase) links() []string {
	var all []string
	for f := range list.Each(c.newest.Run.Status.Findings) {
		if !slices.Contains(f.Members, c.Node) {
			continue
		}
		all = append(all, fmt.Sprintf("%s, by %s: %s", f.Kind, f.Benchmark, f.Message))
		if !f.Warns() {
			between := cause.Between(f)
			all = append(all, indent+between.Advice())
		}
		for _, member := range f.Members {
			if member != c.Node {
				all = append(all, indent+c.end(member, f))
			}
		}
	}
	return all
}

// end of a link: how that node ended, and in which other findings it is.
func (c *knownCase) end(node string, but *v1alpha1.FabricFinding) string {
	text := "the other end, " + node + ", "
	if row := c.newest.Run.Row(node); row != nil && row.Verdict != "" {
		text += "ended as " + string(row.Verdict) + " and "
	}
	var with []string
	for f := range list.Each(c.newest.Run.Status.Findings) {
		if f == but || !slices.Contains(f.Members, node) {
			continue
		}
		for _, member := range f.Members {
			if member != node && member != c.Node && !slices.Contains(with, member) {
				with = append(with, member)
			}
		}
	}
	slices.SortFunc(with, report.CompareNatural)
	if len(with) == 0 {
		return text + "is in no other finding"
	}
	return text + "is also in findings with " + message.Names(with)
}

// alike names the other nodes of the run of which a benchmark ended the same way; nothing where there is none.
func (c *knownCase) alike(what string, same func(*v1alpha1.BenchmarkResult) bool) []string {
	var nodes []string
	for r := range list.Each(c.newest.Results) {
		if r.Group == nil && r.Node.Name != c.Node && list.First(r.Benchmarks, same) != nil {
			nodes = append(nodes, r.Node.Name)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	slices.SortFunc(nodes, report.CompareNatural)
	total, least := len(nodes), ""
	if s := c.newest.Run.Status.Summary; s != nil {
		total = max(total, int(s.Nodes)-1)
	}
	if c.OthersCut { // not all that failed were looked at
		least = "at least "
	}
	return []string{fmt.Sprintf("%s on %s%d of %s too: %s", what, least, len(nodes), message.Several(total, "other node"), message.Names(nodes))}
}
