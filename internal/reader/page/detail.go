package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/reader/report"
)

// A page stays one that can be sent and opened: what is beside the nodes' numbers comes first, then as many nodes, the worst first, as
// there is room for.
const (
	smallPage, smallFleet = 1_270_000, 100
	largePage, largeFleet = 9_800_000, 5_000
	// openDetails is how many nodes that failed show at once why.
	openDetails = 3
)

// detail is everything that is known of one node.
type detail struct {
	*report.Node
	ID         string
	Open       bool
	Lines      []string
	Benchmarks []benchmarkDetail
	Packed     string
}

type benchmarkDetail struct {
	*v1alpha1.BenchmarkResult
	Attempts []attemptDetail
}

type attemptDetail struct {
	Title, Message              string
	Grids, Telemetry            []grid
	Facts                       []factRow
	Checks, Notes, Devices, Env []string
}

type factRow struct{ Name, Values string }

// room in bytes that a page of so many nodes may take.
func room(nodes int) int {
	more := min(max(nodes, smallFleet), largeFleet) - smallFleet
	return smallPage + (largePage-smallPage)/(largeFleet-smallFleet)*more
}

// addDetails of as many nodes as the room allows.
func (v *run) addDetails(r *report.Report, g *gathered, room int) error {
	measured, plain := 0, room/8 // the worst nodes need no JavaScript
	for i := range r.Nodes {
		name := r.Nodes[i].Name
		if g.packed[name] == nil {
			continue
		}
		measured++
		if room <= 0 {
			continue
		}
		found, err := g.result(name)
		if err != nil {
			return fmt.Errorf("reading the result of %s back: %w", name, err)
		}
		out, err := rendered(newDetail(v.Nodes[i].ID, &r.Nodes[i], found, i), plain <= 0)
		if err != nil {
			return err
		}
		room, plain = room-len(out), plain-len(out)
		if room > 0 {
			v.Details = append(v.Details, out)
			v.Nodes[i].Here = true
		}
	}
	if len(v.Details) < measured {
		v.Complete = fmt.Sprintf("To keep this page small, it has every number of the %d worst of %s. The others are only in the table, the charts and the "+
			"summaries. kubectl assay export %s has every number of all of them.",
			len(v.Details), message.Several(measured, "node"), v.Name)
	}
	return nil
}

// rendered is a node as HTML; packed, it takes a fifth of the bytes, and its numbers need JavaScript.
func rendered(d detail, packed bool) (template.HTML, error) {
	name := "node"
	if packed {
		var inner bytes.Buffer
		zip := gzip.NewWriter(&inner)
		shown := &visible{to: zip}
		if err := templates.ExecuteTemplate(shown, "inside", d); err != nil {
			return "", err
		}
		if err := errors.Join(shown.close(), zip.Close()); err != nil {
			return "", err
		}
		name, d.Packed = "packed", base64.StdEncoding.EncodeToString(inner.Bytes())
	}
	var out bytes.Buffer
	err := templates.ExecuteTemplate(&out, name, d)
	return template.HTML(out.String()), err //nolint:gosec // what the template wrote is escaped
}

func newDetail(id string, n *report.Node, r *v1alpha1.ValidationResult, i int) detail {
	d := detail{Node: n, ID: id, Open: i < openDetails && n.Verdict == v1alpha1.VerdictFail}
	d.Lines = list.Where([]string{n.Message, n.Note}, func(line string) bool { return line != "" })
	var devices []string
	for b := range list.Each(r.Benchmarks) {
		found := benchmarkDetail{BenchmarkResult: b}
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
	d := attemptDetail{Title: attemptTitle(a), Message: a.Message, Grids: grids(a.Measurements), Telemetry: grids(a.Telemetry), Notes: a.Notes, Facts: factRows(a.Facts)}
	for _, c := range a.Checks {
		how := "ok"
		if !c.OK {
			how = "wrong"
		}
		d.Checks = append(d.Checks, strings.TrimSuffix(c.Name+": "+how+", "+c.Message, ", "))
	}
	d.Devices = list.Map(a.Devices, func(d v1alpha1.Device) string {
		return strings.TrimSpace(fmt.Sprintf("gpu%d %s %s", d.Index, d.UUID, d.Product))
	})
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
		all = append(all, when(&a.StartTime.Time))
		if a.EndTime != nil {
			all = append(all, quantity.Format(a.EndTime.Sub(a.StartTime.Time).Seconds(), "s"))
		}
	}
	return strings.Join(all, " · ")
}

func factRows(all []v1alpha1.Fact) []factRow {
	return list.Map(list.Groups(all, func(f v1alpha1.Fact) string { return f.Name }), func(alike []v1alpha1.Fact) factRow {
		values := list.Map(alike, func(f v1alpha1.Fact) string { return strings.TrimPrefix(f.At+" "+f.Value, " ") })
		return factRow{alike[0].Name, strings.Join(values, ", ")}
	})
}
