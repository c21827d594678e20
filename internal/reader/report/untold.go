package report

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// UntoldGroups are the groups that ended without a pass and that neither a finding nor a failed node speaks for, in the order of the report.
func (r *Report) UntoldGroups() []*Group {
	failed := map[string]bool{}
	for i := range r.Nodes {
		failed[r.Nodes[i].Name] = r.Nodes[i].Verdict == v1alpha1.VerdictFail
	}
	found := map[string]bool{}
	for i := range r.Findings {
		if f := &r.Findings[i]; !f.Warns() {
			found[about(f.Benchmark, f.Members)] = true
		}
	}
	var all []*Group
	for i := range r.Groups {
		g := &r.Groups[i]
		told := slices.ContainsFunc(g.Nodes, func(name string) bool { return failed[name] }) || found[about(g.benchmark(), g.Nodes)]
		if g.Verdict == v1alpha1.VerdictPass || g.Verdict == v1alpha1.VerdictPending || told && g.Verdict == v1alpha1.VerdictFail {
			continue
		}
		all = append(all, g)
	}
	return all
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
