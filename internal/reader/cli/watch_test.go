// Long, because every line that watch may print is a case of one table.

package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// watches brings one state by each watch, which then stays open or, where nothing is left to bring, ends.
func watches(states ...watch.Event) interceptor.Funcs {
	return interceptor.Funcs{Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
		w := watch.NewFakeWithChanSize(1, false)
		if len(states) == 0 {
			w.Stop()
			return w, nil
		}
		w.Action(states[0].Type, states[0].Object)
		states = states[1:]
		return w, nil
	}}
}

func state(event watch.EventType, version string, run *v1alpha1.ValidationRun) watch.Event {
	run.ResourceVersion = version
	return watch.Event{Type: event, Object: run}
}

// code is the exit code that an error stands for, beside what it says.
func code(err error) int {
	var exit *ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.Code
	default:
		return -1
	}
}

func TestWatchShowsARunToItsEnd(t *testing.T) {
	c := cluster(t, watches(state(watch.Modified, "1001", inProgress(t, 2)), state(watch.Modified, "1002", finished(t))), inProgress(t, 1))
	out, err := run(t, c, "watch", "rack-7")
	if code(err) != 1 {
		t.Errorf("got error %v, want exit code 1", err)
	}
	golden(t, "watch.golden", out)
}

func TestExitCodeOfWatch(t *testing.T) {
	invalid := inProgress(t, 0)
	invalid.Status = v1alpha1.ValidationRunStatus{Conditions: invalid.Status.Conditions}
	invalid.Status.Conditions[0].Reason, invalid.Status.Conditions[0].Message = v1alpha1.ReasonInvalid, "no Benchmark is named hpcg"
	// An operator that judged before it said so.
	passedInvalid := invalid.DeepCopy()
	passedInvalid.Status.Verdict = v1alpha1.VerdictPass
	ended := func(v v1alpha1.Verdict) *v1alpha1.ValidationRun {
		r := finished(t)
		r.Status.Verdict = v
		return r
	}
	for name, c := range map[string]struct {
		run  *v1alpha1.ValidationRun
		want int
	}{
		"every node passed":                {ended(v1alpha1.VerdictPass), 0},
		"nodes failed":                     {ended(v1alpha1.VerdictFail), 1},
		"inconclusive":                     {ended(v1alpha1.VerdictInconclusive), 2},
		"an error":                         {ended(v1alpha1.VerdictError), 2},
		"it cannot start as it is":         {invalid, 2},
		"a pass that is not finished":      {passedInvalid, 2},
		"finished without having a reason": {ended(""), 2},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := run(t, cluster(t, interceptor.Funcs{}, c.run), "watch", "rack-7"); code(err) != c.want {
				t.Errorf("error %v, want exit code %d", err, c.want)
			}
		})
	}
}

func TestWatchOfARunThatCannotStartSaysWhy(t *testing.T) {
	invalid := inProgress(t, 0)
	invalid.Status = v1alpha1.ValidationRunStatus{Conditions: invalid.Status.Conditions}
	invalid.Status.Conditions[0].Reason, invalid.Status.Conditions[0].Message = v1alpha1.ReasonInvalid, "no Benchmark is named hpcg"
	out, _ := run(t, cluster(t, interceptor.Funcs{}, invalid), "watch", "rack-7")
	if want := "Run rack-7: Pending (Invalid), 0 nodes\nno Benchmark is named hpcg\n"; out != want {
		t.Errorf("got  %q\nwant %q", out, want)
	}
}

// Each of these is not the end: the watch goes on until the run is over.
func TestWatchWaitsUntilARunIsOver(t *testing.T) {
	older := finished(t)
	older.Generation = 2
	upgrade := inProgress(t, 1)
	upgrade.Status.Conditions[0].Reason, upgrade.Status.Conditions[0].Message = v1alpha1.ReasonInvalid, "no Benchmark is named hpcg"
	unseen := finished(t)
	unseen.Status = v1alpha1.ValidationRunStatus{}
	for name, first := range map[string]*v1alpha1.ValidationRun{
		"the end of an older spec":                           older,
		"started, and invalid while Benchmarks are replaced": upgrade,
		"nobody has seen it":                                 unseen,
	} {
		t.Run(name, func(t *testing.T) {
			end := finished(t)
			end.Generation, end.Status.Conditions[0].ObservedGeneration = 2, 2
			// The fake cluster's version of first is 999: this is no news, and the watch stays open.
			w := watch.NewFakeWithChanSize(2, false)
			w.Add(state(watch.Added, "999", first.DeepCopy()).Object)
			w.Modify(state(watch.Modified, "1001", end).Object)
			c := cluster(t, interceptor.Funcs{Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
				return w, nil
			}}, first)
			if out, err := run(t, c, "watch", "rack-7"); code(err) != 1 || strings.Count(out, "\n") < 3 {
				t.Errorf("error %v, want exit code 1; output\n%s", err, out)
			}
		})
	}
}

