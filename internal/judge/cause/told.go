package cause

import "strings"

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
