package page

import (
	"bytes"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/report"
)

// A page stays one that can be sent and opened: what is beside the nodes' numbers comes first, then as many nodes, the worst first, as
// there is room for.
const (
	smallPage, smallFleet = 980_000, 100
	largePage, largeFleet = 9_800_000, 5_000
	// openDetails: so many nodes that failed show at once why.
	openDetails = 3
)

// detail is everything that is known of one node.
type detail struct {
	ID, Name, Verdict, Class, Short string
	Open                            bool
	Lines                           []string
	Benchmarks                      []benchmarkDetail
}

type benchmarkDetail struct {
	Name, Verdict, Class, Reason, Message string
	Rules                                 []v1alpha1.Finding
	Attempts                              []attemptDetail
}

type attemptDetail struct {
	Title, Message              string
	Grids, Telemetry            []grid
	Facts                       []factRow
	Checks, Notes, Devices, Env []string
}

type factRow struct{ Name, Values string }

// grid is a table of numbers.
type grid struct {
	Caption string
	Head    []string
	Rows    []gridRow
}

type gridRow struct {
	Name  string
	Cells []string
}

// room in bytes that a page of so many nodes may take.
func room(nodes int) int {
	more := min(max(nodes, smallFleet), largeFleet) - smallFleet
	return smallPage + (largePage-smallPage)/(largeFleet-smallFleet)*more
}

// addDetails of as many nodes as the room allows.
func (v *run) addDetails(r *report.Report, results []*v1alpha1.ValidationResult, room int) error {
	byName := make(map[string]*v1alpha1.ValidationResult, len(results))
	for _, found := range results {
		byName[found.Node.Name] = found
	}
	measured := 0
	for i := range r.Nodes {
		found := byName[r.Nodes[i].Name]
		if found == nil {
			v.Nodes[i].Target = ""
			continue
		}
		measured++
		var out bytes.Buffer
		if room > 0 {
			if err := templates.ExecuteTemplate(&out, "node", newDetail(v.Nodes[i].Target, &r.Nodes[i], found, i)); err != nil {
				return err
			}
		}
		if room -= out.Len(); room <= 0 {
			room = 0
			v.Nodes[i].Target = ""
			continue
		}
		v.Details = append(v.Details, template.HTML(out.String())) //nolint:gosec // what the template wrote is escaped
	}
	v.untargeted()
	if len(v.Details) < measured {
		v.Complete = message.PageIncomplete(len(v.Details), measured, v.Name)
	}
	return nil
}

// untargeted takes links to what is not on the page from the findings.
func (v *run) untargeted() {
	there := map[string]bool{}
	for i := range v.Nodes {
		there[v.Nodes[i].Target] = true
	}
	for i := range v.Found {
		if !there[v.Found[i].Target] {
			v.Found[i].Target = ""
		}
	}
}

func newDetail(id string, n *report.Node, r *v1alpha1.ValidationResult, i int) detail {
	d := detail{ID: id, Name: n.Name, Verdict: string(n.Verdict), Class: class(n.Verdict), Short: n.Reason, Open: i < openDetails && n.Verdict == v1alpha1.VerdictFail}
	for _, line := range []string{n.Message, n.Note} {
		if line != "" {
			d.Lines = append(d.Lines, line)
		}
	}
	var devices []string
	for j := range r.Benchmarks {
		b := &r.Benchmarks[j]
		found := benchmarkDetail{b.Name, string(b.Verdict), class(b.Verdict), b.Reason, b.Message, b.Findings, nil}
		for k := range b.Attempts {
			a := newAttempt(&b.Attempts[k])
			if slices.Equal(a.Devices, devices) { // as nearly always: said once
				a.Devices = nil
			} else {
				devices = a.Devices
			}
			found.Attempts = append(found.Attempts, a)
		}
		d.Benchmarks = append(d.Benchmarks, found)
	}
	return d
}

func newAttempt(a *v1alpha1.Attempt) attemptDetail {
	d := attemptDetail{Title: attemptTitle(a), Message: a.Message, Grids: grids(a.Measurements), Telemetry: grids(a.Telemetry), Notes: a.Notes, Facts: facts(a.Facts)}
	for _, c := range a.Checks {
		how := "ok"
		if !c.OK {
			how = "wrong"
		}
		d.Checks = append(d.Checks, strings.TrimSuffix(c.Name+": "+how+", "+c.Message, ", "))
	}
	for _, device := range a.Devices {
		d.Devices = append(d.Devices, strings.TrimSpace(fmt.Sprintf("gpu%d %s %s", device.Index, device.UUID, device.Product)))
	}
	for _, e := range [][2]string{{"image", a.ImageID}, {"version", a.Version}, {"pod", a.Pod}} {
		if e[1] != "" {
			d.Env = append(d.Env, e[0]+" "+e[1])
		}
	}
	return d
}

