package nodevalidation

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// OtherConfiguration begins the configuration of an attempt whose pod or MPIJob was made for another one than the run measures.
const OtherConfiguration = "other:"

// record what a run found by a benchmark.
func record(k Known, b *v1alpha1.BenchmarkResult, j Judgement, known bool) {
	state, history := k.benchmark(b.Name)
	if state.Verdict == "" {
		state.Verdict = b.Verdict
		noteLatest(k.Validation, b)
	}
	now := MachineOf(j.Node, "", "")
	recordPass(history, b, v1alpha1.PassingRun{RunUID: j.Run.UID, Time: MeasuredAt(b), Driver: now.Driver, Kernel: now.Kernel}, j.Benchmarks[b.Name].Metrics)
	recordHeld(history, b, j, k.Validation.Convictions)
	recordUnconfirmed(history, b, j)
	entries := recordEntry(entriesOf(state, history), b, j)
	history.Entries, history.Unconfirmed = pastOf(entries), unconfirmedIn(history.Unconfirmed, entries)
	if !known { // somebody has deleted the state, and what was proved before with it
		entries = slices.DeleteFunc(entries, func(e v1alpha1.HistoryEntry) bool { return e.RunUID != j.Run.UID })
	}
	state.History = proofsOf(entries)
	recordUnproved(state, entries, b, j)
	if metrics := j.Benchmarks[b.Name].Metrics; measuredNow(b) && len(metrics) > 0 {
		state.Warnings = warningsOf(history, metrics)
	}
}

func measuredNow(b *v1alpha1.BenchmarkResult) bool {
	return b.Verdict == v1alpha1.VerdictPass || b.Verdict == v1alpha1.VerdictFail
}

// entriesOf a benchmark in state and history, in order of time. The state knows more of those that it has, unless it is the values.
func entriesOf(state *v1alpha1.BenchmarkState, history *v1alpha1.BenchmarkHistory) []v1alpha1.HistoryEntry {
	all := slices.Clone(history.Entries)
	for _, e := range state.History {
		i := slices.IndexFunc(all, func(o v1alpha1.HistoryEntry) bool { return o.RunUID == e.RunUID })
		if i < 0 {
			all = append(all, e)
			continue
		}
		all[i].Asked, all[i].Machine = e.Asked, e.Machine
	}
	slices.SortFunc(all, byTime)
	return all
}

func byTime(a, b v1alpha1.HistoryEntry) int { return inOrder(a.Time, a.RunUID, b.Time, b.RunUID) }

// pastOf entries, as the history has them: on which machine they hold is a matter of the state.
func pastOf(entries []v1alpha1.HistoryEntry) []v1alpha1.HistoryEntry {
	return list.Map(entries, func(e v1alpha1.HistoryEntry) v1alpha1.HistoryEntry {
		e.Machine = nil
		return e
	})
}

// proofsOf entries, as the state has them: the last pass and the failures since then, and failures that only passes of something else
// followed. What was measured, only the newest says.
func proofsOf(entries []v1alpha1.HistoryEntry) []v1alpha1.HistoryEntry {
	last := len(entries) - 1
	passed := last // the last pass, or where there is none the first failure
	for passed > 0 && entries[passed].Verdict == v1alpha1.VerdictFail {
		passed--
	}
	var kept []v1alpha1.HistoryEntry
	for i, e := range entries {
		since := len(kept) > 0 && e.Asked != "" // what such a failure may have been followed by
		if i < passed && !since && !stillFailed(entries[i:]) {
			continue
		}
		if i < last {
			e.Configuration, e.Values = "", nil
		}
		kept = append(kept, e)
	}
	return kept
}

