package report

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// proved is the history of a benchmark: a verdict in each of these runs, one a day.
func proved(benchmark string, verdicts map[string]v1alpha1.Verdict, runs ...string) v1alpha1.BenchmarkHistory {
	b := v1alpha1.BenchmarkHistory{Name: benchmark}
	for _, r := range runs {
		b.Entries = append(b.Entries, v1alpha1.HistoryEntry{Run: r, RunUID: types.UID("uid-" + r), Time: metav1.NewTime(day(r)), Verdict: verdicts[r]})
	}
	return b
}

func day(run string) time.Time {
	return time.Date(2026, 11, int(run[len(run)-1]-'0'), 0, 0, 0, 0, time.UTC)
}

func TestBeforeRun(t *testing.T) {
	const pass, fail = v1alpha1.VerdictPass, v1alpha1.VerdictFail
	verdicts := map[string]v1alpha1.Verdict{"r1": pass, "r2": fail, "r3": pass, "r4": fail}
	passes := map[string]v1alpha1.Verdict{"r1": pass, "r2": pass, "r3": pass, "r4": pass}
	earlier := func(run string, v v1alpha1.Verdict) Earlier { return Earlier{run, day(run), v} }
	for sentence, c := range map[string]struct {
		benchmarks []v1alpha1.BenchmarkHistory
		run        types.UID
		want       *Before
		marks      string
	}{
		"the runs before, oldest first": {[]v1alpha1.BenchmarkHistory{proved("hbm", verdicts, "r1", "r2", "r3", "r4")}, "uid-r4",
			&Before{pass, []Earlier{earlier("r1", pass), earlier("r2", fail), earlier("r3", pass)}}, "✓✕✓"},
		"what came after it says nothing": {[]v1alpha1.BenchmarkHistory{proved("hbm", verdicts, "r1", "r2", "r3", "r4")}, "uid-r2",
			&Before{pass, []Earlier{earlier("r1", pass)}}, "✓"},
		"a run fails by any of its benchmarks": {[]v1alpha1.BenchmarkHistory{proved("gemm", passes, "r1", "r2", "r3"), proved("hbm", verdicts, "r1", "r2", "r3")}, "uid-r3",
			&Before{fail, []Earlier{earlier("r1", pass), earlier("r2", fail)}}, "✓✕"},
		"each benchmark counts as it was last measured": {[]v1alpha1.BenchmarkHistory{proved("gemm", passes, "r1", "r3", "r4"), proved("hbm", verdicts, "r1", "r2", "r4")}, "uid-r4",
			&Before{fail, []Earlier{earlier("r1", pass), earlier("r2", fail), earlier("r3", pass)}}, "✓✕✓"},
		"what this run did not prove says nothing": {[]v1alpha1.BenchmarkHistory{proved("gemm", passes, "r1", "r4"), proved("hbm", verdicts, "r1", "r2")}, "uid-r4",
			&Before{pass, []Earlier{earlier("r1", pass)}}, "✓"},
		"the first run":           {[]v1alpha1.BenchmarkHistory{proved("hbm", verdicts, "r1")}, "uid-r1", nil, ""},
		"a run that is not there": {[]v1alpha1.BenchmarkHistory{proved("hbm", verdicts, "r1", "r2")}, "uid-r9", nil, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := BeforeRun(c.run, &v1alpha1.NodeHistory{Benchmarks: c.benchmarks})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if got != nil && got.Marks() != c.marks {
				t.Errorf("%s, want %s", got.Marks(), c.marks)
			}
		})
	}
}

// TestWhatChanged is known of nodes that were measured before, and stays known where those that passed are left out.
func TestWhatChanged(t *testing.T) {
	run := &v1alpha1.ValidationRun{}
	before := map[string]*Before{}
	for name, v := range map[string][2]v1alpha1.Verdict{"worse": {"Pass", "Fail"}, "better": {"Fail", "Pass"}, "as-bad": {"Fail", "Fail"}, "as-good": {"Pass", "Pass"},
		"unmeasured": {"Fail", "Error"}, "new": {"", "Fail"}} {
		run.Status.Nodes = append(run.Status.Nodes, v1alpha1.NodeRow{Name: name, Verdict: v[1]})
		if v[0] != "" {
			before[name] = &Before{Verdict: v[0]}
		}
	}
	r := New(Input{Run: run, Before: before})
	r.LeaveOutPassed()
	if diff := cmp.Diff([][]string{{"worse"}, {"better"}}, [][]string{r.Run.NewlyFailed, r.Run.NoLongerFailed}); diff != "" {
		t.Error(diff)
	}
}