func attemptTitle(a *v1alpha1.Attempt) string {
	all := []string{"attempt " + strconv.Itoa(int(a.Number)), string(a.Verdict)}
	if a.Reason != "" {
		all = append(all, a.Reason)
	}
	if a.StartTime != nil {
		all = append(all, a.StartTime.UTC().Format("2006-01-02 15:04:05 UTC"))
		if a.EndTime != nil {
			all = append(all, quantity.Format(a.EndTime.Sub(a.StartTime.Time).Seconds(), "s"))
		}
	}
	return strings.Join(all, " · ")
}

func facts(all []v1alpha1.Fact) []factRow {
	var rows []factRow
	for _, f := range all {
		text := f.Value
		if f.At != "" {
			text = f.At + " " + f.Value
		}
		if i := slices.IndexFunc(rows, func(r factRow) bool { return r.Name == f.Name }); i >= 0 {
			rows[i].Values += ", " + text
		} else {
			rows = append(rows, factRow{f.Name, text})
		}
	}
	return rows
}

// wide tables have more columns than a phone can show.
const wide = 12

// grids of what was measured: metrics of the same parts share a table, and pairs of GPUs get one that is as wide as high.
func grids(all []v1alpha1.Measurement) []grid {
	var tables []grid
	at := map[string]int{}
	for i := range all {
		m := &all[i]
		scale := scaleOf(m)
		if g, ok := pairGrid(m, scale); ok {
			tables = append(tables, g)
			continue
		}
		var names []string
		for j := range m.Parts {
			names = append(names, m.Parts[j].At)
		}
		row := gridRow{Name: strings.TrimSuffix(m.Name+", "+unitOf(scale), ", ")}
		for j := range m.Parts {
			row.Cells = append(row.Cells, number(scale, m.Parts[j].Value))
		}
		key := strings.Join(names, "\x00")
		if k, known := at[key]; known {
			tables[k].Rows = append(tables[k].Rows, row)
			continue
		}
		at[key] = len(tables)
		tables = append(tables, grid{Head: names, Rows: []gridRow{row}})
	}
	for i := range tables {
		if len(tables[i].Head) > wide && tables[i].Caption == "" {
			tables[i] = tables[i].turned()
		}
	}
	return tables
}

// turned has a row for each part, and a column for each metric.
func (g grid) turned() grid {
	t := grid{}
	for _, row := range g.Rows {
		t.Head = append(t.Head, row.Name)
	}
	for i, name := range g.Head {
		row := gridRow{Name: name}
		for _, from := range g.Rows {
			row.Cells = append(row.Cells, from.Cells[i])
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// scaleOf a measurement: that of its median, so that its numbers share a unit.
func scaleOf(m *v1alpha1.Measurement) quantity.Scale {
	var values []float64
	for i := range m.Parts {
		if v, ok := quantity.ParseDecimal(m.Parts[i].Value); ok {
			values = append(values, v)
		}
	}
	median, _ := known(values)
	return quantity.NewScale(m.Unit, median)
}

func number(scale quantity.Scale, d v1alpha1.Decimal) string {
	v, ok := quantity.ParseDecimal(d)
	if !ok {
		return string(d)
	}
	return scale.Number(v)
}

// pairGrid has the sender at the left and the receiver above; ok is false for other parts.
func pairGrid(m *v1alpha1.Measurement, scale quantity.Scale) (grid, bool) {
	s := series{partAt: map[string]int32{}}
	for i := range m.Parts {
		if !gpuPair.MatchString(m.Parts[i].At) {
			return grid{}, false
		}
		if v, ok := quantity.ParseDecimal(m.Parts[i].Value); ok {
			s.parts = append(s.parts, m.Parts[i].At)
			s.values = append(s.values, value{at: int32(len(s.parts) - 1), value: v})
		}
	}
	names, pairs := s.gpuPairs(func(int32) bool { return true })
	if len(pairs) == 0 {
		return grid{}, false
	}
	g := grid{Caption: strings.TrimSuffix(m.Name+", "+unitOf(scale), ", "), Head: names}
	for _, n := range names {
		g.Rows = append(g.Rows, gridRow{n, make([]string, len(names))})
	}
	both := strings.Contains(s.parts[0], "<->") // then half of the table says all
	for _, p := range pairs {
		if !both || p.from < p.to {
			g.Rows[p.from].Cells[p.to] = scale.Number(p.value)
		}
	}
	return g, true
}
