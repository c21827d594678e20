package nodevalidation

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// Moved is what is known of a node that a version before NodeHistory wrote: its state, and the history that was in it. stored is the history
// that there is already, nil for none: that version may have followed a newer one.
func Moved(v *v1alpha1.NodeValidation, moved, stored *v1alpha1.NodeHistory) Known {
	k := Known{v.DeepCopy(), stored.DeepCopy()}
	k.Validation.NodeHistory = &v1alpha1.HistoryReference{}
	if k.History == nil || k.History.NodeUID != v.Fingerprint.NodeUID {
		h := &v1alpha1.NodeHistory{}
		h.Name, h.NodeUID, h.OwnerReferences = v.Name, v.Fingerprint.NodeUID, v.OwnerReferences
		if stored != nil {
			h.ObjectMeta = *stored.ObjectMeta.DeepCopy()
		}
		k.History = h
	}
	k.History.OffenceCount = max(v.OffenceCount, k.History.OffenceCount)
	k.Validation.OffenceCount = k.History.OffenceCount
	if moved != nil {
		for i := range moved.Benchmarks {
			k.absorb(&moved.Benchmarks[i])
		}
	}
	for b := range list.Each(k.Validation.Benchmarks) {
		b.History = proofsOf(b.History)
	}
	fit(k)
	k.tidyHistory()
	return k
}

// absorb the history of a benchmark: what is known already stays as it is.
func (k Known) absorb(moved *v1alpha1.BenchmarkHistory) {
	_, h := k.benchmark(moved.Name)
	h.Entries = bounded(entriesOf(&v1alpha1.BenchmarkState{History: moved.Entries}, h))
	for _, held := range moved.Held {
		if !slices.ContainsFunc(h.Held, func(r v1alpha1.HeldRules) bool { return r.RunUID == held.RunUID }) {
			h.Held = insertHeld(h.Held, held)
		}
	}
	h.Unconfirmed = unconfirmedIn(slices.Concat(h.Unconfirmed, moved.Unconfirmed), h.Entries)
	for p := range list.Each(moved.Passes) {
		at := slices.IndexFunc(h.Passes, func(o v1alpha1.PassHistory) bool { return o.Configuration == p.Configuration })
		if at < 0 {
			h.Passes = append(h.Passes, *p.DeepCopy())
			continue
		}
		r := ringOf(&h.Passes[at])
		r.absorb(ringOf(p))
		h.Passes[at] = r.history()
	}
	h.Passes = newestPasses(h.Passes)
}