// stillFailed: the first of these entries is a failure, and no later one is of the same measurement, or only passes on runs' own terms followed.
func stillFailed(entries []v1alpha1.HistoryEntry) bool {
	e := &entries[0]
	again := slices.ContainsFunc(entries[1:], func(later v1alpha1.HistoryEntry) bool { return later.Asked == e.Asked })
	passed := slices.ContainsFunc(entries[1:], func(later v1alpha1.HistoryEntry) bool {
		return later.Verdict == v1alpha1.VerdictPass && !later.OwnParameters && !later.OwnExpectations
	})
	return e.Verdict == v1alpha1.VerdictFail && (e.Asked != "" && !again || !e.OwnTerms && !passed)
}

// recordEntry puts the numbers of a measured benchmark among the entries, at the place of their time: errors and skips would push the
// numbers out of the ring.
func recordEntry(entries []v1alpha1.HistoryEntry, b *v1alpha1.BenchmarkResult, j Judgement) []v1alpha1.HistoryEntry {
	if !measuredNow(b) {
		// What this run took for a pass, while it knew less, is none.
		return slices.DeleteFunc(entries, func(e v1alpha1.HistoryEntry) bool { return e.RunUID == j.Run.UID && e.Verdict == v1alpha1.VerdictPass })
	}
	entry := entryOf(b, j)
	entries = append(slices.DeleteFunc(entries, func(e v1alpha1.HistoryEntry) bool { return e.RunUID == j.Run.UID }), entry)
	slices.SortFunc(entries, byTime)
	entries = lastOf(lastOf(entries, v1alpha1.VerdictPass), v1alpha1.VerdictFail)
	prune(entries)
	return entries
}

// entryOf a measured benchmark.
func entryOf(b *v1alpha1.BenchmarkResult, j Judgement) v1alpha1.HistoryEntry {
	of := j.Benchmarks[b.Name]
	e := v1alpha1.HistoryEntry{Run: j.Run.Name, RunUID: j.Run.UID, Time: MeasuredAt(b), Verdict: b.Verdict, Configuration: Configuration(b),
		OwnParameters: of.OwnParameters, OwnExpectations: of.OwnExpectations, OwnTerms: of.OwnTerms, Machine: machineThen(b)}
	if !strings.HasPrefix(e.Configuration, OtherConfiguration) {
		e.Asked = of.Asked
	}
	e.Values = list.Map(b.Headline, func(v v1alpha1.HeadlineValue) v1alpha1.HistoryValue {
		return v1alpha1.HistoryValue{Metric: v.Metric, Unit: v.Unit, Value: v.Value}
	})
	return e
}

// lastOf drops all entries of a verdict but the last ones. Passes and failures have a ring each, so that no number of failures makes a
// node forget how good it was. What failed a run's own terms alone goes first, so that no number of such runs makes a failure forgotten.
func lastOf(entries []v1alpha1.HistoryEntry, v v1alpha1.Verdict) []v1alpha1.HistoryEntry {
	extra := list.Count(entries, func(e v1alpha1.HistoryEntry) bool { return e.Verdict == v }) - maxHistory
	for _, own := range []bool{true, false} {
		entries = slices.DeleteFunc(entries, func(e v1alpha1.HistoryEntry) bool {
			if e.Verdict != v || e.OwnTerms != own || extra <= 0 {
				return false
			}
			extra--
			return true
		})
	}
	return entries
}

func firstOf[T any](all []T, most int) []T { return all[:min(len(all), most)] }

// prune leaves out what a newer entry says as well. What was measured, only the newest entry of just that says: a failure stands until the same
// was measured again. On which machine, the last pass says, as it tells how many devices the node is to have, and failures since then, as they
// are counted for as long as it is the same.
func prune(entries []v1alpha1.HistoryEntry) {
	for i := range entries {
		old, newer := &entries[i], entries[i+1:]
		if slices.ContainsFunc(newer, func(e v1alpha1.HistoryEntry) bool { return e.Asked == old.Asked }) {
			old.Asked = ""
		}
		if slices.ContainsFunc(newer, func(e v1alpha1.HistoryEntry) bool { return e.Verdict == v1alpha1.VerdictPass }) {
			old.Machine = nil
		}
	}
}
