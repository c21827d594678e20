// Long, because every line that watch may print is a case of one table.

package runs

import (
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/cli/output"
	"github.com/assay-dev/assay/test/clitest"
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
	var exit *output.ExitError
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
	c := clitest.Cluster(t, watches(state(watch.Modified, "1001", clitest.InProgress(t, 2)), state(watch.Modified, "1002", clitest.Finished(t))), clitest.InProgress(t, 1))
	out, err := runruns(t, c, "watch", "rack-7")
	if code(err) != 1 {
		t.Errorf("got error %v, want exit code 1", err)
	}
	clitest.Golden(t, "watch.golden", out)
}

func TestExitCodeOfWatch(t *testing.T) {
	invalid := clitest.InProgress(t, 0)
	invalid.Status = v1alpha1.ValidationRunStatus{Conditions: invalid.Status.Conditions}
	invalid.Status.Conditions[0].Reason, invalid.Status.Conditions[0].Message = v1alpha1.ReasonInvalid, "no Benchmark is named hpcg"
	// An operator that judged before it said so.
	passedInvalid := invalid.DeepCopy()
	passedInvalid.Status.Verdict = v1alpha1.VerdictPass
	ended := func(v v1alpha1.Verdict) *v1alpha1.ValidationRun {
		r := clitest.Finished(t)
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
			if _, err := runruns(t, clitest.Cluster(t, interceptor.Funcs{}, c.run), "watch", "rack-7"); code(err) != c.want {
				t.Errorf("error %v, want exit code %d", err, c.want)
			}
		})
	}
}

func TestWatchOfARunThatCannotStartSaysWhy(t *testing.T) {
	invalid := clitest.InProgress(t, 0)
	invalid.Status = v1alpha1.ValidationRunStatus{Conditions: invalid.Status.Conditions}
	invalid.Status.Conditions[0].Reason, invalid.Status.Conditions[0].Message = v1alpha1.ReasonInvalid, "no Benchmark is named hpcg"
	out, _ := runruns(t, clitest.Cluster(t, interceptor.Funcs{}, invalid), "watch", "rack-7")
	if want := "Run rack-7: Pending (Invalid), 0 nodes\nno Benchmark is named hpcg\n"; out != want {
		t.Errorf("got  %q\nwant %q", out, want)
	}
}

// Each of these is not the end: the watch goes on until the run is over.
func TestWatchWaitsUntilARunIsOver(t *testing.T) {
	older := clitest.Finished(t)
	older.Generation = 2
	upgrade := clitest.InProgress(t, 1)
	upgrade.Status.Conditions[0].Reason, upgrade.Status.Conditions[0].Message = v1alpha1.ReasonInvalid, "no Benchmark is named hpcg"
	unseen := clitest.Finished(t)
	unseen.Status = v1alpha1.ValidationRunStatus{}
	for name, first := range map[string]*v1alpha1.ValidationRun{
		"the end of an older spec":                           older,
		"started, and invalid while Benchmarks are replaced": upgrade,
		"nobody has seen it":                                 unseen,
	} {
		t.Run(name, func(t *testing.T) {
			end := clitest.Finished(t)
			end.Generation, end.Status.Conditions[0].ObservedGeneration = 2, 2
			// The fake cluster's version of first is 999: this is no news, and the watch stays open.
			w := watch.NewFakeWithChanSize(2, false)
			w.Add(state(watch.Added, "999", first.DeepCopy()).Object)
			w.Modify(state(watch.Modified, "1001", end).Object)
			c := clitest.Cluster(t, interceptor.Funcs{Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
				return w, nil
			}}, first)
			if out, err := runruns(t, c, "watch", "rack-7"); code(err) != 1 || strings.Count(out, "\n") < 3 {
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
			c := clitest.Cluster(t, interceptor.Funcs{
				Watch: ending.Watch,
				Get: func(_ context.Context, _ client.WithWatch, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
					reads++
					from := clitest.InProgress(t, reads)
					if reads == 3 {
						from = clitest.Finished(t)
					}
					from.DeepCopyInto(o.(*v1alpha1.ValidationRun))
					return nil
				},
			})
			if _, err := runruns(t, c, "watch", "rack-7"); code(err) != 1 || reads != 3 {
				t.Errorf("got %v after %d reads, want exit code 1 after 3", err, reads)
			}
		})
	}
}

func TestWatchSaysWhyItBrokeOff(t *testing.T) {
	namesake := clitest.InProgress(t, 1)
	namesake.UID = "another"
	forbidden := interceptor.Funcs{Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
		return nil, apierrors.NewForbidden(clitest.Runs, "", errors.New("no right to watch"))
	}}
	reads := 0
	gone := interceptor.Funcs{Watch: watches().Watch,
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if reads++; reads > 1 {
				return apierrors.NewNotFound(clitest.Runs, key.Name)
			}
			return c.Get(ctx, key, o, opts...)
		}}
	for name, c := range map[string]struct {
		instead interceptor.Funcs
		want    string
	}{
		"deleted":                     {watches(state(watch.Deleted, "1001", clitest.InProgress(t, 1))), "run rack-7 was deleted before it was over"},
		"deleted between two watches": {gone, "run rack-7 was deleted before it was over"},
		"replaced":                    {watches(state(watch.Added, "1001", namesake)), "run rack-7 was deleted and created again: kubectl assay watch rack-7 shows the new one"},
		"forbidden":                   {forbidden, `watching run rack-7: validationruns.assay.dev is forbidden: no right to watch`},
		"no such run":                 {clitest.Getting[*v1alpha1.ValidationRun](apierrors.NewNotFound(clitest.Runs, "rack-7")), `there is no run "rack-7": kubectl get validationruns lists all runs`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := runruns(t, clitest.Cluster(t, c.instead, clitest.InProgress(t, 1)), "watch", "rack-7")
			clitest.Fails(t, err, c.want)
		})
	}
}
