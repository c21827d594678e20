// Package nodevalidation decides what is known of a node after a run: its passes, its failures, its convictions, its machine. It computes the
// next NodeValidation and NodeHistory from those before; the order in which runs are judged, and how often, makes no difference.
package nodevalidation

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/quantity"
)

// Bounds of the API.
const (
	maxHistory          = 10 // passes, and as many failures
	maxHeld             = 128
	maxUnconfirmed      = 32
	maxBenchmarks       = 64
	maxDevices          = 128
	maxConvictions      = 128
	maxNodeMessage      = 2048
	maxBenchmarkMessage = 1024
)

// Judgement is what one run found about one node once it was over.
type Judgement struct {
	// Node as it was read.
	Node *corev1.Node
	// Run that judged.
	Run v1alpha1.ObjectReference
	// Result with every benchmark judged.
	Result *v1alpha1.ValidationResult
	// Benchmarks by name.
	Benchmarks map[string]Benchmark
	// Time of the verdict.
	Time metav1.Time
}

// Benchmark is what one benchmark of the run asked for and found. The zero value: nothing is to be remembered but its verdict.
type Benchmark struct {
	// Asked: hash of what the run asked for; see workload.Asked.
	Asked string
	// OwnParameters and OwnExpectations: the run set some. OwnTerms: it failed, and by nothing but those.
	OwnParameters, OwnExpectations, OwnTerms bool
	// DeviceResource and Fabric that it uses; empty: none.
	DeviceResource, Fabric string
	// Held are the rules that the node held, if it was measured.
	Held []v1alpha1.HeldRule
	// Metrics whose values are remembered; none: they are no past to compare with.
	Metrics []v1alpha1.Metric
	// Cleared parts were suspect until they were measured again.
	Cleared []v1alpha1.PartReference
}

// Next is what is known of the node after a run, but for convictions and quarantine, which are kept as they are.
// old is what was known before; it is never modified. A node of another UID is another machine and starts afresh, and a
// result of another UID says nothing about this node.
//
// Runs are ordered by when they measured, not by when they were judged: what an older run found goes into the history at its
// place and changes nothing else. So the order in which judgements are applied, and how often, makes no difference; nor does it where the
// process stopped after it had written the history.
func Next(old Known, j Judgement) Known {
	if j.Result.Node.UID != "" && j.Result.Node.UID != j.Node.UID {
		return Known{old.Validation.DeepCopy(), old.History.DeepCopy()}
	}
	k := old.copied(j.Node)
	next := k.Validation
	counted := failedIn(k, j.Run.UID)
	for i := range j.Result.Benchmarks {
		record(k, &j.Result.Benchmarks[i], j, old.Validation != nil)
	}
	next.OffenceCount = max(next.OffenceCount, k.History.OffenceCount)
	if j.Result.Verdict == v1alpha1.VerdictFail && !counted && failedIn(k, j.Run.UID) {
		next.OffenceCount++
	}
	k.History.OffenceCount = next.OffenceCount
	prove(next, j)
	if at := lastLaunch(j.Result); !later(next.MeasuredAt, next.LastRun.UID, at, j.Run.UID) {
		if next.LastRun.UID != j.Run.UID || next.Verdict != j.Result.Verdict {
			next.ValidatedAt = j.Time
		}
		next.Fingerprint = fingerprint(next.Fingerprint, j.Node, j.Result)
		next.Verdict, next.LastRun, next.MeasuredAt = j.Result.Verdict, j.Run, at
		next.Message = quantity.Clip(j.Result.Message, maxNodeMessage)
		for i := range j.Result.Benchmarks {
			noteLatest(next, &j.Result.Benchmarks[i])
		}
	}
	bound(next, j.Result)
	fit(k)
	k.tidyHistory()
	return k
}

// failedIn says whether a run failed the node, by state or history, and not by its own terms alone. Each such run is one offence, whichever is
// judged first; one that is older than all that is kept counts for nothing, or it would count in every pass.
func failedIn(k Known, run types.UID) bool {
	failed := func(e v1alpha1.HistoryEntry) bool {
		return e.RunUID == run && e.Verdict == v1alpha1.VerdictFail && !e.OwnTerms
	}
	return slices.ContainsFunc(k.Validation.Benchmarks, func(b v1alpha1.BenchmarkState) bool { return slices.ContainsFunc(b.History, failed) }) ||
		slices.ContainsFunc(k.History.Benchmarks, func(h v1alpha1.BenchmarkHistory) bool { return slices.ContainsFunc(h.Entries, failed) })
}

// prove takes a Pass or Fail as the node's proof, unless a newer one is known. What fails a run's own terms alone proves nothing to others.
func prove(nv *v1alpha1.NodeValidation, j Judgement) {
	failed := func(b v1alpha1.BenchmarkResult) bool {
		return b.Verdict == v1alpha1.VerdictFail && !j.Benchmarks[b.Name].OwnTerms
	}
	if v := j.Result.Verdict; v != v1alpha1.VerdictPass && (v != v1alpha1.VerdictFail || !slices.ContainsFunc(j.Result.Benchmarks, failed)) {
		return
	}
	at := metav1.Time{}
	for i := range j.Result.Benchmarks {
		at = latest(at, MeasuredAt(&j.Result.Benchmarks[i]))
	}
	if old := nv.Proof; old == nil || !later(old.MeasuredAt, old.Run.UID, at, j.Run.UID) {
		nv.Proof = &v1alpha1.Proof{Verdict: j.Result.Verdict, Run: j.Run, MeasuredAt: at}
	}
}

// Configuration of the last measured attempt of a benchmark.
func Configuration(b *v1alpha1.BenchmarkResult) string {
	if a := attempt.LastMeasured(b.Attempts); a != nil {
		return a.Configuration
	}
	return ""
}

// bound drops what has not been measured for longest once there are more benchmarks than the API holds. What keeps gates shut goes after all others.
func bound(nv *v1alpha1.NodeValidation, result *v1alpha1.ValidationResult) {
	if len(nv.Benchmarks) <= maxBenchmarks {
		return
	}
	current := func(b v1alpha1.BenchmarkState) bool { return result.Benchmark(b.Name) != nil }
	slices.SortStableFunc(nv.Benchmarks, func(a, b v1alpha1.BenchmarkState) int {
		return cmp.Or(list.Before(current(a), current(b)), list.Before(keepsShut(&a), keepsShut(&b)),
			cmp.Compare(newestIn(b.History), newestIn(a.History)), cmp.Compare(a.Name, b.Name))
	})
	nv.Benchmarks = slices.Delete(nv.Benchmarks, maxBenchmarks, len(nv.Benchmarks))
}

// keepsShut: a run failed the node, perhaps by a policy's own terms alone, or nothing could judge it, and no timeout opens a gate after that.
func keepsShut(b *v1alpha1.BenchmarkState) bool {
	return slices.ContainsFunc(b.History, func(e v1alpha1.HistoryEntry) bool { return e.Verdict == v1alpha1.VerdictFail }) || len(lastUnjudged(b.Unproved)) > 0
}
