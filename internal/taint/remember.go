package taint

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/internal/verdict"
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
	// By benchmark: the rules that it held if it was measured, whether the run set parameters of it, the metrics that are to be remembered
	// (none: its values are no past to compare with), and the parts that were suspect until they were measured again.
	Held          map[string][]v1alpha1.HeldRule
	OwnParameters map[string]bool
	Metrics       map[string][]v1alpha1.Metric
	Cleared       map[string][]v1alpha1.PartReference
	// Time of the verdict.
	Time metav1.Time
}

// NextValidation is what is known of the node after a run, but for convictions and quarantine, which are kept as they are.
// old is nil, or what was known before; it is never modified. A node of another UID is another machine and starts afresh, and a
// result of another UID says nothing about this node.
//
// Runs are ordered by when they measured, not by when they were judged: what an older run found goes into the history at its
// place and changes nothing else. So the order in which judgements are applied, and how often, makes no difference.
func NextValidation(old *v1alpha1.NodeValidation, j Judgement) *v1alpha1.NodeValidation {
	if j.Result.Node.UID != "" && j.Result.Node.UID != j.Node.UID {
		return old.DeepCopy()
	}
	next := &v1alpha1.NodeValidation{}
	if old != nil {
		next = old.DeepCopy()
		if old.Fingerprint.NodeUID != j.Node.UID {
			next = &v1alpha1.NodeValidation{TypeMeta: old.TypeMeta, ObjectMeta: *old.ObjectMeta.DeepCopy()}
		}
	}
	next.Name = j.Node.Name
	counted := failedIn(next, j.Run.UID)
	for i := range j.Result.Benchmarks {
		record(next, &j.Result.Benchmarks[i], j)
	}
	if j.Result.Verdict == v1alpha1.VerdictFail && !counted && failedIn(next, j.Run.UID) {
		next.OffenceCount++
	}
	prove(next, j)
	if at := lastLaunch(j.Result); !later(next.MeasuredAt, next.LastRun.UID, at, j.Run.UID) {
		if next.LastRun.UID != j.Run.UID || next.Verdict != j.Result.Verdict {
			next.ValidatedAt = j.Time
		}
		next.Fingerprint = mergeFingerprint(next.Fingerprint, FingerprintOf(j.Node, j.Result))
		next.Verdict, next.LastRun, next.MeasuredAt = j.Result.Verdict, j.Run, at
		next.Message = quantity.Clip(j.Result.Message, maxNodeMessage)
		for i := range j.Result.Benchmarks {
			noteLatest(next, &j.Result.Benchmarks[i])
		}
	}
	bound(next, j.Result)
	boundPasses(next)
	return next
}

// failedIn says whether a run failed the node, by its history. Each such run is one offence, whichever is judged first; one that
// is older than all that is kept counts for nothing, or it would count in every pass.
func failedIn(nv *v1alpha1.NodeValidation, run types.UID) bool {
	for i := range nv.Benchmarks {
		if slices.ContainsFunc(nv.Benchmarks[i].History, func(e v1alpha1.HistoryEntry) bool { return e.RunUID == run && e.Verdict == v1alpha1.VerdictFail }) {
			return true
		}
	}
	return false
}

// prove takes a Pass or Fail as the node's proof, unless a newer one is known.
func prove(nv *v1alpha1.NodeValidation, j Judgement) {
	if j.Result.Verdict != v1alpha1.VerdictPass && j.Result.Verdict != v1alpha1.VerdictFail {
		return
	}
	at := metav1.Time{}
	for i := range j.Result.Benchmarks {
		at = latest(at, MeasuredAt(&j.Result.Benchmarks[i]))
	}
	old := nv.Proof
	if old != nil && later(old.MeasuredAt, old.Run.UID, at, j.Run.UID) {
		return
	}
	nv.Proof = &v1alpha1.Proof{Verdict: j.Result.Verdict, Run: j.Run, MeasuredAt: at}
}

// later says whether what a run measured at a time comes after what another one measured. The API server's clock has whole
// seconds; of two runs in the same one the order is arbitrary, but always the same. A run is never later than itself.
func later(at metav1.Time, run types.UID, than metav1.Time, other types.UID) bool {
	if run == other {
		return false
	}
	return at.After(than.Time) || at.Equal(&than) && run > other
}

func latest(a, b metav1.Time) metav1.Time {
	if b.After(a.Time) {
		return b
	}
	return a
}

// MeasuredAt is when the last measured attempt of a benchmark was launched; zero where none was.
func MeasuredAt(b *v1alpha1.BenchmarkResult) metav1.Time {
	at := metav1.Time{}
	for i := range b.Attempts {
		if a := &b.Attempts[i]; a.LaunchTime != nil && measured(a) {
			at = latest(at, *a.LaunchTime)
		}
	}
	return at
}

func measured(a *v1alpha1.Attempt) bool {
	return a.Verdict == v1alpha1.VerdictPass || a.Verdict == v1alpha1.VerdictFail
}

// lastLaunch of any attempt, whatever came of it.
func lastLaunch(r *v1alpha1.ValidationResult) metav1.Time {
	at := metav1.Time{}
	for i := range r.Benchmarks {
		for k := range r.Benchmarks[i].Attempts {
			if t := r.Benchmarks[i].Attempts[k].LaunchTime; t != nil {
				at = latest(at, *t)
			}
		}
	}
	return at
}

// Configuration of the last measured attempt of a benchmark.
func Configuration(b *v1alpha1.BenchmarkResult) string {
	for i := len(b.Attempts) - 1; i >= 0; i-- {
		if measured(&b.Attempts[i]) {
			return b.Attempts[i].Configuration
		}
	}
	return ""
}

