package page

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/report"
)

// run is what the page shows of one run.
type run struct {
	report.Run
	ID, Headline      string
	Facts             facts
	Bar               []barPart
	Next              []string
	Found             []found
	Map               *fleetMap
	Strips, Telemetry []chart
	GPUMaps, NodeMaps []matrix
	Even              string // what has no map, for all of it is alike
	Graphs            []graph
	Metrics, Folded   []metricRow
	Columns           []column
	Nodes             []nodeRow
	Before            bool // what nodes did before is known of some
	Details           []template.HTML
	Complete          string // how many nodes have all their numbers here
	Groups            []*report.Group
}

// found is why a node or link did not pass. Target is where the node stands, empty for a link. Of a fault, it has the cause and what to do, and
// which others are alike.
type found struct {
	Title, Target, Cause, Hardware, Action, Command, Also string
	Verdict                                               v1alpha1.Verdict
	Lines                                                 []string
	Alike                                                 []foundAlike
	Gauge                                                 *gauge
}

// foundAlike is another node with the same fault.
type foundAlike struct{ Name, Target, Cause string }

// barPart is a share of the nodes that ended alike.
type barPart struct{ Class, X, Width, Text string }

// newRun number i of several.
func (rs *Runs) newRun(i int, failed bool) (run, error) {
	g, of := rs.all[i], len(rs.all)
	r := report.New(report.Input{Cluster: g.Cluster, Run: g.Run.Run, Results: g.Results, Validations: g.Validations, Before: g.before,
		Places: g.Run.Places, PlaceLabel: g.Run.Places.Label(rs.GroupBy, g.Catalogue)})
	g.Results = nil
	nodes := slices.Clone(r.Nodes)
	slices.SortFunc(nodes, func(a, b report.Node) int { return report.CompareNatural(a.Name, b.Name) })
	names := list.Map(nodes, func(n report.Node) string { return n.Name })
	if failed {
		r.LeaveOutPassed()
	}
	ids := nodeIDs(i, r.Nodes)
	c := g.numbers
	c.complete(names)
	c.exactPeaks(g.Catalogue)
	c.expected = expectedOf(g.Run.Run, g.Catalogue)
	took := time.Duration(r.Run.Seconds * float64(time.Second))
	v := run{Run: r.Run, ID: "_r" + strconv.Itoa(i), Headline: report.Headline(r.Run.Name, r.Run.Verdict, r.Run.Reason, r.Run.Summary, took),
		Facts: factsOf(&g.Run, &r), Bar: bar(r.Run.Summary), Next: next(&r), Found: foundIn(&r, ids), Map: newFleetMap(nodes, ids, r.Run.PlaceLabel),
		Strips: c.strips(), Graphs: append(c.graphs(), c.groupGraphs(g.groups)...), Telemetry: c.telemetry(r.Nodes),
		Groups: list.Those(r.Groups, func(g *report.Group) bool { return g.Verdict != v1alpha1.VerdictPass })}
	v.Groups = v.Groups[:min(len(v.Groups), mostGroups)]
	var even, also []string
	v.GPUMaps, even = c.gpuMaps()
	v.Metrics, v.Folded = c.metrics()
	v.NodeMaps, also = nodeMaps(g.groups, names, g.Run.Run.Status.Findings)
	if even = append(even, also...); len(even) > 0 {
		v.Even = "No map where all is within noise of typical: " + strings.Join(even, "; ") + "."
	}
	g.numbers = nil
	v.Columns, v.Nodes = nodeTable(&r, ids)
	v.Before = slices.ContainsFunc(v.Nodes, func(n nodeRow) bool { return n.Before != nil })
	var rest bytes.Buffer
	if err := write(&rest, "page", document{Runs: []run{v}}); err != nil {
		return run{}, err
	}
	return v, v.addDetails(&r, g, room(len(r.Nodes))/of-rest.Len())
}

// class of a verdict: how it looks.
func class(v v1alpha1.Verdict) string { return cmp.Or(classes[v], "none") }

