package runs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/clitest"
)

// atWork is a run of many nodes in the middle: two are measured, one starts, three wait.
func atWork(t *testing.T) *v1alpha1.ValidationRun {
	t.Helper()
	r := clitest.InProgress(t, 1)
	r.Status.Summary = &v1alpha1.RunSummary{Nodes: 50, Passed: 1, Running: 3, Pending: 46}
	r.Status.Catalogue = &v1alpha1.PinnedCatalogue{Benchmarks: []v1alpha1.PinnedObject{{Name: "stream"}, {Name: "hpl"}}}
	measured := func(name, benchmark string, attempt int32, ago time.Duration, metrics ...v1alpha1.HeadlineValue) v1alpha1.NodeRow {
		row := pending(name, v1alpha1.ReasonRunning, "pod x is running")
		row.Measuring = &v1alpha1.Measuring{Benchmark: benchmark, Attempt: attempt, Since: metav1.NewTime(clitest.Noon.Add(-ago))}
		row.Metrics = metrics
		return row
	}
	r.Status.Nodes = append(r.Status.Nodes[:1],
		measured("node-2", "stream", 2, 12*time.Second, v1alpha1.HeadlineValue{Benchmark: "stream", Metric: "triad", Unit: "GB/s", Value: "182", PercentOfPeak: "59.4"}),
		measured("node-10", "hpl", 1, 100*time.Second, v1alpha1.HeadlineValue{Benchmark: "stream", Metric: "triad", Unit: "GB\x1b/s", Value: "0.0108"},
			v1alpha1.HeadlineValue{Benchmark: "hpl", Metric: "hpl", Value: ""}),
		pending("node-11", v1alpha1.ReasonRunning, "attempt 1 of stream is starting"))
	for i := range 3 {
		r.Status.Nodes = append(r.Status.Nodes, pending(fmt.Sprintf("node-%d", 12+i), v1alpha1.ReasonWaiting, "waiting for its turn (maxConcurrentNodes allows 3 at once)"))
	}
	return r
}

func known() costs {
	return costs{"stream": {ObjectMeta: metav1.ObjectMeta{Name: "stream"}, Spec: v1alpha1.BenchmarkSpec{CostSeconds: 15}},
		"hpl": {ObjectMeta: metav1.ObjectMeta{Name: "hpl"}, Spec: v1alpha1.BenchmarkSpec{CostSeconds: 1200}}}
}

func TestALineForEachNodeThatIsMeasured(t *testing.T) {
	l := live{run: atWork(t), costs: known()}
	for name, size := range map[string][2]int{"live.golden": {100, 24}, "live.low.golden": {100, 6}, "live.narrow.golden": {44, 8}, "live.tiny.golden": {20, 2}} {
		var lines []string
		for _, line := range l.block(clitest.Noon, size[0], size[1]) {
			lines = append(lines, shorten(line, size[0]-1))
		}
		if len(lines) > size[1]-1 && name != "live.tiny.golden" {
			t.Errorf("%d lines on a terminal of %d", len(lines), size[1])
		}
		clitest.Golden(t, name, strings.Join(lines, "\n")+"\n")
	}
}

// Where the costs of benchmarks are not known there is no bar, and where there is no status there is no more than that.
func TestALiveViewGoesWithoutWhatIsNotKnown(t *testing.T) {
	l := live{run: atWork(t)}
	if got := strings.Join(l.block(clitest.Noon, 100, 24), "\n"); strings.Contains(got, "[") || !strings.Contains(got, "12s    last: triad 182 GB/s") {
		t.Errorf("without costs:\n%s", got)
	}
	l.run.Status = v1alpha1.ValidationRunStatus{}
	if diff := cmp.Diff([]string{"waiting for the operator to pick up the run"}, l.block(clitest.Noon, 100, 24)); diff != "" {
		t.Error(diff)
	}
}

// What stays is there once, in order, and of the block only the last state, however often and in whatever size it was drawn.
func TestAScreenKeepsWhatStaysAndDrawsTheBlockAnew(t *testing.T) {
	for name, sizes := range map[string][][2]int{
		"of one size":       {{40, 8}, {40, 8}, {40, 8}},
		"that gets narrow":  {{40, 8}, {17, 8}, {9, 8}},
		"that gets wide":    {{9, 8}, {17, 8}, {40, 8}},
		"that gets low":     {{40, 8}, {40, 6}, {40, 4}},
		"narrow, then wide": {{40, 8}, {12, 8}, {40, 8}},
	} {
		t.Run("a terminal "+name, func(t *testing.T) {
			on := newTerminal(sizes[0][0], sizes[0][1])
			s := &screen{w: on, size: on.size}
			for i, size := range sizes {
				on.resize(size[0], size[1])
				s.draw([]string{fmt.Sprintf("node-%d passed", i)}, []string{fmt.Sprintf("%d of 3 nodes done, and so on", i), "node-x stream", "and 1 more"})
			}
			last := on.rows[len(on.rows)-1]
			lines := strings.Join(s.drawn, "\n")
			if !strings.HasSuffix(on.text(), lines) || len(s.drawn) > max(1, on.height-1) || last == "" {
				t.Errorf("the block is not at the end:\n%s", on.text())
			}
			s.finish()
			s.print("over")
			on.resize(40, 8)
			if want := "node-0 passed\nnode-1 passed\nnode-2 passed\nover\n"; on.text() != want {
				t.Errorf("got\n%s\nwant\n%s", on.text(), want)
			}
		})
	}
}

