// Package export is runs with everything that is known of them, as a file that stands wherever a run does: it is read back as it was
// written, on another cluster or years later. It is pure, and judges nothing.
package export

import (
	"github.com/assay-dev/assay/api/v1alpha1"
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
	Result(*v1alpha1.ValidationResult) error
	Validation(*v1alpha1.NodeValidation) error
	History(*v1alpha1.NodeHistory) error
	// Places of the nodes, after all else.
	Places(Places) error
	// Close says that all was there.
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

// Result keeps one of the run that was begun last.
func (c *Collected) Result(r *v1alpha1.ValidationResult) error {
	last := &c.Runs[len(c.Runs)-1]
	last.Results = append(last.Results, *r)
	return nil
}

// Validation keeps one of a node of the run that was begun last.
func (c *Collected) Validation(v *v1alpha1.NodeValidation) error {
	last := &c.Runs[len(c.Runs)-1]
	last.Validations = append(last.Validations, *v)
	return nil
}

// History keeps one of a node of the run that was begun last.
func (c *Collected) History(h *v1alpha1.NodeHistory) error {
	last := &c.Runs[len(c.Runs)-1]
	last.Histories = append(last.Histories, *h)
	return nil
}

// Places keeps those of the run that was begun last.
func (c *Collected) Places(p Places) error {
	c.Runs[len(c.Runs)-1].Places = p
	return nil
}

// Close has nothing to do.
func (c *Collected) Close() error { return nil }

// Pour a run into a sink.
func (r *Run) Pour(to Sink) error {
	if err := to.Begin(r.Cluster, r.Run, r.Catalogue); err != nil {
		return err
	}
	for i := range r.Results {
		if err := to.Result(&r.Results[i]); err != nil {
			return err
		}
	}
	for i := range r.Validations {
		if err := to.Validation(&r.Validations[i]); err != nil {
			return err
		}
	}
	for i := range r.Histories {
		if err := to.History(&r.Histories[i]); err != nil {
			return err
		}
	}
	if len(r.Places) > 0 {
		return to.Places(r.Places)
	}
	return nil
}
