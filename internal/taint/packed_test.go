package taint

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// passedAt is a benchmark that passed once, and tells of nothing else.
func passedAt(name string, seconds int64, m *v1alpha1.Machine) v1alpha1.BenchmarkHistory {
	return v1alpha1.BenchmarkHistory{Name: name, Verdict: v1alpha1.VerdictPass, History: []v1alpha1.HistoryEntry{{Run: "r", RunUID: "uid-r",
		Time: metav1.Unix(seconds, 0), Verdict: v1alpha1.VerdictPass, Asked: "asked of " + name, Machine: m}}}
}

// TestWhatIsPackedComesBack whatever a benchmark tells, and in its place; the rest stays in sight.
func TestWhatIsPackedComesBack(t *testing.T) {
	machine := &v1alpha1.Machine{BootID: "boot", Kernel: "6.8", Driver: "570", Devices: "8 x H200", Fabric: "rdma/hca #12345678"}
	like := *machine
	with := func(change func(*v1alpha1.BenchmarkHistory)) v1alpha1.BenchmarkHistory {
		b := passedAt("b", 1, machine)
		change(&b)
		return b
	}
	entry := func(change func(*v1alpha1.HistoryEntry)) v1alpha1.BenchmarkHistory {
		return with(func(b *v1alpha1.BenchmarkHistory) { change(&b.History[0]) })
	}
	for sentence, c := range map[string]struct {
		b     v1alpha1.BenchmarkHistory
		stays bool
	}{
		"a pass":                    {passedAt("b", 1_770_000_000, machine), false},
		"of a machine like another": {passedAt("b", 1, &like), false},
		"of no known machine":       {passedAt("b", 1, nil), false},
		"before 1970":               {passedAt("b", -5, machine), false},
		"without a time":            {entry(func(e *v1alpha1.HistoryEntry) { e.Time = metav1.Unix(time.Time{}.Unix(), 0) }), false},
		"with a long name":          {passedAt(fmt.Sprintf("%0300d", 7), 1, machine), false},
		"of what a run asked":       {entry(func(e *v1alpha1.HistoryEntry) { e.OwnParameters, e.OwnExpectations = true, true }), false},
		"and a later verdict":       {with(func(b *v1alpha1.BenchmarkHistory) { b.Verdict = v1alpha1.VerdictSkipped }), false},
		"a failure":                 {entry(func(e *v1alpha1.HistoryEntry) { e.Verdict = v1alpha1.VerdictFail }), true},
		"a pass with its figures":   {entry(func(e *v1alpha1.HistoryEntry) { e.Values = []v1alpha1.HistoryValue{{Metric: "m"}} }), true},
		"a pass that rules held":    {entry(func(e *v1alpha1.HistoryEntry) { e.Held = []v1alpha1.HeldRule{{Rule: "Min"}} }), true},
		"nothing":                   {with(func(b *v1alpha1.BenchmarkHistory) { b.History = nil }), true},
		"two passes":                {with(func(b *v1alpha1.BenchmarkHistory) { b.History = append(b.History, b.History[0]) }), true},
		"an unproved run":           {with(func(b *v1alpha1.BenchmarkHistory) { b.Unproved = []v1alpha1.UnprovedRun{{RunUID: "u"}} }), true},
		"a warning":                 {with(func(b *v1alpha1.BenchmarkHistory) { b.Warnings = []v1alpha1.Finding{{Rule: "Drift"}} }), true},
	} {
		t.Run(sentence, func(t *testing.T) {
			whole := &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: "n", UID: types.UID("u")}, Verdict: v1alpha1.VerdictPass,
				Benchmarks: []v1alpha1.BenchmarkHistory{passedAt("first", 2, machine), c.b, {Name: "another"}, passedAt("last", 3, machine)}}
			packed := whole.DeepCopy()
			Pack(packed)
			want := 1
			if c.stays {
				want = 2
			}
			if len(packed.Benchmarks) != want {
				t.Errorf("%d benchmarks are in sight, want %d", len(packed.Benchmarks), want)
			}
			for range 2 { // it is packed still
				back := Unpacked(packed)
				if diff := cmp.Diff(whole, back); diff != "" {
					t.Errorf("(-before +after):\n%s", diff)
				}
				if back.Benchmarks[0].History[0].Machine != back.Benchmarks[3].History[0].Machine {
					t.Error("two benchmarks do not share the machine that both were measured on")
				}
			}
		})
	}
}

// TestWhatIsNotPackedIsTheSame object, also where there is none.
func TestWhatIsNotPackedIsTheSame(t *testing.T) {
	for _, v := range []*v1alpha1.NodeValidation{nil, {}, {Message: "everything passed", Benchmarks: []v1alpha1.BenchmarkHistory{{Name: "b"}}}} {
		if got := Unpacked(v); got != v {
			t.Errorf("%v becomes another object: %v", v, got)
		}
	}
	v := &v1alpha1.NodeValidation{Message: "failed", Benchmarks: []v1alpha1.BenchmarkHistory{{Name: "b"}}}
	if Pack(v); v.Message != "failed" || len(v.Benchmarks) != 1 {
		t.Errorf("there is nothing to pack, and it becomes %+v", v)
	}
}