func TestWhatABenchmarkTookIsExpectedOfTheNextNode(t *testing.T) {
	l := live{costs: known()}
	begun := atWork(t)
	begun.Status.Nodes[1].Metrics = nil
	l.take(begun, clitest.Noon)
	ended := atWork(t)
	ended.Status.Nodes[1].Metrics, ended.Status.Nodes[1].Measuring = nil, nil                    // stream has run for 12 s
	ended.Status.Nodes[2].Measuring.Since = metav1.NewTime(clitest.Noon.Add(-100 * time.Second)) // hpl goes on
	l.take(ended, clitest.Noon.Add(8*time.Second))
	if stream := l.costs["stream"].Spec.CostSeconds; stream != 15 {
		t.Errorf("stream %d s before it has a value, want 15", stream)
	}
	valued := atWork(t)
	valued.Status.Nodes[1].Measuring = &v1alpha1.Measuring{Benchmark: "hpl", Attempt: 1, Since: metav1.NewTime(clitest.Noon)}
	l.take(valued, clitest.Noon.Add(9*time.Second))
	if stream, hpl := l.costs["stream"].Spec.CostSeconds, l.costs["hpl"].Spec.CostSeconds; stream != 20 || hpl != 1200 {
		t.Errorf("stream %d s, hpl %d s; want 20 and 1200", stream, hpl)
	}
}

// A program that fails after 3 s does not make 20 minutes of HPL take 3 s, and neither does a second attempt.
func TestAnAttemptWithoutANewValueSaysNothingOfWhatABenchmarkTakes(t *testing.T) {
	for name, metrics := range map[string][]v1alpha1.HeadlineValue{"none": nil, "an earlier one": {{Benchmark: "hpl", Metric: "hpl", Value: "7"}}} {
		l := live{costs: known()}
		begun := atWork(t)
		begun.Status.Nodes[2].Metrics = metrics
		l.take(begun, clitest.Noon)
		failed := atWork(t)
		failed.Status.Nodes[2].Measuring, failed.Status.Nodes[2].Metrics = nil, metrics
		failed.Status.Nodes[2].Verdict = v1alpha1.VerdictError
		l.take(failed, clitest.Noon.Add(3*time.Second))
		if hpl := l.costs["hpl"].Spec.CostSeconds; hpl != 1200 {
			t.Errorf("%s: hpl %d s, want 1200", name, hpl)
		}
	}
}

// Between two rounds of pairs no node is measured for a moment: what was done stays done.
func TestABarDoesNotGoBackBetweenTwoRounds(t *testing.T) {
	l := live{costs: known()}
	for name, b := range l.costs {
		b.Spec.Group = &v1alpha1.Group{Size: intstr.FromInt32(2)}
		l.costs[name] = b
	}
	l.take(atWork(t), clitest.Noon)
	during := l.block(clitest.Noon, 100, 20)[1]
	gap := atWork(t)
	for i := range gap.Status.Nodes {
		gap.Status.Nodes[i].Measuring = nil
	}
	l.take(gap, clitest.Noon)
	if got := l.block(clitest.Noon, 100, 20)[1]; got != during || !strings.Contains(got, "#") {
		t.Errorf("got  %s\nwant %s", got, during)
	}
}

func TestWatchOnATerminalLeavesWhatItLeavesInALog(t *testing.T) {
	c := clitest.Cluster(t, watches(state(watch.Modified, "1001", atWork(t)), state(watch.Modified, "1002", clitest.Finished(t))),
		append([]client.Object{clitest.InProgress(t, 1)}, pool()...)...)
	on := newTerminal(60, 10)
	found, err := watchRun(t.Context(), c, "rack-7", &screen{w: on, size: on.size})
	if err != nil || !over(found) {
		t.Fatalf("error %v, run %v", err, found)
	}
	on.resize(400, 10)
	clitest.Golden(t, "watch.terminal.golden", on.text())
}

