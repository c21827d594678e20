package recentwrites

import (
	"sync"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/result"
)

// maxInterned bounds the table, which starts anew when it is full: what pods report may be anything.
const maxInterned = 1 << 14

// Interner keeps one copy of each name, unit and verdict, of which thousands of nodes' results are full.
type Interner struct {
	mu    sync.Mutex
	known map[string]string
	pack  *result.Packer
}

// NewInterner knows nothing yet.
func NewInterner() *Interner { return &Interner{known: map[string]string{}, pack: result.NewPacker()} }

// text returns the one copy of a text.
func (i *Interner) text(s string) string {
	if known, ok := i.known[s]; ok {
		return known
	}
	if len(i.known) == maxInterned {
		clear(i.known)
	}
	i.known[s] = s
	return s
}

func share[T ~string](i *Interner, texts ...*T) {
	for _, s := range texts {
		*s = T(i.text(string(*s)))
	}
}

// Labels returns a copy of them.
func (i *Interner) Labels(labels map[string]string) map[string]string {
	i.mu.Lock()
	defer i.mu.Unlock()
	out := make(map[string]string, len(labels))
	for k, v := range labels {
		out[i.text(k)] = i.text(v)
	}
	return out
}

// Result returns a copy that takes as little memory as it can: without room to spare in its lists, and without managed fields.
func (i *Interner) Result(v *v1alpha1.ValidationResult) *result.Packed {
	v = v.DeepCopy()
	v.ManagedFields = nil
	v.Labels = i.Labels(v.Labels)
	i.mu.Lock()
	defer i.mu.Unlock()
	devices := NewInterner() // of one node, which has no room in the table
	var machines []*v1alpha1.Machine
	share(i, &v.Run.Name)
	share(i, &v.Run.UID)
	share(i, &v.Verdict)
	share(i, &v.Reason)
	for b := range v.Benchmarks {
		bench := &v.Benchmarks[b]
		share(i, &bench.Verdict)
		share(i, &bench.Name, &bench.Reason)
		for h := range bench.Headline {
			line := &bench.Headline[h]
			share(i, &line.Benchmark, &line.Metric, &line.Unit, &line.At)
			share(i, &line.Verdict)
		}
		for f := range bench.Findings {
			finding := &bench.Findings[f]
			share(i, &finding.Metric, &finding.At, &finding.Rule)
			share(i, &finding.Verdict)
		}
		for a := range bench.Attempts {
			i.attempt(&bench.Attempts[a], devices)
			bench.Attempts[a].Machine = i.machine(bench.Attempts[a].Machine, devices, &machines)
		}
	}
	return i.pack.Pack(v)
}

func (i *Interner) attempt(a *v1alpha1.Attempt, devices *Interner) {
	share(i, &a.Verdict)
	share(i, &a.Reason, &a.ImageID, &a.Version)
	for _, measurements := range [][]v1alpha1.Measurement{a.Measurements, a.Telemetry} {
		for m := range measurements {
			share(i, &measurements[m].Name, &measurements[m].Unit)
			share(i, &measurements[m].Better)
			for p := range measurements[m].Parts {
				share(i, &measurements[m].Parts[p].At)
			}
		}
	}
	for f := range a.Facts { // their values are shared where they are packed
		share(i, &a.Facts[f].Name, &a.Facts[f].At)
	}
	for d := range a.Devices {
		share(devices, &a.Devices[d].UUID)
		share(i, &a.Devices[d].Product)
	}
}

// Validation returns a copy that takes as little memory as it can.
func (i *Interner) Validation(v *v1alpha1.NodeValidation) *v1alpha1.NodeValidation {
	v = v.DeepCopy()
	v.ManagedFields = nil
	i.mu.Lock()
	defer i.mu.Unlock()
	for b := range v.Benchmarks {
		bench := &v.Benchmarks[b]
		share(i, &bench.Name)
		for h := range bench.History {
			entry := &bench.History[h]
			share(i, &entry.Run, &entry.Configuration)
			share(i, &entry.RunUID)
			share(i, &entry.Verdict)
			for n := range entry.Values {
				share(i, &entry.Values[n].Metric, &entry.Values[n].Unit)
			}
		}
	}
	return v
}

// Trimmed makes a NodeValidation of which the cache keeps those of all nodes as small as it can. It is changed: nobody may know it yet. The
// table has what all nodes share; what only the benchmarks of one node share, its runs and boots, it has no room for.
func (i *Interner) Trimmed(v *v1alpha1.NodeValidation) {
	i.mu.Lock()
	defer i.mu.Unlock()
	own := NewInterner()
	var machines []*v1alpha1.Machine
	share(i, &v.Verdict)
	share(own, &v.Fingerprint.BootID)
	share(i, &v.Fingerprint.Kernel, &v.Fingerprint.Driver)
	share(own, &v.LastRun.Name)
	share(own, &v.LastRun.UID)
	if p := v.Proof; p != nil {
		share(i, &p.Verdict)
		share(own, &p.Run.Name)
		share(own, &p.Run.UID)
	}
	for b := range v.Benchmarks {
		bench := &v.Benchmarks[b]
		share(i, &bench.Name)
		share(i, &bench.Verdict)
		for h := range bench.History {
			e := &bench.History[h]
			share(own, &e.Run)
			share(own, &e.RunUID)
			share(i, &e.Verdict)
			share(i, &e.Asked)
			e.Machine = i.machine(e.Machine, own, &machines)
			for n := range e.Values {
				share(i, &e.Values[n].Metric, &e.Values[n].Unit)
			}
		}
		for n := range bench.Unproved {
			u := &bench.Unproved[n]
			share(own, &u.RunUID)
			share(i, &u.Verdict)
			share(i, &u.Reason, &u.Asked)
			u.Machine = i.machine(u.Machine, own, &machines)
		}
	}
}

// machine is the first of those that say the same.
func (i *Interner) machine(m *v1alpha1.Machine, own *Interner, known *[]*v1alpha1.Machine) *v1alpha1.Machine {
	if m == nil {
		return nil
	}
	for _, k := range *known {
		if *k == *m {
			return k
		}
	}
	share(own, &m.BootID)
	share(i, &m.Kernel, &m.Driver, &m.Devices, &m.Fabric)
	*known = append(*known, m)
	return m
}
