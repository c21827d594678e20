package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/report"
)

// mostFound links and groups, and as many nodes, are explained in front; all nodes are in the table.
const mostFound = 30

func foundIn(r *report.Report, ids map[string]string) []found {
	var all []found
	for f := range list.Each(r.Findings[:min(len(r.Findings), mostFound)]) {
		how, action := v1alpha1.VerdictWarning, ""
		if !f.Warns() {
			between := cause.Between(f)
			how, action = v1alpha1.VerdictFail, between.Action()
		}
		all = append(all, found{Title: report.FindingTitle(f.Kind, f.Members), Verdict: how,
			Lines: []string{f.Benchmark + ": " + f.Message}, Action: action})
	}
	more := func(n int, what, where string) {
		if n > 0 {
			all = append(all, found{Title: "and " + message.Several(n, what) + " more: " + where})
		}
	}
	elsewhere := "kubectl assay report " + r.Run.Name + " has all of them"
	more(len(r.Findings)-mostFound, "finding", elsewhere)
	groups := r.Faults()
	for _, alike := range groups[:min(len(groups), mostFound)] {
		all = append(all, faultFound(alike, ids))
	}
	more(len(groups)-mostFound, "fault", elsewhere)
	named := list.Those(r.Nodes, func(n *report.Node) bool { return n.Notable() && len(because(n)) > 0 })
	for _, n := range named[:min(len(named), mostFound)] {
		all = append(all, found{Title: n.Name, Verdict: n.Verdict, Target: ids[n.Name], Lines: because(n)})
	}
	more(len(named)-mostFound, "node", "see the table of nodes")
	return all
}

// faultFound is one fault, or the same on several nodes: the cause, its numbers, what to do, and then where else it is.
func faultFound(alike []report.NodeFault, ids map[string]string) found {
	first := alike[0]
	f := found{Title: first.Name, Verdict: first.Verdict, Target: ids[first.Name],
		Cause: first.Fault.Message, Hardware: first.Hardware(), Gauge: gaugeOf(first.Fault), Lines: first.Findings, Action: first.Action, Command: first.Command}
	for _, other := range alike[1:min(len(alike), mostFound)] {
		f.Alike = append(f.Alike, foundAlike{other.Name, ids[other.Name], other.Fault.Message})
	}
	if len(alike) > 1 {
		f.Also = "the same at " + message.Several(len(alike)-1, "other part")
	}
	if more := len(alike) - mostFound; more > 0 {
		f.Alike = append(f.Alike, foundAlike{Name: fmt.Sprintf("and %d more: see the table of nodes", more)})
	}
	return f
}

// gauge is a value as a bar from 0, with marks at the bound and at what is typical.
type gauge struct{ Value, Bound, Typical string }

const gaugeWidth = 240

// Gauged: some of what was found has a bar.
func (v *run) Gauged() bool {
	return slices.ContainsFunc(v.Found, func(f found) bool { return f.Gauge != nil })
}

// gaugeOf the worst finding; nil where its numbers are not known, or not of a kind that a bar shows.
func gaugeOf(f *report.Fault) *gauge {
	if f.Value == nil || f.Typical == nil || f.Bound == nil || min(*f.Value, *f.Typical, *f.Bound) < 0 || max(*f.Value, *f.Typical, *f.Bound) == 0 {
		return nil
	}
	scale := (gaugeWidth - 2) / max(*f.Value, *f.Typical, *f.Bound)
	at := func(v float64) string { return strconv.FormatFloat(v*scale, 'f', 1, 64) }
	return &gauge{at(*f.Value), at(*f.Bound), at(*f.Typical)}
}

// because lists what is known of why a node did not pass beside its faults, or what else there is to know of it.
func because(n *report.Node) []string {
	told := list.Those(n.Benchmarks, n.Untold)
	all := list.Map(list.Groups(told, func(b *report.Benchmark) string { return b.Message }), func(alike []*report.Benchmark) string {
		return strings.Join(list.Map(alike, func(b *report.Benchmark) string { return b.Name }), ", ") + ": " + alike[0].Message
	})
	if len(all) == 0 && n.Message != "" && len(n.Faults) == 0 {
		all = append(all, n.Message)
	}
	if n.Note != "" {
		all = append(all, n.Note)
	}
	switch {
	case n.OutOfService != nil:
		all = append(all, n.OutOfService.Says())
	case n.Taint != "":
		all = append(all, message.With("tainted "+n.Taint, " by run ", n.TaintedBy))
	}
	return all
}

// mostTold of the names in a sentence, of the faults, and of what is slow between nodes, are told in front.
const mostTold = 4

// mend says what to do about each kind of fault, of the worst few.
func mend(r *report.Report) (all []string) {
	groups := r.Faults()
	for _, alike := range groups[:min(len(groups), mostTold)] {
		names := list.Map(alike, func(f report.NodeFault) string { return strings.TrimSpace(f.Name + " " + f.At) })
		all = append(all, fmt.Sprintf("%s: %s. %s.", few(names), alike[0].Cause.Says(alike[0].Sure), alike[0].Action))
	}
	if more := len(groups) - len(all); more > 0 {
		all = append(all, message.Several(more, "more fault")+": see the findings.")
	}
	return all
}

// mendBetween says what to do about what is slow between nodes that are fine by themselves.
func mendBetween(r *report.Report) (all []string) {
	slow := list.Those(r.Findings, func(f *v1alpha1.FabricFinding) bool { return !f.Warns() })
	for _, f := range slow[:min(len(slow), mostTold)] {
		between := cause.Between(f)
		all = append(all, fmt.Sprintf("%s: slow, and the nodes may be fine by themselves. %s.", report.FindingTitle(f.Kind, f.Members), between.Action()))
	}
	if more := len(slow) - len(all); more > 0 {
		all = append(all, fmt.Sprintf("%d more between nodes: see the findings.", more))
	}
	return all
}

// again says how to prove that it helped.
func again(r *report.Report) string {
	text := "Then measure again: kubectl assay run --again " + r.Run.Name
	if r.Run.Summary.Tainted > 0 {
		text += ". A pass lifts the taint."
	}
	if slices.ContainsFunc(r.Nodes, func(n report.Node) bool { return n.OutOfService != nil }) {
		text += " " + cause.FreeFirst
	}
	return text
}
