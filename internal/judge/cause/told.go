package cause

import (
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// InNumbers is a value with what is typical and the bound, as far as they are known, in one unit.
func InNumbers(n *v1alpha1.RuleNumbers) string {
	var all []string
	values := []*float64{quantity.Known(n.Value), quantity.Known(n.Typical), quantity.Known(n.Bound)}
	scale := quantity.ScaleOf(n.Unit, values...)
	for i, v := range values {
		if v != nil {
			all = append(all, []string{"", "typical ", "bound "}[i]+scale.Format(*v))
		}
	}
	return strings.Join(all, ", ")
}

// Between is what a finding between nodes comes from.
func Between(f *v1alpha1.FabricFinding) Fault {
	kind, known := map[string]Kind{"Link": Path, "Boundary": Switch}[f.Kind]
	if !known {
		kind = NotKnown
	}
	return Fault{Kind: kind, Sure: known, At: strings.Join(f.Members, "-")}
}

// Told is a fault in words, for whoever has to mend it.
type Told struct {
	Cause Kind `json:"cause"`
	// Sure: a sensor, the driver or a fact says so. Otherwise it fits the numbers, and nothing else that is known does.
	Sure bool `json:"sure"`
	// At is the part. Empty: the node as a whole.
	At    string   `json:"at,omitempty"`
	UUIDs []string `json:"uuids,omitempty"`
	// Serial number and Slot of its only GPU.
	Serial string `json:"serial,omitempty"`
	Slot   string `json:"slot,omitempty"`
	// Message says what it is, and what tells that.
	Message string `json:"message"`
	// Action is what to do, and Command shows or mends it, on the node.
	Action  string `json:"action"`
	Command string `json:"command,omitempty"`
	// Findings that it explains, in words: of each metric the worst.
	Findings []string `json:"findings"`
}

// Told of a node with this name.
func (f *Fault) Told(node string) Told {
	return Told{f.Kind, f.Sure, f.At, f.UUIDs, f.Serial, f.Slot, f.Says(node), f.Action(), f.command(), f.Findings()}
}

// Hardware is where the GPU is and what is printed on it: "serial 1654024000000, slot 0000:00:06.0"; empty: not known.
func (t *Told) Hardware() string {
	var known []string
	if t.Serial != "" {
		known = append(known, "serial "+t.Serial)
	}
	if t.Slot != "" {
		known = append(known, "slot "+t.Slot)
	}
	return strings.Join(known, ", ")
}
