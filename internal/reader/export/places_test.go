package export

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

// TestTheLabelOfPlaces: what a user names, else what the Benchmarks do, else what is usual and tells nodes apart.
func TestTheLabelOfPlaces(t *testing.T) {
	const rack, zone = "topology.kubernetes.io/rack", "topology.kubernetes.io/zone"
	leaf := &catalogue.Snapshot{Benchmarks: []catalogue.Benchmark{{Spec: v1alpha1.BenchmarkSpec{Group: &v1alpha1.Group{Topology: "site/leaf"}}}, {}}}
	two := Places{"a": {rack: "r1", zone: "z", "site/leaf": "l1", "x": "1"}, "b": {rack: "r2", zone: "z", "site/leaf": "l2"}}
	for sentence, c := range map[string]struct {
		places  Places
		named   string
		started *catalogue.Snapshot
		want    string
	}{
		"the rack":                             {two, "", nil, rack},
		"what the Benchmarks go by":            {two, "", leaf, "site/leaf"},
		"what is named, also if all are alike": {two, zone, leaf, zone},
		"what is named and one node has":       {two, "x", leaf, "x"},
		"what is named and no node has":        {two, "y", leaf, ""},
		"all in one rack":                      {Places{"a": {rack: "r1", zone: "z1"}, "b": {rack: "r1", zone: "z2"}}, "", leaf, zone},
		"nothing is known":                     {nil, "", leaf, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := c.places.Label(c.named, c.started); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
