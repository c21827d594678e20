package nodevalidation

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/quantity"
)

// OtherConfiguration begins the configuration of an attempt whose pod or MPIJob was made for another one than the run measures.
const OtherConfiguration = "other:"

// record what a run found by a benchmark.
func record(nv *v1alpha1.NodeValidation, b *v1alpha1.BenchmarkResult, j Judgement) {
	h := nv.Benchmark(b.Name)
	if h == nil {
		nv.Benchmarks = append(nv.Benchmarks, v1alpha1.BenchmarkHistory{Name: b.Name, Verdict: b.Verdict, Message: quantity.Clip(b.Message, maxBenchmarkMessage)})
		h = &nv.Benchmarks[len(nv.Benchmarks)-1]
	}
	now := FingerprintOf(j.Node, nil)
	recordPass(h, b, v1alpha1.PassingRun{RunUID: j.Run.UID, Time: MeasuredAt(b), Driver: now.Driver, Kernel: now.Kernel}, j.Benchmarks[b.Name].Metrics)
	recordEntry(nv, h, b, j)
	recordUnproved(h, b, j)
}

// recordEntry puts the numbers of a measured benchmark into the history, at the place of their time: errors and skips would push the
// numbers out of the ring.
func recordEntry(nv *v1alpha1.NodeValidation, h *v1alpha1.BenchmarkHistory, b *v1alpha1.BenchmarkResult, j Judgement) {
	run := j.Run
	if b.Verdict != v1alpha1.VerdictPass && b.Verdict != v1alpha1.VerdictFail {
		// What this run took for a pass, while it knew less, is none.
		h.History = slices.DeleteFunc(h.History, func(e v1alpha1.HistoryEntry) bool { return e.RunUID == run.UID && e.Verdict == v1alpha1.VerdictPass })
		return
	}
	entry := entryOf(b, j, nv.Convictions)
	h.History = slices.DeleteFunc(h.History, func(e v1alpha1.HistoryEntry) bool { return e.RunUID == run.UID })
	at := slices.IndexFunc(h.History, func(e v1alpha1.HistoryEntry) bool { return later(e.Time, e.RunUID, entry.Time, run.UID) })
	if at < 0 {
		at = len(h.History)
	}
	h.History = slices.Insert(h.History, at, entry)
	h.History = lastOf(lastOf(h.History, v1alpha1.VerdictPass), v1alpha1.VerdictFail)
	prune(h.History)
	if metrics := j.Benchmarks[b.Name].Metrics; len(metrics) > 0 {
		h.Warnings = warningsOf(h, metrics)
	}
}

// entryOf a measured benchmark.
func entryOf(b *v1alpha1.BenchmarkResult, j Judgement, convicted []v1alpha1.Conviction) v1alpha1.HistoryEntry {
	of := j.Benchmarks[b.Name]
	held, more := mostHeld(of.Held, convicted)
	e := v1alpha1.HistoryEntry{Run: j.Run.Name, RunUID: j.Run.UID, Time: MeasuredAt(b), Verdict: b.Verdict, Configuration: Configuration(b),
		OwnParameters: of.OwnParameters, OwnExpectations: of.OwnExpectations, OwnTerms: of.OwnTerms, Held: held, HeldMore: more, Unconfirmed: identified(of.Cleared, b),
		Machine: machineThen(b)}
	if !strings.HasPrefix(e.Configuration, OtherConfiguration) {
		e.Asked = of.Asked
	}
	for _, v := range b.Headline {
		e.Values = append(e.Values, v1alpha1.HistoryValue{Metric: v.Metric, Unit: v.Unit, Value: v.Value})
	}
	return e
}

// lastOf drops all entries of a verdict but the last ones. Passes and failures have a ring each, so that no number of failures makes a
// node forget how good it was. What failed a run's own terms alone goes first, so that no number of such runs makes a failure forgotten.
func lastOf(history []v1alpha1.HistoryEntry, v v1alpha1.Verdict) []v1alpha1.HistoryEntry {
	extra := -maxHistory
	for i := range history {
		if history[i].Verdict == v {
			extra++
		}
	}
	for _, own := range []bool{true, false} {
		history = slices.DeleteFunc(history, func(e v1alpha1.HistoryEntry) bool {
			if e.Verdict != v || e.OwnTerms != own || extra <= 0 {
				return false
			}
			extra--
			return true
		})
	}
	return history
}

func firstOf[T any](all []T, most int) []T { return all[:min(len(all), most)] }

// prune leaves out what an entry held and a newer one has held under terms as hard. What was measured, only the newest entry of just that says: a
// failure stands until the same was measured again. On which machine, the last pass says, as it tells how many devices the node is to have, and
// failures since then, as they are counted for as long as it is the same.
func prune(history []v1alpha1.HistoryEntry) {
	for i := range history {
		old := &history[i]
		if i < len(history)-1 {
			if slices.ContainsFunc(history[i+1:], func(e v1alpha1.HistoryEntry) bool { return e.Asked == old.Asked }) {
				old.Asked = ""
			}
			if slices.ContainsFunc(history[i+1:], func(e v1alpha1.HistoryEntry) bool { return e.Verdict == v1alpha1.VerdictPass }) {
				old.Machine = nil
			}
		}
		old.Held = slices.DeleteFunc(slices.Clone(old.Held), func(r v1alpha1.HeldRule) bool {
			return slices.ContainsFunc(history[i+1:], func(e v1alpha1.HistoryEntry) bool {
				return slices.ContainsFunc(e.Held, func(h v1alpha1.HeldRule) bool {
					return h.Metric == r.Metric && h.Rule == r.Rule && term.AsHard(&e, old, &h, &r)
				})
			})
		})
		if len(old.Held) == 0 {
			old.Held = nil
		}
	}
}
