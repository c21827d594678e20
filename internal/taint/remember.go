package taint

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Bounds of the API.
const (
	maxHistory              = 10
	maxBenchmarks           = 64
	maxQuarantineBenchmarks = 32
	maxDevices              = 128
	maxNodeMessage          = 2048
	maxBenchmarkMessage     = 1024
)

// Outcome is one run's finished judgement of one node.
type Outcome struct {
	// Node as it was read.
	Node *corev1.Node
	// Run that judged.
	Run v1alpha1.ObjectReference
	// Result with every benchmark judged.
	Result *v1alpha1.ValidationResult
	// Configurations: hash of command and parameters, by benchmark.
	Configurations map[string]string
	// Time of the verdict.
	Time metav1.Time
}

// NextValidation is what is known of the node after the outcome. old is nil, or what was known before; it is never
// modified. A node of another UID is another machine and starts afresh, and a result of another UID says nothing about
// this node. Applying the same outcome again changes
// nothing, also after another run has judged the node meanwhile. The quarantine is kept as it is; metadata is that of
// old, or the node's name.
func NextValidation(old *v1alpha1.NodeValidation, out Outcome) *v1alpha1.NodeValidation {
	if out.Result.Node.UID != "" && out.Result.Node.UID != out.Node.UID {
		return old.DeepCopy()
	}
	next := &v1alpha1.NodeValidation{}
	if old != nil {
		next = old.DeepCopy()
		if old.Fingerprint.NodeUID != out.Node.UID {
			next = &v1alpha1.NodeValidation{TypeMeta: old.TypeMeta, ObjectMeta: *old.ObjectMeta.DeepCopy()}
		}
	}
	next.Name = out.Node.Name
	known := judged(next, out.Run.UID)
	if known && next.LastRun.UID != out.Run.UID {
		return next // an older run, seen again
	}
	if out.Result.Verdict == v1alpha1.VerdictFail && !failedIn(next, out.Run.UID) {
		next.OffenceCount++
	}
	again := next.LastRun.UID == out.Run.UID
	if !again || next.Verdict != out.Result.Verdict {
		next.ValidatedAt = out.Time
	}
	next.Fingerprint = mergeFingerprint(next.Fingerprint, FingerprintOf(out.Node, out.Result))
	next.Verdict, next.LastRun = out.Result.Verdict, out.Run
	next.Message = clip(out.Result.Message, maxNodeMessage)
	for i := range out.Result.Benchmarks {
		record(next, &out.Result.Benchmarks[i], out)
	}
	bound(next, out.Result)
	return next
}

// judged says whether a run is in the node's history.
func judged(nv *v1alpha1.NodeValidation, run types.UID) bool {
	return anyEntry(nv, func(e *v1alpha1.HistoryEntry) bool { return e.RunUID == run })
}

// failedIn says whether a run's offence is counted: either it is the last run, or its failing entries are kept.
func failedIn(nv *v1alpha1.NodeValidation, run types.UID) bool {
	if nv.LastRun.UID == run && nv.Verdict == v1alpha1.VerdictFail {
		return true
	}
	return anyEntry(nv, func(e *v1alpha1.HistoryEntry) bool {
		return e.RunUID == run && e.Verdict == v1alpha1.VerdictFail
	})
}

func anyEntry(nv *v1alpha1.NodeValidation, is func(*v1alpha1.HistoryEntry) bool) bool {
	for i := range nv.Benchmarks {
		for k := range nv.Benchmarks[i].History {
			if is(&nv.Benchmarks[i].History[k]) {
				return true
			}
		}
	}
	return false
}

// record notes the verdict of one benchmark, and its numbers where it was measured: errors and skips would push the
// numbers out of the ring.
func record(nv *v1alpha1.NodeValidation, b *v1alpha1.BenchmarkResult, out Outcome) {
	i := slices.IndexFunc(nv.Benchmarks, func(h v1alpha1.BenchmarkHistory) bool { return h.Name == b.Name })
	if i < 0 {
		i = len(nv.Benchmarks)
		nv.Benchmarks = append(nv.Benchmarks, v1alpha1.BenchmarkHistory{Name: b.Name})
	}
	h := &nv.Benchmarks[i]
	h.Verdict, h.Message = b.Verdict, clip(b.Message, maxBenchmarkMessage)
	if b.Verdict != v1alpha1.VerdictPass && b.Verdict != v1alpha1.VerdictFail {
		return
	}
	entry := v1alpha1.HistoryEntry{
		Run: out.Run.Name, RunUID: out.Run.UID, Time: out.Time, Verdict: b.Verdict, Configuration: out.Configurations[b.Name],
	}
	for _, v := range b.Headline {
		entry.Values = append(entry.Values, v1alpha1.HistoryValue{Metric: v.Metric, Unit: v.Unit, Value: v.Value})
	}
	if k := slices.IndexFunc(h.History, func(e v1alpha1.HistoryEntry) bool { return e.RunUID == out.Run.UID }); k >= 0 {
		entry.Time = h.History[k].Time
		h.History[k] = entry
		return
	}
	h.History = append(h.History, entry)
	if extra := len(h.History) - maxHistory; extra > 0 {
		h.History = slices.Delete(h.History, 0, extra)
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

// NextQuarantine is the quarantine of a node that these benchmarks failed. An existing one keeps its taint and its
// beginning, and what it is owed: a second taint would be one more to account for.
func NextQuarantine(old *v1alpha1.Quarantine, t corev1.Taint, run v1alpha1.ObjectReference, failed []string, now metav1.Time) *v1alpha1.Quarantine {
	next := &v1alpha1.Quarantine{Key: t.Key, Value: t.Value, Effect: t.Effect, Since: now}
	if old != nil {
		next = old.DeepCopy()
	}
	next.Run = run
	next.Benchmarks = append(next.Benchmarks, failed...)
	slices.Sort(next.Benchmarks)
	next.Benchmarks = slices.Compact(next.Benchmarks)
	if len(next.Benchmarks) > maxQuarantineBenchmarks {
		next.Benchmarks = next.Benchmarks[:maxQuarantineBenchmarks]
	}
	return next
}
