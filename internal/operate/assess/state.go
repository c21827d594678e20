package assess

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
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

// final: there is a verdict and nothing more to measure.
func (n *judgedNode) final() bool { return n.verdict != v1alpha1.VerdictPending }

func (n *concludedNode) final() bool { return n.verdict != v1alpha1.VerdictPending }

// attempts of a task: without what they measured, unless they are to be written.
func (n *collectedNode) attempts(name string) []v1alpha1.Attempt {
	if b := n.benchmark(name); b != nil {
		return b.Attempts
	}
	return nil
}

func (n *collectedNode) benchmark(name string) *v1alpha1.BenchmarkResult {
	if n.result == nil {
		return nil
	}
	return n.result.Benchmark(name)
}

// whole is the result with all that was measured. Nobody keeps it that does not write it: thousands of results at once would be a thousand times their
// packed size.
func (n *collectedNode) whole() *v1alpha1.ValidationResult {
	if n.changed || n.packed == nil {
		return n.result
	}
	return n.packed.Whole()
}

// measuredBy a task: its row with all that was measured; nil: there is none.
func (n *collectedNode) measuredBy(name string) *v1alpha1.BenchmarkResult {
	if n.changed || n.packed == nil {
		return n.benchmark(name)
	}
	return n.packed.Benchmark(name)
}

// tainted: the node carries the taint that Assay remembers to have put there.
func (n *observedNode) tainted() bool {
	return n.node != nil && n.validation != nil && taint.Carries(n.node, n.validation.Quarantine)
}

func (n *concludedNode) tainted() bool { return n.carriesTaint }
