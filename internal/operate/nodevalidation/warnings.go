package nodevalidation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	// unstableTimes a part was cleared in unstableRuns makes it unstable.
	unstableTimes = 3
	unstableRuns  = 10
	maxWarnings   = 32
)

// warningsOf a benchmark: parts that drift, by what the newest configuration measured, and parts that are unstable. They fail nobody.
func warningsOf(h *v1alpha1.BenchmarkHistory, metrics []v1alpha1.Metric) []v1alpha1.Finding {
	warnings := unstable(h)
	if n := len(h.Passes); n > 0 {
		warnings = append(past.Drifts(metrics, &h.Passes[n-1]), warnings...)
	}
	return firstOf(warnings, maxWarnings)
}

// unstable parts were suspect in several of the last runs, and fine each time they were measured again. One such run is chance.
func unstable(h *v1alpha1.BenchmarkHistory) []v1alpha1.Finding {
	recent := h.Entries[max(0, len(h.Entries)-unstableRuns):]
	type count struct {
		id      string
		times   int
		last    v1alpha1.PartReference
		at      v1alpha1.HistoryEntry
		metrics []string
	}
	var counts []*count
	for _, e := range recent {
		u := unconfirmedBy(h.Unconfirmed, e.RunUID)
		if u < 0 {
			continue
		}
		counted := map[string]bool{}
		for _, part := range h.Unconfirmed[u].Parts {
			id := cmp.Or(part.Identity, part.At)
			i := slices.IndexFunc(counts, func(c *count) bool { return c.id == id })
			if i < 0 {
				counts, i = append(counts, &count{id: id}), len(counts)
			}
			c := counts[i]
			if !counted[id] {
				counted[id], c.times = true, c.times+1
			}
			c.last, c.at = part, e
			if !slices.Contains(c.metrics, part.Metric) {
				c.metrics = append(c.metrics, part.Metric)
			}
		}
	}
	var out []v1alpha1.Finding
	for _, c := range counts {
		at, uuids, there := now(h, c.last)
		if c.times < unstableTimes || !there {
			continue
		}
		slices.Sort(c.metrics)
		out = append(out, v1alpha1.Finding{Metric: c.last.Metric, At: at, Rule: term.Unstable, Verdict: v1alpha1.VerdictWarning,
			Message: quantity.Clip(fmt.Sprintf("%s fell short in %d of the last %d runs (%s) and was fine each time it was measured again, last on %s: look for an "+
				"intermittent cause, such as heat, power or a loose link",
				message.PartWith(at, uuids), c.times, len(recent), message.Names(c.metrics), message.Day(c.at.Time.Time)), maxBenchmarkMessage)})
	}
	return out
}

// now is a part's name in the newest passing run, and the UUIDs of its GPUs; not there, if one of them was replaced.
func now(h *v1alpha1.BenchmarkHistory, p v1alpha1.PartReference) (at string, uuids []string, there bool) {
	if len(h.Passes) == 0 || p.Identity == "" {
		return p.At, nil, true
	}
	devices := h.Passes[len(h.Passes)-1].Devices
	at, there = part.Named(p.Identity, p.At, devices)
	return at, part.UUIDs(at, devices), there
}

// identified are cleared parts with what identifies them.
func identified(parts []v1alpha1.PartReference, b *v1alpha1.BenchmarkResult) []v1alpha1.PartReference {
	a := attempt.LastMeasured(b.Attempts)
	if a == nil || len(parts) == 0 {
		return nil
	}
	ids := part.NewIdentities(a.Devices)
	out := slices.Clone(firstOf(parts, maxUnconfirmed))
	for i := range out {
		if id := ids.Of(out[i].At); id != out[i].At && len(id) <= maxIdentity {
			out[i].Identity = id
		}
	}
	return out
}
