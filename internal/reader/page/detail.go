package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	Benchmarks []v1alpha1.BenchmarkResult
	Packed     string
}

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
		if err := errors.Join(write(zip, "inside", d), zip.Close()); err != nil {
			return "", err
		}
		name, d.Packed = "packed", base64.StdEncoding.EncodeToString(inner.Bytes())
	}
	var out bytes.Buffer
	err := templates.ExecuteTemplate(&out, name, d)
	return template.HTML(out.String()), err //nolint:gosec // what the template wrote is escaped
}

func newDetail(id string, n *report.Node, r *v1alpha1.ValidationResult, i int) detail {
	var devices []v1alpha1.Device
	for b := range list.Each(r.Benchmarks) {
		for a := range list.Each(b.Attempts) {
			if slices.Equal(a.Devices, devices) { // as nearly always: said once
				a.Devices = nil
			} else {
				devices = a.Devices
			}
		}
	}
	return detail{Node: n, ID: id, Open: i < openDetails && n.Verdict == v1alpha1.VerdictFail, Benchmarks: r.Benchmarks}
}

// took says how long an attempt did.
func took(from, to *metav1.Time) string { return quantity.Format(to.Sub(from.Time).Seconds(), "s") }

// factsByName are those of one name together.
func factsByName(all []v1alpha1.Fact) [][]v1alpha1.Fact {
	return list.Groups(all, func(f v1alpha1.Fact) string { return f.Name })
}
