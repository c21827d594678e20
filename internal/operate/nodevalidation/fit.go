package nodevalidation

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// The history of a node takes at most 576 KiB as JSON, and its state 448 KiB: convictions have their share (maxConvictionBytes), and all else
// maxStateBytes. Programs name parts and checks as they like; most nodes take a tenth of the one, and a hundredth of the other.
const (
	maxHistoryBytes = 576 << 10
	maxStateBytes   = 256 << 10
	bytesPerEntry   = 320 // of JSON beside its texts
	bytesPerValue   = 48
)

// piece of what is known of a node that can be forgotten.
type piece struct {
	at    metav1.Time
	run   string
	of    string // its benchmark
	last  int    // what goes last has the greatest
	size  int
	forgo func()
}

// fit forgets what was measured longest ago until state and history fit into an object each. It goes by the time of measurement alone, so that
// all runs forget the same.
func fit(k Known) {
	forget(sizeOfHistory(k.History), maxHistoryBytes, func() (pieces []piece) {
		for i := range k.History.Benchmarks {
			pieces = append(pieces, piecesOfHistory(&k.History.Benchmarks[i])...)
		}
		return pieces
	})
	for h := range list.Each(k.History.Benchmarks) {
		h.Held = dropped(h.Held, func(r v1alpha1.HeldRules) bool { return len(r.Rules) == 0 })
		h.Unconfirmed = dropped(h.Unconfirmed, func(u v1alpha1.UnconfirmedParts) bool { return len(u.Parts) == 0 })
		h.Passes = dropped(h.Passes, func(p v1alpha1.PassHistory) bool { return len(p.Runs) == 0 })
	}
	forget(sizeOfState(k.Validation), maxStateBytes, func() (pieces []piece) {
		for i := range k.Validation.Benchmarks {
			pieces = append(pieces, piecesOfState(&k.Validation.Benchmarks[i])...)
		}
		return pieces
	})
	k.Validation.Benchmarks = slices.DeleteFunc(k.Validation.Benchmarks, func(b v1alpha1.BenchmarkState) bool { return b.Name == "" })
}

// forget pieces where the size is more than this. From what goes last on, each that still fits is kept: so a run that is judged again, and brings back what
// was forgotten of it, comes to the same.
func forget(size, most int, all func() []piece) {
	if size <= most {
		return
	}
	pieces := all()
	slices.SortStableFunc(pieces, func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.last, b.last), a.at.Compare(b.at.Time), cmp.Compare(a.run, b.run), cmp.Compare(a.of, b.of))
	})
	for _, p := range pieces {
		size -= p.size
	}
	for _, p := range slices.Backward(pieces) {
		if size+p.size > most {
			p.forgo()
		} else {
			size += p.size
		}
	}
}

// piecesOfHistory: what parts reached and which rules were held, first of all but the newest measurements; at last whole benchmarks.
func piecesOfHistory(h *v1alpha1.BenchmarkHistory) (pieces []piece) {
	newest, by := metav1.Time{}, ""
	for i := range h.Entries {
		e := &h.Entries[i]
		newest, by = e.Time, string(e.RunUID)
		pieces = append(pieces, piece{e.Time, by, h.Name, lastIf(i == len(h.Entries)-1), sizeOfValues(e), func() { e.Values = nil }})
	}
	for i := range h.Held {
		r := &h.Held[i]
		pieces = append(pieces, piece{r.Time, string(r.RunUID), h.Name, lastIf(i == len(h.Held)-1), sizeOfRules(r), func() { r.Rules = nil }})
	}
	for u := range list.Each(h.Unconfirmed) {
		pieces = append(pieces, piece{u.Time, string(u.RunUID), h.Name, 0, sizeOfParts(u), func() { u.Parts = nil }})
	}
	for p := range list.Each(h.Passes) {
		r := p.Runs[len(p.Runs)-1]
		pieces = append(pieces, piece{r.Time, string(r.RunUID), h.Name, 0, sizeOfRing(p), func() { *p = v1alpha1.PassHistory{} }})
	}
	return append(pieces, piece{newest, by, h.Name, 2, sizeOfRow(h), func() { *h = v1alpha1.BenchmarkHistory{} }})
}

func lastIf(newest bool) int {
	if newest {
		return 1
	}
	return 0
}

// piecesOfState: messages first, then values, then whole benchmarks.
func piecesOfState(b *v1alpha1.BenchmarkState) []piece {
	newest, by := metav1.Time{}, ""
	if n := len(b.History); n > 0 {
		newest, by = b.History[n-1].Time, string(b.History[n-1].RunUID)
	}
	return []piece{
		{newest, by, b.Name, 0, sizeOfTexts(b), func() { b.Message, b.Warnings = "", nil }},
		{newest, by, b.Name, 1, sizeOfAllValues(b), func() {
			for i := range b.History {
				b.History[i].Values = nil
			}
		}},
		{newest, by, b.Name, 2, sizeOfProofs(b), func() { *b = v1alpha1.BenchmarkState{} }},
	}
}
