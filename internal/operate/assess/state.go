package assess

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// record is what a result of the run, of a node or a group, is to become.
type record struct {
	result *v1alpha1.ValidationResult
	// changed: it has to be written, and has all that was measured.
	changed bool
}

// replace what the result is to become.
func (r *record) replace(next *v1alpha1.ValidationResult) {
	r.result, r.changed = next, true
}

// own gives the record a result that nobody else has, if it has one to be written.
func (r *record) own() {
	if r.changed {
		r.result = r.result.DeepCopy()
	}
}

// soon remembers the earliest time at which the run has to be looked at; zero: none.
func soon(recheck *time.Time, at time.Time) {
	if !at.IsZero() && (recheck.IsZero() || at.Before(*recheck)) {
		*recheck = at
	}
}

// inOrder are the values of a table by their keys, in an order that is the same in every pass.
func inOrder[V any](table map[string]V) []V {
	out := make([]V, 0, len(table))
	for _, key := range slices.Sorted(maps.Keys(table)) {
		out = append(out, table[key])
	}
	return out
}

// find a node of the run by its name; the zero value where it is none.
func find[N interface{ is() string }](nodes []N, name string) (n N) {
	i, found := slices.BinarySearchFunc(nodes, name, func(n N, name string) int { return cmp.Compare(n.is(), name) })
	if !found {
		return n
	}
	return nodes[i]
}

func (n *observedNode) is() string { return n.name }
