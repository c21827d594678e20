package page

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/report"
)

// mostFound links and groups, and as many nodes, are explained in front; all nodes are in the table.
const mostFound = 30

func (v *run) foundIn(r *report.Report) []found {
	var all []found
	for _, f := range r.Findings[:min(len(r.Findings), mostFound)] {
		how := v1alpha1.VerdictFail
		if f.Kind == "Population" || f.Kind == "Shift" {
			how = v1alpha1.VerdictWarning
		}
		all = append(all, found{Title: report.FindingTitle(f.Kind, f.Members), Verdict: string(how), Class: class(how),
			Lines: []string{f.Benchmark + ": " + f.Message}})
	}
	if more := len(r.Findings) - mostFound; more > 0 {
		all = append(all, found{Title: fmt.Sprintf("and %s more: kubectl assay report %s has all of them", message.Several(more, "finding"), r.Run.Name)})
	}
	named, more := 0, 0
	for i := range r.Nodes {
		n := &r.Nodes[i]
		switch {
		case !notable(n):
		case named < mostFound:
			all = append(all, found{n.Name, string(n.Verdict), class(n.Verdict), nodeID(v.ID, i), because(n)})
			named++
		default:
			more++
		}
	}
	if more > 0 {
		all = append(all, found{Title: fmt.Sprintf("and %s more: see the table of nodes", message.NodesCounted(int32(more)))})
	}
	return all
}

// notable says whether there is something to say about the node already.
func notable(n *report.Node) bool {
	return n.Verdict != v1alpha1.VerdictPending && (n.Verdict != v1alpha1.VerdictPass || n.Tainted || n.Note != "")
}

// because lists what is known of why a node did not pass, or what else there is to know of it.
func because(n *report.Node) []string {
	var all, said []string
	names := map[string][]string{}
	for i := range n.Benchmarks {
		b := &n.Benchmarks[i]
		if b.Verdict == v1alpha1.VerdictPass || b.Message == "" {
			continue
		}
		if names[b.Message] == nil {
			said = append(said, b.Message)
		}
		names[b.Message] = append(names[b.Message], b.Name)
	}
	for _, text := range said {
		all = append(all, strings.Join(names[text], ", ")+": "+text)
	}
	if len(all) == 0 && n.Message != "" {
		all = append(all, n.Message)
	}
	if n.Note != "" {
		all = append(all, n.Note)
	}
	if n.Taint != "" {
		all = append(all, pageTaint(n.Taint, n.TaintedBy))
	}
	return all
}

// pageTaint says which taint a node carries, and by which run.
func pageTaint(taint, by string) string {
	text := "tainted " + taint
	if by != "" {
		text += " by run " + by
	}
	return text
}
