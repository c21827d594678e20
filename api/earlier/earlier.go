// Package earlier reads NodeValidations as versions before NodeHistory wrote them: with all that was measured on the node in the same object.
// It goes once no such object is left anywhere.
package earlier

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// validation is what is not in a NodeValidation any more.
type validation struct {
	Benchmarks []benchmark `json:"benchmarks"`
}

type benchmark struct {
	Name    string    `json:"name"`
	History []entry   `json:"history"`
	Passes  []history `json:"passes"`
}

type entry struct {
	v1alpha1.HistoryEntry
	Held        []v1alpha1.HeldRule      `json:"held"`
	HeldMore    int32                    `json:"heldMore"`
	Unconfirmed []v1alpha1.PartReference `json:"unconfirmed"`
}

type history struct {
	v1alpha1.PassHistory
	Metrics []metric `json:"metrics"`
}

type metric struct {
	v1alpha1.MetricHistory
	Parts []part `json:"parts"`
}

type part struct {
	v1alpha1.PartHistory
	// Recent values, with a space between them.
	Recent string `json:"recent"`
}

// Read a NodeValidation, whichever version wrote it, as JSON. The history is nil where none is in it.
func Read(data []byte) (v v1alpha1.NodeValidation, h *v1alpha1.NodeHistory, err error) {
	var old validation
	if err := json.Unmarshal(data, &v); err != nil {
		return v, nil, fmt.Errorf("reading a NodeValidation: %w", err)
	}
	if v.NodeHistory != nil {
		return v, nil, nil
	}
	if err := json.Unmarshal(data, &old); err != nil {
		return v, nil, fmt.Errorf("reading the history of a NodeValidation: %w", err)
	}
	h = &v1alpha1.NodeHistory{NodeUID: v.Fingerprint.NodeUID, OffenceCount: v.OffenceCount}
	h.Name, h.OwnerReferences = v.Name, v.OwnerReferences
	for i := range old.Benchmarks {
		if b := old.Benchmarks[i].history(); len(b.Entries)+len(b.Passes) > 0 {
			h.Benchmarks = append(h.Benchmarks, b)
		}
	}
	if len(h.Benchmarks) == 0 {
		return v, nil, nil
	}
	return v, h, nil
}

func (b *benchmark) history() v1alpha1.BenchmarkHistory {
	h := v1alpha1.BenchmarkHistory{Name: b.Name}
	for _, e := range b.History {
		if len(e.Held) > 0 {
			h.Held = append(h.Held, v1alpha1.HeldRules{RunUID: e.RunUID, Time: e.Time, Verdict: e.Verdict, Configuration: e.Configuration,
				OwnParameters: e.OwnParameters, Rules: e.Held, More: e.HeldMore})
		}
		if len(e.Unconfirmed) > 0 {
			h.Unconfirmed = append(h.Unconfirmed, v1alpha1.UnconfirmedParts{RunUID: e.RunUID, Time: e.Time, Parts: e.Unconfirmed})
		}
		past := e.HistoryEntry
		past.Machine = nil
		h.Entries = append(h.Entries, past)
	}
	for i := range b.Passes {
		p := b.Passes[i].PassHistory
		p.Metrics = nil
		for _, m := range b.Passes[i].Metrics {
			p.Metrics = append(p.Metrics, m.split())
		}
		h.Passes = append(h.Passes, p)
	}
	return h
}

// split the values of each part, which were one text.
func (m *metric) split() v1alpha1.MetricHistory {
	out := m.MetricHistory
	out.Parts = nil
	for _, p := range m.Parts {
		part := p.PartHistory
		for _, value := range strings.Fields(p.Recent) {
			part.Recent = append(part.Recent, v1alpha1.PassingValue(value))
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}
