package page

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/internal/reader/report"
)

// Runs is an export.Sink that keeps of runs what a page shows: the numbers for its charts, and each node's result in a tenth of the bytes, until
// it is known which of them there is room for. A run of 5,000 nodes would not fit into memory otherwise.
type Runs struct {
	// GroupBy is the label by which nodes are laid out. Empty: the first that tells where they stand.
	GroupBy string
	all     []*gathered
}

var _ export.Sink = (*Runs)(nil)

// gathered is what is known of one run.
type gathered struct {
	// Run with what a report needs of its results.
	export.Run
	numbers *collection
	groups  []*v1alpha1.ValidationResult
	packed  map[string][]byte // results by node
	packer  *gzip.Writer
	before  map[string]*report.Before
}

// Begin a run.
func (rs *Runs) Begin(cluster string, run *v1alpha1.ValidationRun, started *catalogue.Snapshot) error {
	packer, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	rs.all = append(rs.all, &gathered{Run: export.Run{Cluster: cluster, Run: run, Catalogue: started}, numbers: newCollection(),
		packed: map[string][]byte{}, packer: packer, before: map[string]*report.Before{}})
	return nil
}

// Add what is known of the run that was begun last.
func (rs *Runs) Add(p export.Piece) error {
	g := rs.all[len(rs.all)-1]
	switch v := p.Validation; {
	case p.Result != nil:
		return g.add(p.Result)
	case v != nil && v.Quarantine != nil: // which nodes are tainted, and of which single devices are out of service, and why
		g.Validations = append(g.Validations, v1alpha1.NodeValidation{ObjectMeta: v.ObjectMeta, Quarantine: v.Quarantine, Fingerprint: v.Fingerprint,
			Convictions: v.Convictions})
	case p.History != nil:
		if b := report.BeforeRun(g.Run.Run.UID, p.History); b != nil {
			g.before[p.History.Name] = b
		}
	case p.Places != nil:
		g.Run.Places = p.Places
	}
	return nil
}

// add the result of a node or group.
func (g *gathered) add(r *v1alpha1.ValidationResult) error {
	g.Results = append(g.Results, report.Lean(r))
	switch {
	case r.Run.UID != g.Run.Run.UID:
	case r.Group != nil:
		g.groups = append(g.groups, r)
	default:
		g.numbers.collect(r)
		return g.pack(r)
	}
	return nil
}

// Sort the runs by their place in what somebody asked for.
func (rs *Runs) Sort(place func(cluster, run string) int) {
	slices.SortStableFunc(rs.all, func(a, b *gathered) int {
		return cmp.Compare(place(a.Cluster, a.Run.Run.Name), place(b.Cluster, b.Run.Run.Name))
	})
}

// Known is each run and where its nodes stand, without what was measured.
func (rs *Runs) Known() []export.Run {
	return list.Map(rs.all, func(g *gathered) export.Run {
		return export.Run{Cluster: g.Cluster, Run: g.Run.Run, Places: g.Run.Places}
	})
}

func (g *gathered) pack(r *v1alpha1.ValidationResult) error {
	var out bytes.Buffer
	g.packer.Reset(&out)
	if err := errors.Join(json.NewEncoder(g.packer).Encode(r), g.packer.Close()); err != nil {
		return fmt.Errorf("packing the result of %s: %w", r.Node.Name, err)
	}
	g.packed[r.Node.Name] = bytes.Clone(out.Bytes())
	return nil
}

// result of a node that has one.
func (g *gathered) result(node string) (*v1alpha1.ValidationResult, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(g.packed[node]))
	if err != nil {
		return nil, err
	}
	r := &v1alpha1.ValidationResult{}
	return r, json.NewDecoder(unpacked).Decode(r)
}

// wrongPart computed wrong data, so that its speed says nothing.
type wrongPart struct {
	node int32
	at   string
}

// addWrong takes the parts of attempts with wrong data whose node has no other value of them.
func (c *collection) addWrong(node int32, b *v1alpha1.BenchmarkResult) {
	all := calm(b)
	if !slices.ContainsFunc(all, attempt.WrongData) { // nearly always
		return
	}
	seen := map[[2]string]bool{}
	for _, a := range slices.Concat(counted(b), all) {
		for m, p := range export.Parts(a.Measurements) {
			if seen[[2]string{m.Name, p.At}] {
				continue
			}
			seen[[2]string{m.Name, p.At}] = true
			if attempt.WrongData(a) {
				key := seriesKey{b.Name, m.Name, part.Kind(p.At)}
				c.wrong[key] = append(c.wrong[key], wrongPart{node, p.At})
			}
		}
	}
}
