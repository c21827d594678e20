package observe

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unique"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/list"
)

// maxKnown is how many nodes of one kind a benchmark is compared with at most, beside the run's own: those that passed last. More would
// not make the comparison any sharper, and a run holds them until it is over.
const maxKnown = 256

// Known is what a node of the cluster reached when it last passed a benchmark in one configuration.
type Known struct {
	Benchmark string
	NodeUID   types.UID
	// kind of measurement: only like ones are compared. Thousands of nodes are of one.
	kind unique.Handle[string]
	fleet.Digest
}

// KnownOf reads what a node reached by each benchmark, in each configuration.
func KnownOf(h *v1alpha1.NodeHistory) []Known {
	var known []Known
	for i := range h.Benchmarks {
		b := &h.Benchmarks[i]
		for p := range b.Passes {
			k := Known{Benchmark: b.Name, NodeUID: h.NodeUID, kind: kindOf(b.Name, &b.Passes[p]), Digest: fleet.DigestPasses(&b.Passes[p])}
			k.Node = h.Name
			known = append(known, k)
		}
	}
	return known
}

// Healthy says whether what a node reached by a benchmark tells of healthy hardware: it passed last, and does not stand convicted by it.
func Healthy(v *v1alpha1.NodeValidation, benchmark string) bool {
	b := v.Benchmark(benchmark)
	return b != nil && len(b.History) > 0 && b.History[len(b.History)-1].Verdict == v1alpha1.VerdictPass &&
		!slices.ContainsFunc(v.Convictions, func(c v1alpha1.Conviction) bool { return c.Benchmark == benchmark })
}

// kindOf a measurement: the benchmark, its configuration, and what it measured.
func kindOf(benchmark string, p *v1alpha1.PassHistory) unique.Handle[string] {
	products := list.Map(p.Devices, func(d v1alpha1.Device) string { return d.Product })
	slices.Sort(products)
	return unique.Make(strings.Join(append([]string{benchmark, p.Configuration}, products...), "\n"))
}

// KnownFleet is what the run is compared with beside its own nodes: what nodes that are still the same machines reached, no longer ago than
// maxAge. A node that is being deleted has no say.
func (in *Input) KnownFleet(known []Known, maxAge time.Duration) []Known {
	current := make(map[types.UID]*corev1.Node, len(in.Nodes))
	for _, n := range in.Nodes {
		if n.DeletionTimestamp.IsZero() {
			current[n.UID] = n
		}
	}
	fleet := slices.DeleteFunc(slices.Clone(known), func(k Known) bool {
		asked := slices.ContainsFunc(in.Tasks, func(t Task) bool { return t.Name() == k.Benchmark && !t.IsGroup() })
		n := current[k.NodeUID]
		return !asked || n == nil || n.Name != k.Node || in.Now.Sub(k.Time) > maxAge
	})
	for i := range fleet {
		fleet[i].Digest = fleet[i].On(HostOf(current[fleet[i].NodeUID]))
	}
	slices.SortFunc(fleet, func(a, b Known) int {
		return cmp.Or(cmp.Compare(a.kind.Value(), b.kind.Value()), cmp.Compare(a.Host, b.Host), b.Time.Compare(a.Time), cmp.Compare(a.Node, b.Node))
	})
	seen, count := [2]string{}, 0
	fleet = slices.DeleteFunc(fleet, func(k Known) bool {
		if kind := [2]string{k.kind.Value(), k.Host}; kind != seen {
			seen, count = kind, 0
		}
		count++
		return count > maxKnown
	})
	return slices.Clip(fleet)
}

// Known are the digests of one task.
func (s *Observed) Known(i int) []*fleet.Digest {
	var digests []*fleet.Digest
	for j := range s.Input.Known {
		if k := &s.Input.Known[j]; k.Benchmark == s.Tasks[i].Name() {
			digests = append(digests, &k.Digest)
		}
	}
	return digests
}
