package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestExitCodes(t *testing.T) {
	finished := func(verdict v1alpha1.Verdict, status metav1.ConditionStatus) *v1alpha1.ValidationRun {
		run, _ := fourNodes()
		run.Status.Verdict, run.Status.Conditions[0].Status = verdict, status
		return run
	}
	for name, c := range map[string]struct {
		run  *v1alpha1.ValidationRun
		want int
	}{
		"every node passed":                   {finished(v1alpha1.VerdictPass, metav1.ConditionTrue), 0},
		"nodes failed":                        {finished(v1alpha1.VerdictFail, metav1.ConditionTrue), 1},
		"inconclusive":                        {finished(v1alpha1.VerdictInconclusive, metav1.ConditionTrue), 2},
		"invalid, so never finished":          {finished(v1alpha1.VerdictError, metav1.ConditionFalse), 2},
		"a pass that is not finished is none": {finished(v1alpha1.VerdictPass, metav1.ConditionFalse), 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := exitCode(c.run); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
		})
	}
}

func TestAConditionOfAnOlderSpecEndsNothing(t *testing.T) {
	run, _ := fourNodes()
	if !over(run) {
		t.Error("a finished run is not over")
	}
	run.Generation = 2
	if over(run) {
		t.Error("a condition about generation 1 ends a run of generation 2")
	}
}

func TestOnlyARunThatNeverStartedIsOverAsInvalid(t *testing.T) {
	invalid := inProgress(1)
	invalid.Status.Conditions[0].Reason = v1alpha1.ReasonInvalid
	if over(invalid) {
		t.Error("a run in progress is over while its Benchmark is made anew")
	}
	invalid.Status.StartTime = nil
	if !over(invalid) {
		t.Error("a run that cannot start is waited for")
	}
}

func TestEachVerdictIsToldOnce(t *testing.T) {
	var p progress
	if diff := cmp.Diff([]string{"node-1: Pass, all 2 benchmarks passed"}, p.news(inProgress(1))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"node-2: Pass, all 2 benchmarks passed"}, p.news(inProgress(2))); diff != "" {
		t.Error(diff)
	}
}

func TestStatusLine(t *testing.T) {
	suspended := inProgress(1)
	suspended.Spec.Suspend = true
	invalid := inProgress(0)
	invalid.Status.Conditions[0].Reason, invalid.Status.Conditions[0].Message = v1alpha1.ReasonInvalid, "no Benchmark is named hpcg"
	for want, run := range map[string]*v1alpha1.ValidationRun{
		"waiting for the operator to see the run":                                {},
		"2/5 nodes done: 2 passed, 1 running, 2 pending; node-3: gpustream runs": inProgress(2),
		"suspended: 1/5 nodes done: 1 passed, 1 running, 3 pending":              suspended,
		"no Benchmark is named hpcg":                                             invalid,
	} {
		if got := now(run, true); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestScreenRewritesOnlyOnATerminal(t *testing.T) {
	var plain, terminal bytes.Buffer
	for _, s := range []*screen{{w: &plain}, {w: &terminal, terminal: true, width: 12}} {
		s.status("0/2 done")
		s.status("0/2 done")
		s.print("node-1: Pass")
		s.status("1/2 nodes done")
		s.finish()
	}
	if want := "0/2 done\nnode-1: Pass\n1/2 nodes done\n"; plain.String() != want {
		t.Errorf("plain: got %q, want %q", plain.String(), want)
	}
	if want := "\r\x1b[K0/2 done\r\x1b[Knode-1: Pass\n\r\x1b[K1/2 node...\n"; terminal.String() != want {
		t.Errorf("terminal: got %q, want %q", terminal.String(), want)
	}
}

func fakeCluster(t *testing.T, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).
		WithStatusSubresource(&v1alpha1.ValidationRun{}).Build()
}

// run executes a command line against a cluster and returns the exit code and what was printed.
func run(t *testing.T, c client.WithWatch, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := NewCommand("test", func() (client.WithWatch, error) { return c, nil })
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	cmd.SetErr(io.Discard)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// scripted is a cluster whose watches bring one state each, and end without any when there is none left.
type scripted struct {
	client.WithWatch
	states []watch.Event
}

func (s *scripted) Watch(context.Context, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
	w := watch.NewFakeWithChanSize(1, false)
	if len(s.states) > 0 {
		w.Action(s.states[0].Type, s.states[0].Object)
		s.states = s.states[1:]
	}
	return w, nil
}

func state(event watch.EventType, version string, run *v1alpha1.ValidationRun) watch.Event {
	run.ResourceVersion = version
	return watch.Event{Type: event, Object: run}
}

func TestWatchShowsARunToItsEnd(t *testing.T) {
	finished, _ := fourNodes()
	c := &scripted{fakeCluster(t, inProgress(1)), []watch.Event{
		state(watch.Modified, "1001", inProgress(2)), state(watch.Modified, "1002", finished),
	}}
	out, err := run(t, c, "watch", "rack-7")
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != exitFail {
		t.Errorf("got error %v, want exit code 1", err)
	}
	golden(t, "watch.golden", []byte(out))
}

func TestWatchOfARunThatIsDeletedEnds(t *testing.T) {
	c := &scripted{fakeCluster(t, inProgress(1)), []watch.Event{state(watch.Deleted, "1001", inProgress(1))}}
	_, err := run(t, c, "watch", "rack-7")
	if err == nil || err.Error() != "watching run rack-7: it was deleted" {
		t.Errorf("got %v", err)
	}
}

func TestWatchTellsANamesakeApart(t *testing.T) {
	namesake := inProgress(1)
	namesake.UID = "another"
	c := &scripted{fakeCluster(t, inProgress(1)), []watch.Event{state(watch.Added, "1001", namesake)}}
	_, err := run(t, c, "watch", "rack-7")
	if err == nil || err.Error() != "run rack-7 was deleted and created again" {
		t.Errorf("got %v", err)
	}
}

func TestWatchOfAnUnknownRunSaysSo(t *testing.T) {
	_, err := run(t, fakeCluster(t), "watch", "nope")
	if err == nil || !strings.Contains(err.Error(), "reading run nope") {
		t.Errorf("got %v", err)
	}
}

func TestReportReadsTheResultsOfItsRunOnly(t *testing.T) {
	rack, results := fourNodes()
	objects := []client.Object{rack}
	for i := range results {
		r := &results[i]
		r.Name += "-" + string(r.Run.UID)
		r.Labels = map[string]string{v1alpha1.LabelRunUID: string(r.Run.UID)}
		objects = append(objects, r)
	}
	out, err := run(t, fakeCluster(t, objects...), "report", "rack-7")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.table.golden", []byte(out))
}