var classes = map[v1alpha1.Verdict]string{v1alpha1.VerdictPass: "pass", v1alpha1.VerdictFail: "fail", v1alpha1.VerdictError: "warn",
	v1alpha1.VerdictMissing: "warn", v1alpha1.VerdictInconclusive: "warn", v1alpha1.VerdictWarning: "warn"}

// facts are pairs of a name and a value.
type facts [][2]string

// add one, if it is known.
func (f *facts) add(name, value string) {
	if value != "" {
		*f = append(*f, [2]string{name, value})
	}
}

func factsOf(e *export.Run, r *report.Report) (all facts) {
	all.add("Cluster", e.Cluster)
	all.add("Started", when(r.Run.Started))
	all.add("Ended", when(r.Run.Ended))
	all.add("Suite", e.Run.Spec.Suite)
	all.add("Overridden", message.Nodes(list.Map(e.Run.Spec.Overrides, func(o v1alpha1.BenchmarkRef) string { return o.Name })))
	if tainted := r.TaintedNodes(); len(tainted) > 0 {
		all.add("Tainted", message.AndMore(tainted, mostNamed, int(r.Run.Summary.Tainted)))
	}
	return append(all, r.Run.Changes()...)
}

func when(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

func bar(s v1alpha1.RunSummary) []barPart {
	counts := []struct {
		class, what string
		n           int32
	}{
		{"fail", "failed", s.Failed}, {"warn", "unmeasured", s.Errored}, {"warn", "unjudged", s.NotJudged}, {"none", "skipped", s.Skipped},
		{"none", "running", s.Running}, {"none", "pending", s.Pending}, {"pass", "passed", s.Passed},
	}
	var all []barPart
	at := 0.0
	for _, c := range counts {
		if c.n > 0 && s.Nodes > 0 {
			width := float64(c.n) / float64(s.Nodes)
			all = append(all, barPart{c.class, share(at), share(width), fmt.Sprintf("%d %s", c.n, c.what)})
			at += width
		}
	}
	return all
}

// next is what to do now.
func next(r *report.Report) []string {
	var all []string
	s := r.Run.Summary
	if !r.Run.Finished {
		all = append(all, fmt.Sprintf("The run is still in progress: everything here may change. kubectl assay watch %s follows it.", r.Run.Name))
	}
	switch {
	case r.Run.Reason == v1alpha1.ReasonBreakerOpen: // the measurement is more suspect than the nodes, and the message says what to check
		all = append(all, r.Run.Message)
	case len(r.Faults()) > 0:
		all = append(all, mend(r)...)
	case s.Failed > 0:
		text := "Repair or replace " + ended(r, v1alpha1.VerdictFail, s.Failed) + ", then validate again."
		if s.Tainted > 0 {
			text += " A pass lifts the taint."
		}
		all = append(all, text)
	}
	all = append(all, mendBetween(r)...)
	if s.Errored > 0 {
		all = append(all, ended(r, v1alpha1.VerdictError, s.Errored)+": not measured, so neither proved fit nor tainted. The findings say why.")
	}
	if s.NotJudged > 0 {
		all = append(all, fmt.Sprintf("%s could not be judged: there was nothing to compare with. Add a hardware profile, or validate more nodes "+
			"of the same kind together.", message.Several(s.NotJudged, "node")))
	}
	if len(r.Faults()) > 0 && r.Run.Reason != v1alpha1.ReasonBreakerOpen {
		all = append(all, again(r))
	}
	if len(all) == 0 && r.Run.Verdict == v1alpha1.VerdictPass {
		all = append(all, "Nothing to do: every node proved itself fit.")
	}
	if len(all) == 0 {
		all = append(all, r.Run.Message)
	}
	return all
}

// mostGroups that did not pass are listed.
const mostGroups = 100

// few of many names.
func few(names []string) string { return message.AndMore(names, mostTold, len(names)) }

// ended names the first nodes of all that ended with a verdict.
func ended(r *report.Report, with v1alpha1.Verdict, all int32) string {
	of := list.Where(r.Nodes, func(n report.Node) bool { return n.Verdict == with })
	return message.AndMore(list.Map(of, func(n report.Node) string { return n.Name }), mostTold, int(all))
}
