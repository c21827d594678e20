package export

import (
	"slices"

	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

// Places are the labels of nodes that tell where they stand, by the nodes' names.
type Places map[string]map[string]string

// placeLabels tell where a node stands, the nearest first: its rack, and the switches above it.
var placeLabels = []string{"topology.kubernetes.io/rack", "network.topology.nvidia.com/leaf", "network.topology.nvidia.com/spine", "topology.kubernetes.io/zone"}

// PlaceLabels are those that are looked at: what a user names (empty: nothing), what the Benchmarks name, and what is usual.
func PlaceLabels(named string, started *catalogue.Snapshot) (all []string) {
	add := func(label string) {
		if label != "" && !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	add(named)
	if started != nil {
		for b := range list.Each(started.Benchmarks) {
			if g := b.Spec.Group; g != nil {
				add(g.Topology)
			}
		}
	}
	for _, label := range placeLabels {
		add(label)
	}
	return all
}

// Label that tells most about where these nodes stand: the one that is named, if any of them has it, or else the first by which they differ. Empty:
// there is none.
func (p Places) Label(named string, started *catalogue.Snapshot) string {
	for _, label := range PlaceLabels(named, started) {
		values := map[string]bool{}
		for _, labels := range p {
			if v := labels[label]; v != "" {
				values[v] = true
			}
		}
		switch {
		case label == named && len(values) == 0:
			return ""
		case label == named || len(values) > 1:
			return label
		}
	}
	return ""
}
