package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/internal/reader/report"
)

// paragraph says what is known of one node, link or set of nodes: a title and a line for each thing found.
type paragraph struct {
	title string
	lines []string
}

// explanations say what is wrong between nodes, why nodes did not pass, and what there is to know of those that did.
func explanations(r *report.Report) []paragraph {
	var all []paragraph
	for _, f := range r.Findings {
		all = append(all, paragraph{report.FindingTitle(f.Kind, f.Members), []string{f.Benchmark + ": " + f.Message}})
	}
	all = append(all, groupParagraphs(r.UntoldGroups())...)
	first := map[*report.Fault]int{}
	for _, alike := range r.Faults() {
		first[alike[0].Fault] = len(alike) - 1
	}
	for n := range list.Each(r.Nodes) {
		if n.Notable() {
			all = append(all, paragraph{nodeTitle(n, &r.Run), because(n, first)})
		}
	}
	for p := range list.Each(all) {
		p.title = output.Clean(p.title)
		output.CleanAll(p.lines)
	}
	return all
}

// mostGroups that did not pass are told. The JSON document has all of them.
const mostGroups = 20

func groupParagraphs(groups []*report.Group) []paragraph {
	var all []paragraph
	for _, g := range groups[:min(len(groups), mostGroups)] {
		p := paragraph{title: fmt.Sprintf("Group %s: %s", message.Names(g.Nodes), g.Verdict)}
		if g.Message != "" {
			p.lines = append(p.lines, g.Message)
		}
		all = append(all, p)
	}
	if more := len(groups) - len(all); more > 0 {
		all = append(all, paragraph{title: fmt.Sprintf("%d more groups did not pass: -o json and -o junit have them", more)})
	}
	return all
}

func nodeTitle(n *report.Node, run *report.Run) string {
	title := fmt.Sprintf("%s: %s", n.Name, n.Verdict)
	switch {
	case !n.Tainted:
		return title
	case n.OutOfService != nil:
		return title + ", " + n.OutOfService.Says()
	}
	title = message.With(title+", tainted", " ", cmp.Or(n.Taint, run.Taint)) // neither, where an earlier run tainted and this one would not
	if n.TaintedBy != run.Name {
		title = message.With(title, " by run ", n.TaintedBy)
	}
	return title
}

// faults of a node: the first of those that are alike with its numbers and what to do.
func faults(n *report.Node, first map[*report.Fault]int) (all []string) {
	for f := range list.Each(n.Faults) {
		all = append(all, output.Clean(f.Message))
		others, isFirst := first[f]
		if !isFirst {
			continue
		}
		for _, line := range append(slices.Clone(f.Findings), f.Hardware(), message.Because(f.Action, f.Command)) {
			if line != "" {
				all = append(all, "  "+output.Clean(line))
			}
		}
		if others > 0 {
			all = append(all, "  the same at "+message.Several(others, "other part")+" below")
		}
	}
	return all
}

// because lists the faults, what else the benchmarks found that did not pass, or else what is said of the node as a whole. first are the
// faults that are told in full, with how many others are alike.
func because(n *report.Node, first map[*report.Fault]int) []string {
	all := faults(n, first)
	warned := n.Note != "" // it tells the first warning
	for b := range list.Each(n.Benchmarks) {
		if n.Untold(b) {
			all = append(all, b.Name+": "+output.Clean(b.Message))
		}
		var lines []string
		lines, warned = facts(b, warned)
		all = append(all, lines...)
	}
	if len(all) == 0 && n.Message != "" {
		all = append(all, output.Clean(n.Message))
	}
	if n.Note != "" {
		all = append(all, output.Clean(n.Note))
	}
	if n.Before != nil && n.Verdict != v1alpha1.VerdictPass {
		last := n.Before.Runs[len(n.Before.Runs)-1]
		all = append(all, output.Clean(fmt.Sprintf("before: %s, last %s in run %s on %s", n.Before.Marks(), last.Verdict, last.Name, message.Day(last.Time))))
	}
	return all
}

// mostFacts of one benchmark on one node that are told. The document has all of them.
const mostFacts = 8

// facts that a benchmark warns of; those that fail a node are faults. warned: the first warning is told elsewhere, too; still says whether that
// is yet to come.
func facts(b *report.Benchmark, warned bool) (all []string, still bool) {
	for i := range b.Facts {
		switch f := &b.Facts[i]; {
		case f.Verdict != v1alpha1.VerdictWarning:
		case warned:
			warned = false
		default:
			all = append(all, message.Warned(b.Name, output.Clean(f.Message), 0))
		}
	}
	if more := len(all) - mostFacts; more > 0 {
		all = append(all[:mostFacts], fmt.Sprintf("%s: %s: see -o json", b.Name, message.Several(more, "more fact")))
	}
	return all, warned
}

// runCost is what a run took: "Cost: 192 GPU-seconds, 61.2 kJ". Many of them are GPU-hours.
func runCost(c *v1alpha1.Cost) string {
	text := fmt.Sprintf("Cost: %d GPU-seconds", c.GPUSeconds)
	if hours := float64(c.GPUSeconds) / 3600; hours >= 10 {
		text = fmt.Sprintf("Cost: %.4g GPU-hours", hours)
	}
	if c.Joules > 0 {
		text += ", " + quantity.Format(float64(c.Joules), "J")
	}
	return text
}

// Conclusion sums the run up, line by line.
func Conclusion(r *report.Report) []string {
	took := time.Duration(r.Run.Seconds * float64(time.Second))
	all := []string{report.Headline(r.Run.Name, r.Run.Verdict, r.Run.Reason, r.Run.Summary, took)}
	if r.Run.Cost != nil {
		all = append(all, runCost(r.Run.Cost))
	}
	if tainted := r.TaintedNodes(); len(tainted) > 0 {
		all = append(all, "Tainted: "+message.AndMore(tainted, len(tainted), int(r.Run.Summary.Tainted)))
	}
	for _, c := range r.Run.Changes() {
		all = append(all, c[0]+": "+c[1])
	}
	if r.Run.Verdict != v1alpha1.VerdictPass && r.Run.Verdict != v1alpha1.VerdictFail && r.Run.Message != "" {
		all = append(all, r.Run.Message)
	}
	return output.CleanAll(all)
}

// mostScalings are the curves that are told. The JSON document has all of them.
const mostScalings = 20

// scalings tells of what was measured at several sizes: of groups, and in a wide report of nodes.
func scalings(r *report.Report, wide bool) []paragraph {
	var lines []string
	add := func(where string, benchmarks []report.Benchmark) {
		for b := range list.Each(benchmarks) {
			for c := range list.Each(b.Curves) {
				lines = append(lines, output.Clean(fmt.Sprintf("%s %s on %s (%s scaling): %s", b.Name, c.Metric, where,
					strings.ToLower(string(c.Scaling)), c.InWords())))
			}
		}
	}
	for g := range list.Each(r.Groups) {
		add(message.Nodes(g.Nodes), g.Benchmarks)
	}
	for n := range list.Each(r.Nodes) {
		if wide {
			add(n.Name, n.Benchmarks)
		}
	}
	if len(lines) == 0 {
		return nil
	}
	if more := len(lines) - mostScalings; more > 0 {
		lines = append(lines[:mostScalings], fmt.Sprintf("and %s: see -o json", message.Several(more, "more curve")))
	}
	return []paragraph{{title: "Scaling, with the parallel efficiency at each size", lines: lines}}
}
