package controllers

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// passedOn remembers what reaches client-go.
type passedOn struct {
	mu   sync.Mutex
	told []string
}

func (e *passedOn) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = append(e.told, reason+": "+fmt.Sprintf(note, args...))
}

func (e *passedOn) take() []string {
	told := e.told
	e.told = nil
	return told
}

func testEvents() (*FewEvents, *passedOn, *testclock.FakePassiveClock) {
	told, c := &passedOn{}, testclock.NewFakePassiveClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	return NewFewEvents(told, c), told, c
}

func pass(c *testclock.FakePassiveClock, d time.Duration) { c.SetTime(c.Now().Add(d)) }

func runNamed(name string) *v1alpha1.ValidationRun {
	return &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}}
}

// fail tells that so many nodes of a run failed.
func (e *FewEvents) fail(run *v1alpha1.ValidationRun, nodes int) {
	for i := range nodes {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("n", i), UID: types.UID(fmt.Sprint("n", i))}}
		e.Eventf(node, run, corev1.EventTypeWarning, v1alpha1.ReasonNodeFailed, "Validate", "node %d: 50%% of peak", i)
	}
}

func TestEventsAreToldAsTheyAre(t *testing.T) {
	e, told, _ := testEvents()
	e.fail(runNamed("r"), 2)
	e.Summarise(runNamed("r"), true)
	want := []string{"NodeFailed: node 0: 50% of peak", "NodeFailed: node 1: 50% of peak"}
	if diff := cmp.Diff(want, told.take()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestAFloodOfEventsIsCounted(t *testing.T) {
	e, told, clock := testEvents()
	run := runNamed("r")
	count := func(what string, events int, summary string) {
		t.Helper()
		got := told.take()
		if summary != "" {
			if len(got) == 0 || got[len(got)-1] != summary {
				t.Errorf("%s: the last event is %q, want %q", what, got[max(0, len(got)-1):], summary)
			} else {
				got = got[:len(got)-1]
			}
		}
		if len(got) != events {
			t.Errorf("%s: %d events, want %d", what, len(got), events)
		}
	}
	more := func(n int) string {
		return fmt.Sprintf("NodeFailed: %d more NodeFailed events of this run were left out, because at most 30 a minute are sent: kubectl get validationresults -l assay.dev/run=r shows every node", n)
	}
	e.fail(run, 1000)
	e.Summarise(run, false)
	count("a thousand nodes fail in one pass", 30, more(970))

	e.fail(run, 7)
	e.Summarise(run, false)
	count("seven more in the same minute", 0, "")

	e.Eventf(run, nil, corev1.EventTypeNormal, v1alpha1.ReasonStarted, "Start", "measuring")
	count("another reason", 1, "")
	e.fail(runNamed("other"), 3)
	count("another run", 3, "")

	pass(clock, eventWindow)
	e.fail(run, 31)
	e.Summarise(run, false)
	count("a minute later", 30, more(8))

	e.fail(run, 2)
	e.Summarise(run, true)
	count("two more, and the run is over", 0, more(2))
	e.Summarise(run, true)
	count("nothing happens", 0, "")
}

func TestEventsOfManyWritersAreCounted(t *testing.T) {
	e, told, _ := testEvents()
	run := runNamed("r")
	_ = Each(make([]int, 40), func(int) error { e.fail(run, 10); return nil })
	e.Summarise(run, false)
	got := told.take()
	if len(got) != 31 || !strings.Contains(got[30], "370 more") {
		t.Errorf("%d events, the last is %q; want 30 and the number of the others", len(got), got[len(got)-1])
	}
}

func TestALaunchThatFailsAgainIsNotRepeated(t *testing.T) {
	e, told, clock := testEvents()
	run := runNamed("r")
	fails := func(why string) {
		e.Eventf(run, nil, corev1.EventTypeWarning, v1alpha1.ReasonLaunchFailed, "Launch", "%s", why)
	}
	for range 10 {
		fails("exceeded quota")
		pass(clock, 20*time.Second)
	}
	fails("denied by a policy")
	e.Summarise(run, true)
	if diff := cmp.Diff([]string{"LaunchFailed: exceeded quota", "LaunchFailed: denied by a policy"}, told.take()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	pass(clock, repeatEvent)
	fails("exceeded quota")
	if diff := cmp.Diff([]string{"LaunchFailed: exceeded quota"}, told.take()); diff != "" {
		t.Errorf("events minutes later (-want +got):\n%s", diff)
	}
}

func TestEventsAreForgotten(t *testing.T) {
	e, _, clock := testEvents()
	e.fail(runNamed("r"), 100)
	e.Eventf(runNamed("r"), nil, corev1.EventTypeWarning, v1alpha1.ReasonLaunchFailed, "Launch", "quota")
	e.Summarise(runNamed("r"), true)
	pass(clock, repeatEvent)
	e.Summarise(runNamed("later"), false)
	if left := len(e.flows) + len(e.said); left != 0 {
		t.Errorf("%d things of a run that is over are remembered", left)
	}
}
