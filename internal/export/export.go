// Package export is runs with everything that is known of them, as a file that stands wherever a run does: it is read back as it was
// written, on another cluster or years later. It is pure, and judges nothing.
package export

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/catalogue"
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
	// Validations of its nodes: their past, and the taints they carry.
	Validations []v1alpha1.NodeValidation
	// Catalogue that it was started with. Nil: not known.
	Catalogue *catalogue.Snapshot
}