func historyOf(nv *v1alpha1.NodeValidation, benchmark string) *v1alpha1.BenchmarkHistory {
	i := slices.IndexFunc(nv.Benchmarks, func(h v1alpha1.BenchmarkHistory) bool { return h.Name == benchmark })
	if i < 0 {
		return nil
	}
	return &nv.Benchmarks[i]
}

// record puts the numbers of a measured benchmark into the history, at the place of their time: errors and skips would push the
// numbers out of the ring.
func record(nv *v1alpha1.NodeValidation, b *v1alpha1.BenchmarkResult, j Judgement) {
	run := j.Run
	h := historyOf(nv, b.Name)
	if h == nil {
		nv.Benchmarks = append(nv.Benchmarks, v1alpha1.BenchmarkHistory{Name: b.Name, Verdict: b.Verdict, Message: quantity.Clip(b.Message, maxBenchmarkMessage)})
		h = &nv.Benchmarks[len(nv.Benchmarks)-1]
	}
	now := FingerprintOf(j.Node, nil)
	recordPass(h, b, v1alpha1.PassingRun{RunUID: run.UID, Time: MeasuredAt(b), Driver: now.Driver, Kernel: now.Kernel}, j.Metrics[b.Name])
	if b.Verdict != v1alpha1.VerdictPass && b.Verdict != v1alpha1.VerdictFail {
		return
	}
	entry := v1alpha1.HistoryEntry{Run: run.Name, RunUID: run.UID, Time: MeasuredAt(b), Verdict: b.Verdict, Configuration: Configuration(b),
		OwnParameters: j.OwnParameters[b.Name], Held: mostHeld(j.Held[b.Name]), Unconfirmed: identified(j.Cleared[b.Name], b)}
	for _, v := range b.Headline {
		entry.Values = append(entry.Values, v1alpha1.HistoryValue{Metric: v.Metric, Unit: v.Unit, Value: v.Value})
	}
	h.History = slices.DeleteFunc(h.History, func(e v1alpha1.HistoryEntry) bool { return e.RunUID == run.UID })
	at := slices.IndexFunc(h.History, func(e v1alpha1.HistoryEntry) bool { return later(e.Time, e.RunUID, entry.Time, run.UID) })
	if at < 0 {
		at = len(h.History)
	}
	h.History = slices.Insert(h.History, at, entry)
	h.History = lastOf(lastOf(h.History, v1alpha1.VerdictPass), v1alpha1.VerdictFail)
	prune(h.History)
	if metrics := j.Metrics[b.Name]; len(metrics) > 0 {
		h.Warnings = warningsOf(h, metrics)
	}
}

// lastOf drops all entries of a verdict but the last ones. Passes and failures have a ring each, so that no number of failures makes a
// node forget how good it was.
func lastOf(history []v1alpha1.HistoryEntry, v v1alpha1.Verdict) []v1alpha1.HistoryEntry {
	extra := -maxHistory
	for i := range history {
		if history[i].Verdict == v {
			extra++
		}
	}
	return slices.DeleteFunc(history, func(e v1alpha1.HistoryEntry) bool {
		if e.Verdict != v || extra <= 0 {
			return false
		}
		extra--
		return true
	})
}

func firstOf[T any](all []T, most int) []T { return all[:min(len(all), most)] }

// mostHeld are the rules that an entry has room for, data checks first: data that was wrong once is what most needs a refutation.
func mostHeld(held []v1alpha1.HeldRule) []v1alpha1.HeldRule {
	if len(held) <= maxHeld {
		return held
	}
	held = slices.Clone(held)
	isNumber := func(r v1alpha1.HeldRule) int {
		if r.Rule == verdict.RuleDataCheck {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(held, func(a, b v1alpha1.HeldRule) int { return isNumber(a) - isNumber(b) })
	return held[:maxHeld]
}

// prune leaves out what an entry held and a newer one has held under terms as hard.
func prune(history []v1alpha1.HistoryEntry) {
	for i := range history {
		old := &history[i]
		old.Held = slices.DeleteFunc(slices.Clone(old.Held), func(r v1alpha1.HeldRule) bool {
			return slices.ContainsFunc(history[i+1:], func(e v1alpha1.HistoryEntry) bool {
				return slices.ContainsFunc(e.Held, func(h v1alpha1.HeldRule) bool {
					return h.Metric == r.Metric && h.Rule == r.Rule && verdict.AsHard(&e, old, &h, &r)
				})
			})
		})
		if len(old.Held) == 0 {
			old.Held = nil
		}
	}
}

// noteLatest keeps what the latest run found about a benchmark.
func noteLatest(nv *v1alpha1.NodeValidation, b *v1alpha1.BenchmarkResult) {
	if h := historyOf(nv, b.Name); h != nil {
		h.Verdict, h.Message = b.Verdict, quantity.Clip(b.Message, maxBenchmarkMessage)
	}
}

// bound drops what has not been measured for longest once there are more benchmarks than the API holds.
func bound(nv *v1alpha1.NodeValidation, result *v1alpha1.ValidationResult) {
	if len(nv.Benchmarks) <= maxBenchmarks {
		return
	}
	current := map[string]bool{}
	for i := range result.Benchmarks {
		current[result.Benchmarks[i].Name] = true
	}
	latest := func(h *v1alpha1.BenchmarkHistory) int64 {
		if n := len(h.History); n > 0 {
			return h.History[n-1].Time.Unix()
		}
		return 0
	}
	slices.SortStableFunc(nv.Benchmarks, func(a, b v1alpha1.BenchmarkHistory) int {
		if current[a.Name] != current[b.Name] {
			if current[a.Name] {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(latest(&b), latest(&a)), cmp.Compare(a.Name, b.Name))
	})
	nv.Benchmarks = slices.Delete(nv.Benchmarks, maxBenchmarks, len(nv.Benchmarks))
}
