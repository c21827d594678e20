// Package export is runs with everything that is known of them, as a file that stands wherever a run does: it is read back as it was
// written, on another cluster or years later. It is pure, and judges nothing.
package export

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

// Schema names the shape of a saved file. Fields may be added to it; none changes its name or its meaning.
const Schema = "assay.dev/export/v1"

// Run is a ValidationRun and what is known of it. Only the run itself must be there.
type Run struct {
	// Cluster where it ran: the name of the kubeconfig's cluster, or what the user called it. Empty: not known.
	Cluster string
	Run     *v1alpha1.ValidationRun
	// Results of its nodes and groups.
	Results []v1alpha1.ValidationResult
	// Validations of its nodes: what holds of them, and the taints they carry. Histories are their past.
	Validations []v1alpha1.NodeValidation
	Histories   []v1alpha1.NodeHistory
	// Places of its nodes. Empty: not known.
	Places Places
	// Catalogue that it was started with. Nil: not known.
	Catalogue *catalogue.Snapshot
}

// Sink takes runs one after the other, piece by piece, so that nobody need hold a large one.
type Sink interface {
	// Begin a run. What follows, up to the next one, belongs to it. The snapshot is nil where the catalogue is not known.
	Begin(cluster string, run *v1alpha1.ValidationRun, started *catalogue.Snapshot) error
	Add(Piece) error
}

// Piece of what is known of a run: one of these.
type Piece struct {
	Result     *v1alpha1.ValidationResult `json:"result,omitempty"`
	Validation *v1alpha1.NodeValidation   `json:"validation,omitempty"`
	History    *v1alpha1.NodeHistory      `json:"history,omitempty"`
	// Places of the nodes, after all else.
	Places Places `json:"places,omitempty"`
}

// Writer is a Sink that writes what it takes; Close writes the end.
type Writer interface {
	Sink
	Close() error
}

// Collected is a Sink that keeps all.
type Collected struct{ Runs []Run }

var _ Sink = (*Collected)(nil)

// Begin keeps a run.
func (c *Collected) Begin(cluster string, run *v1alpha1.ValidationRun, started *catalogue.Snapshot) error {
	c.Runs = append(c.Runs, Run{Cluster: cluster, Run: run, Catalogue: started})
	return nil
}

// Add to the run that was begun last.
func (c *Collected) Add(p Piece) error {
	last := &c.Runs[len(c.Runs)-1]
	switch {
	case p.Result != nil:
		last.Results = append(last.Results, *p.Result)
	case p.Validation != nil:
		last.Validations = append(last.Validations, *p.Validation)
	case p.History != nil:
		last.Histories = append(last.Histories, *p.History)
	default:
		last.Places = p.Places
	}
	return nil
}

// Pour a run into a sink.
func (r *Run) Pour(to Sink) error {
	if err := to.Begin(r.Cluster, r.Run, r.Catalogue); err != nil {
		return err
	}
	var all []Piece
	for v := range list.Each(r.Results) {
		all = append(all, Piece{Result: v})
	}
	for v := range list.Each(r.Validations) {
		all = append(all, Piece{Validation: v})
	}
	for h := range list.Each(r.Histories) {
		all = append(all, Piece{History: h})
	}
	if len(r.Places) > 0 {
		all = append(all, Piece{Places: r.Places})
	}
	for _, p := range all {
		if err := to.Add(p); err != nil {
			return err
		}
	}
	return nil
}