func TestWatchGoesOnWhereAWatchEnds(t *testing.T) {
	expired := watches(watch.Event{Type: watch.Error, Object: &metav1.Status{Reason: metav1.StatusReasonExpired}}, watch.Event{Type: watch.Error})
	for name, ending := range map[string]interceptor.Funcs{"closed": watches(), "by an error": expired} {
		t.Run(name, func(t *testing.T) {
			reads := 0
			c := cluster(t, interceptor.Funcs{
				Watch: ending.Watch,
				Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
					reads++
					from := inProgress(t, reads)
					if reads == 3 {
						from = finished(t)
					}
					from.DeepCopyInto(o.(*v1alpha1.ValidationRun))
					return nil
				},
			})
			if _, err := run(t, c, "watch", "rack-7"); code(err) != 1 || reads != 3 {
				t.Errorf("got %v after %d reads, want exit code 1 after 3", err, reads)
			}
		})
	}
}

func TestWatchSaysWhyItBrokeOff(t *testing.T) {
	namesake := inProgress(t, 1)
	namesake.UID = "another"
	forbidden := interceptor.Funcs{Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
		return nil, apierrors.NewForbidden(runs, "", errors.New("no right to watch"))
	}}
	reads := 0
	gone := interceptor.Funcs{Watch: watches().Watch,
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if reads++; reads > 1 {
				return apierrors.NewNotFound(runs, key.Name)
			}
			return c.Get(ctx, key, o, opts...)
		}}
	for name, c := range map[string]struct {
		instead interceptor.Funcs
		want    string
	}{
		"deleted":                     {watches(state(watch.Deleted, "1001", inProgress(t, 1))), "run rack-7 was deleted before it was over"},
		"deleted between two watches": {gone, "run rack-7 was deleted before it was over"},
		"replaced":                    {watches(state(watch.Added, "1001", namesake)), "run rack-7 was deleted and created again: kubectl assay watch rack-7 shows the new one"},
		"forbidden":                   {forbidden, `watching run rack-7: validationruns.assay.dev is forbidden: no right to watch`},
		"no such run":                 {getting[*v1alpha1.ValidationRun](apierrors.NewNotFound(runs, "rack-7")), `there is no run "rack-7": kubectl get validationruns lists all runs`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, cluster(t, c.instead, inProgress(t, 1)), "watch", "rack-7")
			fails(t, err, c.want)
		})
	}
}

func TestWatchThatIsInterruptedSaysThatTheRunGoesOn(t *testing.T) {
	for name, open := range map[string]bool{"while a watch is open": true, "while none is": false} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c := cluster(t, interceptor.Funcs{Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
				w := watch.NewFake()
				if !open {
					w.Stop()
				}
				cancel()
				return w, nil
			}}, inProgress(t, 1))
			var out bytes.Buffer
			_, err := watchRun(ctx, c, "rack-7", &screen{w: &out})
			fails(t, err, "interrupted, but the run goes on: kubectl assay watch rack-7 shows it again")
		})
	}
}

func TestEachVerdictAndFindingIsReportedOnce(t *testing.T) {
	var p progress
	const link = "Link node-1, node-2: mpibench: node-1->node-2 reaches 6.1 GB/s, expected 12.2 GB/s, which its two ends reach with others"
	if diff := cmp.Diff([]string{"node-1 passed: 2 of 2 benchmarks passed", link}, p.news(inProgress(t, 1))); diff != "" {
		t.Error(diff)
	}
	second := inProgress(t, 2)
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
		r := inProgress(t, 2)
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
		"what nodes at work do changes too often": {run: inProgress(t, 2), want: progress},
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
