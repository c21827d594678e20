package nodevalidation

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// What is known of a node takes at most 768 KiB as JSON, half of what etcd takes: convictions have their share (maxConvictionBytes), and all else
// has this one.
const (
	maxKnownBytes = 576 << 10
	bytesPerEntry = 320 // of JSON beside its texts
	bytesPerValue = 48
)

// piece of what is known of a node that can be forgotten.
type piece struct {
	at    metav1.Time
	run   string
	last  int // what goes last has the greatest
	size  int
	forgo func()
}

// fit forgets what was measured longest ago until the rest fits into one object: what parts reached and which rules were held, first of all but the
// newest measurements; then messages; at last whole benchmarks. It goes by the time of measurement alone, so that all runs forget the same.
func fit(nv *v1alpha1.NodeValidation) {
	size := sizeOfAll(nv)
	if size <= maxKnownBytes {
		return
	}
	var pieces []piece
	for i := range nv.Benchmarks {
		pieces = append(pieces, piecesOf(&nv.Benchmarks[i])...)
	}
	slices.SortStableFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.last, b.last), a.at.Compare(b.at.Time), cmp.Compare(a.run, b.run))
	})
	for _, p := range pieces {
		if size <= maxKnownBytes {
			break
		}
		p.forgo()
		size -= p.size
	}
	for i := range nv.Benchmarks {
		h := &nv.Benchmarks[i]
		h.Passes = slices.DeleteFunc(h.Passes, func(p v1alpha1.PassHistory) bool { return len(p.Runs) == 0 })
		if len(h.Passes) == 0 {
			h.Passes = nil
		}
	}
	nv.Benchmarks = slices.DeleteFunc(nv.Benchmarks, func(h v1alpha1.BenchmarkHistory) bool { return h.Name == "" })
}

func piecesOf(h *v1alpha1.BenchmarkHistory) (pieces []piece) {
	newest, run := metav1.Time{}, ""
	for i := range h.History {
		e := &h.History[i]
		newest, run = e.Time, string(e.RunUID)
		last := 0
		if i == len(h.History)-1 {
			last = 1
		}
		pieces = append(pieces, piece{e.Time, run, last, sizeOfDetails(e), func() {
			e.HeldMore += int32(len(e.Held))
			e.Held, e.Unconfirmed, e.Values = nil, nil, nil
		}})
	}
	for i := range h.Passes {
		p := &h.Passes[i]
		r := p.Runs[len(p.Runs)-1]
		pieces = append(pieces, piece{r.Time, string(r.RunUID), 0, sizeOfRing(p), func() { *p = v1alpha1.PassHistory{} }})
	}
	texts := quoted(h.Message) + sizeOfWarnings(h)
	rest := sizeOfRest(h)
	return append(pieces, piece{newest, run, 2, texts, func() { h.Message, h.Warnings = "", nil }},
		piece{newest, run, 3, rest, func() { *h = v1alpha1.BenchmarkHistory{} }})
}

// sizeOfAll that is known of a node but for convictions: at least as many bytes as its JSON has.
func sizeOfAll(nv *v1alpha1.NodeValidation) int {
	size := 4*bytesPerEntry + quoted(nv.Message)
	for _, uuid := range nv.Fingerprint.DeviceUUIDs {
		size += bytesPerValue + quoted(uuid)
	}
	for i := range nv.Benchmarks {
		h := &nv.Benchmarks[i]
		size += sizeOfRest(h) + quoted(h.Message) + sizeOfWarnings(h)
		for k := range h.History {
			size += sizeOfDetails(&h.History[k])
		}
		for k := range h.Passes {
			size += sizeOfRing(&h.Passes[k])
		}
	}
	return size
}

// sizeOfRest of a benchmark: what stays of it until it is forgotten altogether.
func sizeOfRest(h *v1alpha1.BenchmarkHistory) int {
	size := bytesPerEntry + quoted(h.Name)
	for i := range h.History {
		e := &h.History[i]
		size += bytesPerEntry + quoted(e.Run) + len(e.RunUID) + len(e.Configuration) + len(e.Asked)
		size += sizeOfMachine(e.Machine)
	}
	for i := range h.Unproved {
		u := &h.Unproved[i]
		size += bytesPerEntry + len(u.RunUID) + quoted(u.Reason) + len(u.Asked) + sizeOfMachine(u.Machine)
	}
	return size
}

func sizeOfMachine(m *v1alpha1.Machine) int {
	if m == nil {
		return 0
	}
	return quoted(m.BootID) + quoted(m.Kernel) + quoted(m.Driver) + quoted(m.Devices) + quoted(m.Fabric)
}

func sizeOfDetails(e *v1alpha1.HistoryEntry) (size int) {
	for i := range e.Held {
		size += sizeOfHeld(&e.Held[i])
	}
	for i := range e.Unconfirmed {
		u := &e.Unconfirmed[i]
		size += 2*bytesPerValue + quoted(u.Metric) + quoted(u.At) + quoted(u.Identity)
	}
	for i := range e.Values {
		size += bytesPerValue + quoted(e.Values[i].Metric) + quoted(e.Values[i].Unit) + len(e.Values[i].Value)
	}
	return size
}

func sizeOfHeld(r *v1alpha1.HeldRule) int {
	size := 2*bytesPerValue + quoted(r.Metric) + quoted(r.Rule) + len(r.Limit) + len(r.Value)
	for i := range r.Kinds {
		size += bytesPerValue + quoted(r.Kinds[i].Kind) + len(r.Kinds[i].Value)
	}
	return size
}

func sizeOfWarnings(h *v1alpha1.BenchmarkHistory) (size int) {
	for i := range h.Warnings {
		w := &h.Warnings[i]
		size += 3*bytesPerValue + quoted(w.Metric) + quoted(w.At) + quoted(w.Rule) + quoted(w.Message)
	}
	return size
}

func sizeOfConviction(c *v1alpha1.Conviction) int {
	return bytesPerEntry + quoted(c.Benchmark) + quoted(c.Metric) + quoted(c.Rule) + quoted(c.At) + quoted(c.Unit) + quoted(c.Expected) + quoted(c.Configuration) +
		quoted(c.Run.Name)
}

// quoted is how many bytes JSON takes for a text at most, as Kubernetes writes it.
func quoted(s string) (n int) {
	for i := range len(s) {
		n += int(bytesOf[s[i]])
	}
	return n
}

// bytesOf a byte of a text in JSON: those of two separators of lines become six together.
var bytesOf = func() (all [256]uint8) {
	for b := range all {
		switch {
		case b == '"' || b == '\\' || b >= 0x80:
			all[b] = 2
		case b < ' ' || b == '<' || b == '>' || b == '&':
			all[b] = 6
		default:
			all[b] = 1
		}
	}
	return all
}()
