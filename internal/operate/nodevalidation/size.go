package nodevalidation

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// sizeOfHistory is at least as many bytes as its JSON has.
func sizeOfHistory(h *v1alpha1.NodeHistory) int {
	size := bytesPerEntry
	for b := range list.Each(h.Benchmarks) {
		size += sizeOfRow(b) + list.Sum(b.Entries, sizeOfValues) + list.Sum(b.Held, sizeOfRules) + list.Sum(b.Unconfirmed, sizeOfParts) +
			list.Sum(b.Passes, sizeOfRing)
	}
	return size
}

// sizeOfRow is what stays of a benchmark's history until it is forgotten altogether.
func sizeOfRow(h *v1alpha1.BenchmarkHistory) int {
	return bytesPerEntry + quoted(h.Name) + sizeOfEntries(h.Entries)
}

func sizeOfEntries(entries []v1alpha1.HistoryEntry) (size int) {
	for e := range list.Each(entries) {
		size += bytesPerEntry + quoted(e.Run) + len(e.RunUID) + len(e.Configuration) + len(e.Asked) + sizeOfMachine(e.Machine)
	}
	return size
}

func sizeOfValues(e *v1alpha1.HistoryEntry) (size int) {
	for i := range e.Values {
		size += bytesPerValue + quoted(e.Values[i].Metric) + quoted(e.Values[i].Unit) + len(e.Values[i].Value)
	}
	return size
}

func sizeOfParts(u *v1alpha1.UnconfirmedParts) int {
	size := bytesPerEntry
	for i := range u.Parts {
		size += 2*bytesPerValue + quoted(u.Parts[i].Metric) + quoted(u.Parts[i].At) + quoted(u.Parts[i].Identity)
	}
	return size
}

func sizeOfRules(r *v1alpha1.HeldRules) int {
	return bytesPerEntry + list.Sum(r.Rules, sizeOfHeld)
}

func sizeOfHeld(r *v1alpha1.HeldRule) int {
	size := 2*bytesPerValue + quoted(r.Metric) + quoted(r.Rule) + len(r.Limit) + len(r.Value)
	for i := range r.Kinds {
		size += bytesPerValue + quoted(r.Kinds[i].Kind) + len(r.Kinds[i].Value)
	}
	return size
}

// sizeOfState but for convictions: at least as many bytes as its JSON has.
func sizeOfState(v *v1alpha1.NodeValidation) int {
	size := 4*bytesPerEntry + quoted(v.Message)
	for _, uuid := range v.Fingerprint.DeviceUUIDs {
		size += bytesPerValue + quoted(uuid)
	}
	if v.Quarantine != nil {
		for _, uuid := range v.Quarantine.Devices { // in its mark as well
			size += 2 * (bytesPerValue + 2*quoted(uuid))
		}
	}
	return size + list.Sum(v.Benchmarks, sizeOfProofs) + list.Sum(v.Benchmarks, sizeOfTexts) + list.Sum(v.Benchmarks, sizeOfAllValues)
}

func sizeOfProofs(b *v1alpha1.BenchmarkState) int {
	size := bytesPerEntry + quoted(b.Name) + sizeOfEntries(b.History)
	for u := range list.Each(b.Unproved) {
		size += bytesPerEntry + len(u.RunUID) + quoted(u.Reason) + len(u.Asked) + sizeOfMachine(u.Machine)
	}
	return size
}

func sizeOfAllValues(b *v1alpha1.BenchmarkState) int { return list.Sum(b.History, sizeOfValues) }

func sizeOfTexts(b *v1alpha1.BenchmarkState) int {
	size := quoted(b.Message)
	for w := range list.Each(b.Warnings) {
		size += 3*bytesPerValue + quoted(w.Metric) + quoted(w.At) + quoted(w.Rule) + quoted(w.Unit) + quoted(w.Message)
	}
	return size
}

func sizeOfMachine(m *v1alpha1.Machine) int {
	if m == nil {
		return 0
	}
	return quoted(m.BootID) + quoted(m.Kernel) + quoted(m.Driver) + quoted(m.Devices) + quoted(m.Fabric)
}

func sizeOfConviction(c *v1alpha1.Conviction) int {
	size := 0
	for _, uuid := range c.Devices {
		size += bytesPerValue + quoted(uuid)
	}
	return size + bytesPerEntry + quoted(c.Benchmark) + quoted(c.Metric) + quoted(c.Rule) + quoted(c.At) + quoted(c.Unit) + quoted(c.Expected) + quoted(c.Configuration) +
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
