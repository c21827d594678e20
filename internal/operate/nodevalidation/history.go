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
	return bounded(entries)
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

func firstOf[T any](all []T, most int) []T { return all[:min(len(all), most)] }
