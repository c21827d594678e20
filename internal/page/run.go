package page

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/export"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/report"
)

// natural order of names.
var natural = report.CompareNatural

// run is what the page shows of one run.
type run struct {
	ID, Name, Verdict, Class, Headline string
	Facts                              [][2]string
	Bar                                []barPart
	Next                               []string
	Found                              []found
	Strips, Telemetry                  []chart
	GPUMaps, NodeMaps                  []matrix
	Graphs                             []graph
	Metrics                            []metricRow
	Columns                            []column
	Nodes                              []nodeRow
	Details                            []template.HTML
	Complete                           string // how many nodes have all their numbers here
	Groups                             []groupRow
	Note                               notes
}

// notes explain the sections.
type notes struct{ Strips, Heat, Curves, Telemetry, Metrics string }

// found is why a node or link did not pass. Target is where more stands, empty for nowhere.
type found struct {
	Title, Verdict, Class, Target string
	Lines                         []string
}

// barPart is a share of the nodes that ended alike.
type barPart struct{ Class, X, Width, Text string }

// newRun number i of several.
func newRun(e *export.Run, i, of int, failed bool) (run, error) {
	r := report.New(report.Input{Cluster: e.Cluster, Run: e.Run, Results: e.Results, Validations: e.Validations})
	if failed {
		r.LeaveOutPassed()
	}
	nodes, groups := split(e)
	c := collect(nodes)
	c.exactPeaks(e.Catalogue)
	v := run{ID: "r" + strconv.Itoa(i), Name: r.Run.Name, Verdict: string(r.Run.Verdict), Class: class(r.Run.Verdict), Headline: headlineOf(&r),
		Facts: factsOf(e, &r), Bar: bar(r.Run.Summary), Next: next(&r), Strips: c.strips(), GPUMaps: c.gpuMaps(), Graphs: c.graphs(), Metrics: c.metrics(),
		Telemetry: telemetry(nodes, r.Nodes), NodeMaps: nodeMaps(groups, e.Run.Status.Findings), Groups: groupRows(&r)}
	v.Note = notes{message.PageStripsNote(), message.PageHeatNote(), message.PageCurvesNote(), message.PageTelemetryNote(), message.PageMetricsNote()}
	v.Found = v.foundIn(&r)
	v.Columns, v.Nodes = nodeTable(&r, v.ID)
	empty := document{Runs: []run{v}}
	rest := &counter{}
	if err := empty.write(rest, "page"); err != nil {
		return run{}, err
	}
	return v, v.addDetails(&r, nodes, room(len(r.Nodes))/of-rest.bytes)
}

// counter is a writer that only counts.
type counter struct{ bytes int }

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}

// split the results of the run's nodes, in the order of their names, from those of its groups.
func split(e *export.Run) (nodes, groups []*v1alpha1.ValidationResult) {
	for i := range e.Results {
		switch r := &e.Results[i]; {
		case r.Run.UID != e.Run.UID:
		case r.Group != nil:
			groups = append(groups, r)
		default:
			nodes = append(nodes, r)
		}
	}
	slices.SortStableFunc(nodes, func(a, b *v1alpha1.ValidationResult) int { return natural(a.Node.Name, b.Node.Name) })
	return nodes, groups
}

// class of a verdict: how it looks.
func class(v v1alpha1.Verdict) string {
	switch v {
	case v1alpha1.VerdictPass:
		return "pass"
	case v1alpha1.VerdictFail:
		return "fail"
	case v1alpha1.VerdictError, v1alpha1.VerdictMissing, v1alpha1.VerdictInconclusive, v1alpha1.VerdictWarning:
		return "warn"
	default:
		return "none"
	}
}

func headlineOf(r *report.Report) string {
	return message.ReportRun(r.Run.Name, r.Run.Verdict, r.Run.Reason, r.Run.Summary, time.Duration(r.Run.Seconds*float64(time.Second)))
}

func factsOf(e *export.Run, r *report.Report) [][2]string {
	var all [][2]string
	add := func(name, value string) {
		if value != "" {
			all = append(all, [2]string{name, value})
		}
	}
	add("Cluster", e.Cluster)
	add("Started", when(r.Run.Started))
	add("Ended", when(r.Run.Ended))
	add("Suite", e.Run.Spec.Suite)
	if tainted := r.TaintedNodes(); len(tainted) > 0 {
		shown := tainted[:min(len(tainted), mostNamed)]
		add("Tainted", message.PageList(shown, int(r.Run.Summary.Tainted)-len(shown)))
	}
	return all
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
		all = append(all, message.PageGoesOn(r.Run.Name))
	}
	var bad []string
	for i := range r.Nodes {
		if r.Nodes[i].Verdict == v1alpha1.VerdictFail {
			bad = append(bad, r.Nodes[i].Name)
		}
	}
	if s.Failed > 0 {
		shown := bad[:min(len(bad), 4)]
		all = append(all, message.PageRepair(message.PageList(shown, int(s.Failed)-len(shown)), s.Tainted > 0))
	}
	for _, f := range r.Findings {
		if f.Kind != "Population" && f.Kind != "Shift" {
			all = append(all, message.PageFindings())
			break
		}
	}
	if s.Errored > 0 {
		all = append(all, message.PageUnmeasured(int(s.Errored)))
	}
	if s.NotJudged > 0 {
		all = append(all, message.PageNotJudged(int(s.NotJudged)))
	}
	if len(all) == 0 && r.Run.Verdict == v1alpha1.VerdictPass {
		all = append(all, message.PageNothingToDo())
	}
	if len(all) == 0 {
		all = append(all, r.Run.Message)
	}
	return all
}