func TestEstimate(t *testing.T) {
	run := func(nodes int32, atOnce string, change func(*v1alpha1.ValidationRunStatus)) *v1alpha1.ValidationRun {
		r := &v1alpha1.ValidationRun{}
		limit := intstr.Parse(atOnce)
		r.Spec.MaxConcurrentNodes = &limit
		r.Status.Summary = &v1alpha1.RunSummary{Nodes: nodes, Pending: nodes}
		r.Status.Catalogue = &v1alpha1.PinnedCatalogue{Benchmarks: []v1alpha1.PinnedObject{{Name: "stream"}, {Name: "hpl"}, {Name: "pairs"}}}
		if change != nil {
			change(&r.Status)
		}
		return r
	}
	all := known()
	all["pairs"] = v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "pairs"},
		Spec: v1alpha1.BenchmarkSpec{CostSeconds: 30, Group: &v1alpha1.Group{Size: intstr.FromInt32(2)}}}
	at := func(name, benchmark string, round int32, ago time.Duration, measured ...string) v1alpha1.NodeRow {
		row := pending(name, v1alpha1.ReasonRunning, "")
		row.Measuring = &v1alpha1.Measuring{Benchmark: benchmark, Round: round, Since: metav1.NewTime(clitest.Noon.Add(-ago))}
		for _, m := range measured {
			row.Metrics = append(row.Metrics, v1alpha1.HeadlineValue{Benchmark: m})
		}
		return row
	}
	const whole = 1215 + 4*30 // seconds of two nodes at once
	for name, c := range map[string]struct {
		run  *v1alpha1.ValidationRun
		left int
		of   int
	}{
		"nothing has begun":            {run(2, "100%", nil), whole, whole},
		"ten nodes, two at once":       {run(10, "2", nil), 5*1215 + 120, 5*1215 + 120},
		"a tenth of ten nodes at once": {run(10, "10%", nil), 10*1215 + 120, 10*1215 + 120},
		"a limit that cannot be read":  {run(2, "x", nil), whole, whole},
		"both nodes have run for 100 s": {run(2, "100%", func(s *v1alpha1.ValidationRunStatus) {
			s.Summary.Pending, s.Summary.Running = 0, 2
			s.Nodes = []v1alpha1.NodeRow{at("a", "hpl", 0, 100*time.Second, "stream"), at("b", "hpl", 0, 100*time.Second, "stream")}
		}), whole - 115, whole},
		"the slower node counts": {run(2, "100%", func(s *v1alpha1.ValidationRunStatus) {
			s.Summary.Pending, s.Summary.Running = 0, 2
			s.Nodes = []v1alpha1.NodeRow{at("a", "hpl", 0, 1100*time.Second, "stream"), at("b", "stream", 0, 5*time.Second)}
		}), 10 + 1200 + 120, whole},
		"what came before the benchmark that runs was skipped": {run(1, "1", func(s *v1alpha1.ValidationRunStatus) {
			s.Summary.Pending, s.Summary.Running = 0, 1
			s.Nodes = []v1alpha1.NodeRow{at("a", "hpl", 0, 100*time.Second)}
		}), 1100 + 120, whole},
		"one node is done": {run(2, "1", func(s *v1alpha1.ValidationRunStatus) {
			s.Summary.Pending, s.Summary.Passed = 1, 1
			s.Nodes = []v1alpha1.NodeRow{pending("b", "Waiting", "")}
		}), 1215 + 120, 2*1215 + 120},
		"a clock that is behind": {run(2, "100%", func(s *v1alpha1.ValidationRunStatus) {
			s.Nodes = []v1alpha1.NodeRow{at("a", "stream", 0, -time.Hour), at("b", "stream", 0, 0)}
		}), whole, whole},
		"the third round of pairs": {run(2, "100%", func(s *v1alpha1.ValidationRunStatus) {
			s.Summary.Pending, s.Summary.Running = 0, 2
			s.Nodes = []v1alpha1.NodeRow{at("a", "pairs", 3, 10*time.Second, "stream", "hpl"), at("b", "pairs", 3, 10*time.Second, "stream", "hpl")}
		}), 30 + 20, whole},
		"longer than expected": {run(2, "100%", func(s *v1alpha1.ValidationRunStatus) {
			s.Summary.Pending, s.Summary.Running = 0, 2
			s.Nodes = []v1alpha1.NodeRow{at("a", "pairs", 6, time.Hour, "stream", "hpl")}
			s.Summary.Running = 1
		}), 0, whole},
	} {
		t.Run(name, func(t *testing.T) {
			e, ok := all.estimate(c.run, clitest.Noon)
			if want := 1 - float64(c.left)/float64(c.of); !ok || int(e.left.Seconds()) != c.left || e.done < want-0.001 || e.done > want+0.001 {
				t.Errorf("got %.3f done, %s left (%v); want %.3f, %d s", e.done, e.left, ok, want, c.left)
			}
		})
	}
	suspended := run(2, "1", nil)
	suspended.Spec.Suspend = true
	for name, r := range map[string]*v1alpha1.ValidationRun{"suspended": suspended, "not started": {}, "no nodes": run(0, "1", nil),
		"a Benchmark that is gone": run(2, "1", func(s *v1alpha1.ValidationRunStatus) { s.Catalogue.Benchmarks[1].Name = "gone" })} {
		if e, ok := all.estimate(r, clitest.Noon); ok {
			t.Errorf("%s: got %+v, want none", name, e)
		}
	}
}
