// Package cause says what is wrong with a node that failed, as far as what was recorded tells one cause from another: by what its sensors,
// its driver and its facts say, by its other parts, and by which parts and metrics are slow. It judges nothing: what failed, failed before.
// Where two causes look alike in the record they are one, and where none fits the cause is not known. It is pure.
package cause

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
)

// Fault is one thing that is wrong with a node.
type Fault struct {
	Kind Kind
	// Sure: a sensor, the driver or a fact says so. Otherwise it fits the numbers, and nothing else that is known does.
	Sure bool
	// At is the part: gpu1, gpu0->*, gpu2-gpu3. Empty: the node.
	At string
	// UUIDs of the GPUs that it is about.
	UUIDs []string
	// Serial and Slot of its only GPU, as far as they are known: what a technician looks for.
	Serial, Slot string
	// Why is what tells the cause: "at 1.39 GHz and 76 C, the others at 1.98 GHz and 64 C". It may be empty.
	Why string
	// Broken are the rules that it explains, worst first.
	Broken []Broken
	from   domain
}

// Broken is a rule that a benchmark found broken.
type Broken struct {
	Benchmark string
	*v1alpha1.Finding
	measured int // attempts
}

// Of a result are the faults of its node, in the order in which their worst findings stand.
func Of(r *v1alpha1.ValidationResult) []Fault {
	fails := func(f v1alpha1.Finding) bool {
		return f.Verdict == v1alpha1.VerdictFail || f.Verdict == v1alpha1.VerdictMissing
	}
	if !slices.ContainsFunc(r.Benchmarks, func(b v1alpha1.BenchmarkResult) bool { return slices.ContainsFunc(b.Findings, fails) }) {
		return nil // as nearly always
	}
	n := recordOf(r)
	var all []Fault
	for _, s := range n.suspects() {
		f := s.fault()
		f.Serial, f.Slot = n.facts["gpuSerial"][f.At], n.facts["pciAddress"][f.At]
		f.UUIDs, f.Broken = part.UUIDs(f.At, n.devices), s.broken
		all = append(all, f)
	}
	return together(all)
}

// together are faults of which each is told once: those of one kind at one part, and slow collectives and applications, of which nothing tells a
// cause, beside the only slow part.
func together(all []Fault) (out []Fault) {
	for _, f := range all {
		i := slices.IndexFunc(out, func(o Fault) bool { return o.Kind == f.Kind && o.At == f.At && (f.Kind != Setting || o.Why == f.Why) })
		if i < 0 {
			out = append(out, f)
			continue
		}
		if f.Sure && !out[i].Sure {
			out[i].Sure, out[i].Why = true, f.Why
		}
		out[i].Why = cmp.Or(out[i].Why, f.Why)
		out[i].Broken = append(out[i].Broken, f.Broken...)
	}
	var slow []int
	for i, f := range out {
		if slices.Contains([]domain{compute, memory, hostLink, peerLink}, f.from) {
			slow = append(slow, i)
		}
	}
	if len(slow) != 1 {
		return out
	}
	follows := func(f Fault) bool { return f.from == several && f.Kind == NotKnown && len(part.Read(f.At).GPUs) == 0 }
	for _, f := range out {
		if follows(f) {
			out[slow[0]].Broken = append(out[slow[0]].Broken, f.Broken...)
		}
	}
	return slices.DeleteFunc(out, follows)
}
