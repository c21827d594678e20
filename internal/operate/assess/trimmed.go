package assess

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
)

// TrimmedUID is no object's: the API server refuses to write a trimmed copy, as that would wipe out the node's history.
const TrimmedUID types.UID = "trimmed"

// Trim leaves of what is known of a node what metrics, policies and the limit of quarantined nodes are made of: of each benchmark the newest
// entry, the last pass and the failures since then, and failures that only passes of something else followed, without what they measured. It shares with v
// what it can.
func Trim(v *v1alpha1.NodeValidation) *v1alpha1.NodeValidation {
	slim := &v1alpha1.NodeValidation{Verdict: v.Verdict, Proof: v.Proof, LastRun: v.LastRun, ValidatedAt: v.ValidatedAt,
		OffenceCount: v.OffenceCount, Quarantine: v.Quarantine}
	slim.Name, slim.UID, slim.ResourceVersion = v.Name, TrimmedUID, v.ResourceVersion
	f := v.Fingerprint
	if len(v.Convictions) > 0 { // few have: it says by which rules
		slim.Annotations = v.Annotations
	}
	slim.Labels, slim.Fingerprint = v.Labels, v1alpha1.Fingerprint{NodeUID: f.NodeUID, BootID: f.BootID, Kernel: f.Kernel, Driver: f.Driver}
	for _, c := range v.Convictions {
		if c = trimConviction(c); !slices.Contains(slim.Convictions, c) {
			slim.Convictions = append(slim.Convictions, c)
		}
	}
	slim.Benchmarks = make([]v1alpha1.BenchmarkHistory, len(v.Benchmarks))
	for i := range v.Benchmarks {
		b := &v.Benchmarks[i]
		kept := v1alpha1.BenchmarkHistory{Name: b.Name, Verdict: b.Verdict, History: trimHistory(b.History), Unproved: b.Unproved}
		for _, w := range b.Warnings {
			kept.Warnings = append(kept.Warnings, v1alpha1.Finding{Rule: w.Rule})
		}
		slim.Benchmarks[i] = kept
	}
	return slim
}

// trimConviction keeps what a conviction is of, and of some by which rule: missing devices are counted by it, and who was compared with others
// by a fact has no say in that fact.
func trimConviction(c v1alpha1.Conviction) v1alpha1.Conviction {
	slim := v1alpha1.Conviction{Benchmark: c.Benchmark, Metric: c.Metric}
	switch c.Rule {
	case term.Devices:
		slim.Rule, slim.Bound, slim.At, slim.Run = c.Rule, c.Bound, c.At, c.Run // the message names the run
	case term.FactUniform:
		slim.Rule, slim.Run.UID, slim.Again = c.Rule, c.Run.UID, c.Again
	}
	return slim
}

func trimHistory(history []v1alpha1.HistoryEntry) []v1alpha1.HistoryEntry {
	last := len(history) - 1
	passed := last // the last pass, or where there is none the first failure
	for passed > 0 && history[passed].Verdict == v1alpha1.VerdictFail {
		passed--
	}
	kept := make([]v1alpha1.HistoryEntry, 0, len(history)-max(passed, 0))
	for i := range history {
		e := &history[i]
		since := len(kept) > 0 && e.Asked != "" // what such a failure may have been followed by
		if i < passed && !since && !stillFailed(history[i:]) {
			continue
		}
		kept = append(kept, v1alpha1.HistoryEntry{Run: e.Run, RunUID: e.RunUID, Time: e.Time, Verdict: e.Verdict, OwnParameters: e.OwnParameters,
			OwnExpectations: e.OwnExpectations, OwnTerms: e.OwnTerms, Asked: e.Asked, Machine: e.Machine})
	}
	return kept
}

// stillFailed: the first of these entries is a failure, and no later one is of the same measurement, or only passes on runs' own terms followed.
func stillFailed(history []v1alpha1.HistoryEntry) bool {
	e := &history[0]
	again := slices.ContainsFunc(history[1:], func(later v1alpha1.HistoryEntry) bool { return later.Asked == e.Asked })
	passed := slices.ContainsFunc(history[1:], func(later v1alpha1.HistoryEntry) bool {
		return later.Verdict == v1alpha1.VerdictPass && !later.OwnParameters && !later.OwnExpectations
	})
	return e.Verdict == v1alpha1.VerdictFail && (e.Asked != "" && !again || !e.OwnTerms && !passed)
}

// Trimmed says whether a NodeValidation is such a one, without history: to look at, never to be written.
func Trimmed(v *v1alpha1.NodeValidation) bool { return v != nil && v.UID == TrimmedUID }

// lacksPast notes that a node is judged by its history, and says whether that was not given. It belongs to the judgement of the whole run: the writes
// judge nodes anew in parallel, each by the history that was read for it.
func (s *Judged) lacksPast(n *judgedNode, t *Task) bool {
	if !s.comparesPast(n.observedNode, t) {
		return false
	}
	s.byPast = append(s.byPast, n.name)
	lacks := Trimmed(n.validation)
	if lacks {
		s.lacking = append(s.lacking, n.name)
	}
	return lacks
}

// comparesPast: the node is judged by what is known of it.
func (s *Observed) comparesPast(n *observedNode, t *Task) bool {
	return n.validation != nil && n.node != nil && (s.asksPast(t) || t.comparesFactsOf(n.validation))
}

// asksPast: nodes are compared by the task with what they reached before, or their stored verdict may have to stand, whose terms are in
// their history.
func (s *Observed) asksPast(t *Task) bool { return len(t.remembered) > 0 || s.knownAnew }

// versionOf what is known of a node; two that are the same say the same.
func versionOf(v *v1alpha1.NodeValidation) any {
	if v == nil || v.ResourceVersion == "" {
		return v
	}
	return v.ResourceVersion
}