// mostFound nodes are explained in front; all of them are in the table.
const mostFound = 30

func (v *run) foundIn(r *report.Report) []found {
	var all []found
	for _, f := range r.Findings {
		how := v1alpha1.VerdictFail
		if f.Kind == "Population" || f.Kind == "Shift" {
			how = v1alpha1.VerdictWarning
		}
		all = append(all, found{Title: message.ReportFinding(f.Kind, f.Members), Verdict: string(how), Class: class(how), Lines: []string{f.Benchmark + ": " + f.Message}})
	}
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if n.Verdict == v1alpha1.VerdictPending || n.Verdict == v1alpha1.VerdictPass && !n.Tainted && n.Note == "" {
			continue
		}
		if len(all) == mostFound {
			return append(all, found{Title: message.PageMoreNodes(countNotPassed(r) - i)})
		}
		all = append(all, found{n.Name, string(n.Verdict), class(n.Verdict), nodeID(v.ID, i), because(n)})
	}
	return all
}

func countNotPassed(r *report.Report) int {
	n := 0
	for i := range r.Nodes {
		if r.Nodes[i].Verdict != v1alpha1.VerdictPass {
			n++
		}
	}
	return n
}

func nodeID(run string, i int) string { return run + "n" + strconv.Itoa(i) }

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
		all = append(all, message.PageTaint(n.Taint, n.TaintedBy))
	}
	return all
}

// groupRow is a group of nodes that did not pass.
type groupRow struct{ Nodes, Benchmark, Verdict, Class, Message string }

// mostGroups that did not pass are listed.
const mostGroups = 100

func groupRows(r *report.Report) []groupRow {
	var all []groupRow
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Verdict == v1alpha1.VerdictPass || len(all) == mostGroups {
			continue
		}
		shown := g.Nodes[:min(len(g.Nodes), 4)]
		row := groupRow{Nodes: message.PageList(shown, len(g.Nodes)-len(shown)), Verdict: string(g.Verdict), Class: class(g.Verdict), Message: g.Message}
		if len(g.Benchmarks) > 0 {
			row.Benchmark = g.Benchmarks[0].Name
		}
		all = append(all, row)
	}
	return all
}

// column of the table of nodes: a headline metric.
type column struct{ Benchmark, Metric, Unit string }

// mostColumns of metrics; the others are with each node.
const mostColumns = 12

type nodeRow struct {
	Name, Target, Verdict, Class, Reason string
	Tainted                              bool
	Cells                                []nodeCell
}

type nodeCell struct{ Text, Class string }

func nodeTable(r *report.Report, id string) ([]column, []nodeRow) {
	var columns []column
	var scales []quantity.Scale
	at := map[[2]string]int{}
	for i := range r.Fleet {
		f := &r.Fleet[i]
		if len(columns) == mostColumns || f.Median == nil {
			continue
		}
		at[[2]string{f.Benchmark, f.Metric}] = len(columns)
		scale := quantity.NewScale(f.Unit, *f.Median)
		scales = append(scales, scale)
		columns = append(columns, column{f.Benchmark, f.Metric, unitOf(scale)})
	}
	rows := make([]nodeRow, len(r.Nodes))
	for i := range r.Nodes {
		n := &r.Nodes[i]
		row := nodeRow{Name: n.Name, Target: nodeID(id, i), Verdict: string(n.Verdict), Class: class(n.Verdict), Reason: n.Reason, Tainted: n.Tainted,
			Cells: make([]nodeCell, len(columns))}
		for j := range n.Benchmarks {
			for _, m := range n.Benchmarks[j].Metrics {
				k, shown := at[[2]string{n.Benchmarks[j].Name, m.Name}]
				if !shown || m.Value == nil {
					continue
				}
				row.Cells[k].Text = scales[k].Number(*m.Value)
				if m.Verdict == v1alpha1.VerdictFail {
					row.Cells[k].Class = "fail"
				}
			}
		}
		rows[i] = row
	}
	return columns, rows
}
