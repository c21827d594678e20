package runs

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/clitest"
)

func TestEachVerdictAndFindingIsReportedOnce(t *testing.T) {
	var p progress
	const link = "Link node-1, node-2: mpibench: node-1->node-2 reaches 6.1 GB/s, expected 12.2 GB/s, which its two ends reach with others"
	if diff := cmp.Diff([]string{"node-1 passed: 2 of 2 benchmarks passed", link}, p.news(clitest.InProgress(t, 1))); diff != "" {
		t.Error(diff)
	}
	second := clitest.InProgress(t, 2)
	second.Status.Nodes = append(second.Status.Nodes, v1alpha1.NodeRow{Name: "node-9"})
	if diff := cmp.Diff([]string{"node-2 passed: 2 of 2 benchmarks passed"}, p.news(second)); diff != "" {
		t.Error(diff)
	}
	second.Status.Nodes[0].Verdict, second.Status.Nodes[0].Message = v1alpha1.VerdictError, "the node\nwas \x1b[2Jdeleted"
	if diff := cmp.Diff([]string{"node-1 could not be measured: the node was [2Jdeleted"}, p.news(second)); diff != "" {
		t.Error(diff)
	}
}

// pending is a node that is not done.
func pending(name, reason, message string) v1alpha1.NodeRow {
	return v1alpha1.NodeRow{Name: name, Verdict: v1alpha1.VerdictPending, Reason: reason, Message: message}
}

func TestStatusLine(t *testing.T) {
	with := func(change func(*v1alpha1.ValidationRun)) *v1alpha1.ValidationRun {
		r := clitest.InProgress(t, 2)
		change(r)
		return r
	}
	condition := func(r *v1alpha1.ValidationRun) *metav1.Condition { return &r.Status.Conditions[0] }
	waiting := func(nodes ...v1alpha1.NodeRow) *v1alpha1.ValidationRun {
		return with(func(r *v1alpha1.ValidationRun) {
			condition(r).Reason = v1alpha1.ReasonWaiting
			r.Status.Nodes = append(r.Status.Nodes[:2], nodes...)
		})
	}
	const progress = "2 of 5 nodes done: 2 passed; 1 running, 2 pending"
	for name, c := range map[string]struct {
		run  *v1alpha1.ValidationRun
		want string
	}{
		"nobody has seen the run": {run: &v1alpha1.ValidationRun{}, want: "waiting for the operator to pick up the run"},
		"seen, but its nodes are not known": {run: with(func(r *v1alpha1.ValidationRun) { r.Status.Summary = nil }),
			want: "waiting for the operator to pick up the run"},
		"what nodes at work do changes too often": {run: clitest.InProgress(t, 2), want: progress},
		"three waiting nodes fit": {run: waiting(pending("node-3", "Waiting", "x"), pending("node-4", "Waiting", "a"), pending("node-5", "Waiting", "b")),
			want: progress + "; node-3: x; node-4: a; node-5: b"},
		"more nodes wait than fit": {run: waiting(pending("node-3", "Waiting", "x"), pending("node-4", "Waiting", ""), pending("node-5", "Waiting", "b"),
			pending("node-6", "Running", "y"), pending("node-7", "Waiting", "d\x1be"), pending("node-8", "Waiting", "f")),
			want: progress + "; node-3: x; node-5: b; node-7: de; and 1 more"},
		"nodes that wait for the same": {run: waiting(pending("node-3", "Waiting", "x"), pending("node-4", "Waiting", "x"), pending("node-5", "Waiting", "x"),
			pending("node-6", "Waiting", "x"), pending("node-7", "Waiting", "y")),
			want: progress + "; node-3, node-4 and 2 more: x; node-7: y"},
		"nothing can run": {run: waiting(pending("node-3", "Waiting", "run rack-6 measures it")),
			want: "2 of 5 nodes done: 2 passed; 1 running, 2 pending; node-3: run rack-6 measures it"},
		"the API server refuses": {run: with(func(r *v1alpha1.ValidationRun) { r.Status.LastWriteError = "exceeded\nquota"; r.Status.Nodes = nil }),
			want: "2 of 5 nodes done: 2 passed; 1 running, 2 pending; the API server refused what the operator wrote, and the operator tries again: exceeded quota"},
		"suspended": {run: with(func(r *v1alpha1.ValidationRun) { r.Spec.Suspend = true }),
			want: "suspended (set spec.suspend to false to go on): 2 of 5 nodes done: 2 passed; 1 running, 2 pending"},
		"suspended when it was over": {run: with(func(r *v1alpha1.ValidationRun) {
			r.Spec.Suspend, r.Status.Nodes = true, nil
			condition(r).Status = metav1.ConditionTrue
		}), want: "2 of 5 nodes done: 2 passed; 1 running, 2 pending"},
		"invalid, suspended or not": {run: with(func(r *v1alpha1.ValidationRun) {
			r.Spec.Suspend, r.Status.Summary = true, nil
			condition(r).Reason, condition(r).Message = v1alpha1.ReasonInvalid, "no Benchmark\nis named hpcg"
		}), want: "no Benchmark is named hpcg"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := now(c.run); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestAFileIsNoTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if newScreen(file).terminal() || newScreen(&bytes.Buffer{}).terminal() {
		t.Error("what is written to a file or a pipe would be rewritten line by line")
	}
}

func TestWatchThatIsInterruptedSaysThatTheRunGoesOn(t *testing.T) {
	for name, open := range map[string]bool{"while a watch is open": true, "while none is": false} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c := clitest.Cluster(t, interceptor.Funcs{Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
				w := watch.NewFake()
				if !open {
					w.Stop()
				}
				cancel()
				return w, nil
			}}, clitest.InProgress(t, 1))
			var out bytes.Buffer
			_, err := watchRun(ctx, c, "rack-7", &screen{w: &out})
			clitest.Fails(t, err, "interrupted, but the run goes on: kubectl assay watch rack-7 shows it again")
		})
	}
}

// A pass may have something to it that a user must know.
func TestTheNoteOfANodeThatPassedIsNews(t *testing.T) {
	run := clitest.Finished(t)
	run.Status.Nodes[4].Note = "gpu3 passed its second measurement only" // node-1
	var p progress
	if got := p.news(run); !slices.Contains(got, "node-1 passed: 1 of 1 benchmarks passed; gpu3 passed its second measurement only") {
		t.Errorf("watch says %q", got)
	}
}
