package run

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/test/hand"
)

// ownPod is a pod of the run, on node a.
func ownPod(run *v1alpha1.ValidationRun) client.Object {
	p := podNamed("p")
	p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("ValidationRun"))}
	p.Finalizers = []string{"example.com/hangs"} // so that it is still there after its deletion
	p.Spec.NodeName = "a"
	return p
}

// finished is the condition that says whether a run is over, as "status/reason: message".
func finished(t *testing.T, h *hand.Cluster) string {
	t.Helper()
	run := &v1alpha1.ValidationRun{}
	if err := h.Get(t.Context(), client.ObjectKey{Name: "run"}, run); err != nil {
		t.Fatal(err)
	}
	c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
	if c == nil {
		return ""
	}
	return string(c.Status) + "/" + c.Reason + ": " + c.Message
}

// TestAnInvalidRun waits to be put right until its deadline; then its pods go, and it is over.
func TestAnInvalidRun(t *testing.T) {
	const cause = "there is no Benchmark x"
	deadline := -600 * time.Second
	for sentence, c := range map[string]struct {
		started time.Duration
		change  func(*v1alpha1.ValidationRun)
		pod     bool
		refuse  func(string) error
		want    string
		deletes bool
		again   time.Duration
		err     error
	}{
		"it has time left": {started: -time.Minute, pod: true, want: "False/Invalid: " + cause, again: 540 * time.Second},
		"it is suspended, with a pod": {started: -time.Minute, change: func(r *v1alpha1.ValidationRun) { r.Spec.Suspend = true }, pod: true,
			want: "False/Invalid: " + cause, deletes: true, again: assess.CleanupRecheck},
		"it is suspended, with nothing left":         {started: -time.Minute, change: func(r *v1alpha1.ValidationRun) { r.Spec.Suspend = true }, want: "False/Invalid: " + cause},
		"it is suspended, and would be over by time": {started: deadline, change: func(r *v1alpha1.ValidationRun) { r.Spec.Suspend = true }, want: "False/Invalid: " + cause},
		"it is over":                    {started: deadline, want: "True/Invalid: " + cause},
		"it is over, and a pod is left": {started: deadline, pod: true, deletes: true, again: assess.CleanupRecheck},
		"it is over, and a pod hangs for too long": {started: deadline - observe.CleanupGrace, pod: true, want: "True/Invalid: " + cause, deletes: true,
			again: assess.CleanupRecheck},
		"its pods cannot be deleted at its deadline": {started: deadline, pod: true, refuse: hand.Refusing("delete", 1, hand.ErrDown), deletes: true, err: hand.ErrDown},
		"its pods can never be deleted": {started: deadline - observe.CleanupGrace, pod: true, refuse: hand.Refusing("delete", 1, hand.ErrDown),
			want: "True/Invalid: " + cause + "; its pods could not be deleted: deleting pod p: connection refused", deletes: true, again: assess.CleanupRecheck},
	} {
		t.Run(sentence, func(t *testing.T) {
			run := startedRun()
			run.Status.StartTime = &metav1.Time{Time: begin.Add(c.started)}
			if c.change != nil {
				c.change(run)
			}
			objects := []client.Object{nodeOf("a"), run}
			if c.pod {
				objects = append(objects, ownPod(run))
			}
			h := hand.New(t, objects...)
			h.Refuse = c.refuse
			r := reconcilerOf(h)
			if err := h.Get(t.Context(), client.ObjectKey{Name: "run"}, run); err != nil {
				t.Fatal(err)
			}
			again, err := r.invalid(t.Context(), run, observe.Invalid(cause))
			if !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
			if diff := cmp.Diff(reconcile.Result{RequeueAfter: c.again}, again); diff != "" {
				t.Errorf("it is looked at again (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.want, finished(t, h)); diff != "" {
				t.Errorf("condition Finished (-want +got):\n%s", diff)
			}
			if deletes := strings.Contains(strings.Join(h.Writes, "\n"), "delete uid-p of Pod p"); deletes != c.deletes {
				t.Errorf("its pod is deleted: %v, want %v (%q)", deletes, c.deletes, h.Writes)
			}
			if told := h.Told(); (len(told) == 1) != (c.want != "") {
				t.Errorf("events %q", told)
			}
		})
	}
}

// TestAnInvalidRunIsToldOnce: it is looked at again at each change in the cluster.
func TestAnInvalidRunIsToldOnce(t *testing.T) {
	h := hand.New(t, startedRun())
	r := reconcilerOf(h)
	for range 2 {
		run := &v1alpha1.ValidationRun{}
		if err := h.Get(t.Context(), client.ObjectKey{Name: "run"}, run); err != nil {
			t.Fatal(err)
		}
		if _, err := r.invalid(t.Context(), run, observe.Invalid("there is no Benchmark x")); err != nil {
			t.Fatal(err)
		}
	}
	if told := h.Told(); len(told) != 1 || len(h.Writes) != 1 {
		t.Errorf("events %q, writes %q", told, h.Writes)
	}
	if _, err := r.invalid(t.Context(), startedRun(), hand.ErrDown); !errors.Is(err, hand.ErrDown) || len(h.Writes) != 1 {
		t.Errorf("what is not the user's mistake is tried again: error %v, writes %q", err, h.Writes)
	}
}

// TestARunThatIsKeptFromItsStart is told of what does not pass by itself, and of anything at its deadline.
func TestARunThatIsKeptFromItsStart(t *testing.T) {
	pods := schema.GroupResource{Resource: "controllerrevisions"}
	for sentence, c := range map[string]struct {
		cause error
		age   time.Duration
		want  string
		again bool // tried again: the error is returned
	}{
		"the API server is away":                  {hand.ErrDown, time.Minute, "", true},
		"the API server is away, at the deadline": {hand.ErrDown, 600 * time.Second, "True/Invalid: the run cannot start: connection refused", false},
		"it is forbidden":                         {apierrors.NewForbidden(pods, "r", errors.New("a policy")), time.Minute, "False/Invalid: the run cannot start: ", true},
		"it is invalid":                           {invalid(), time.Minute, "False/Invalid: the run cannot start: ", true},
		"it is too large":                         {apierrors.NewRequestEntityTooLargeError("limit is 3145728"), time.Minute, "False/Invalid: the run cannot start: ", true},
		"it is forbidden, at the deadline":        {apierrors.NewForbidden(pods, "r", errors.New("a policy")), 600 * time.Second, "True/Invalid: the run cannot start: ", false},
	} {
		t.Run(sentence, func(t *testing.T) {
			run := startedRun()
			run.Status.StartTime, run.CreationTimestamp = nil, metav1.NewTime(begin.Add(-c.age))
			h := hand.New(t, run)
			if err := h.Get(t.Context(), client.ObjectKey{Name: "run"}, run); err != nil {
				t.Fatal(err)
			}
			_, err := reconcilerOf(h).cannotStart(t.Context(), run, c.cause)
			if again := errors.Is(err, c.cause); again != c.again || err != nil && !again {
				t.Errorf("error %v; tried again: %v, want %v", err, again, c.again)
			}
			if got := finished(t, h); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
				t.Errorf("condition Finished is %q, want %q", got, c.want)
			}
		})
	}
}

// TestAResumedRunThatIsKeptFromItsStart has all its time from then on (P2), however long it was suspended: an error that passes ends nothing, one that stays ends it.
func TestAResumedRunThatIsKeptFromItsStart(t *testing.T) {
	run := startedRun()
	run.Status.StartTime, run.CreationTimestamp, run.Spec.Suspend = nil, metav1.NewTime(begin.Add(-24*time.Hour)), true
	meta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonSuspended})
	h := hand.New(t, run)
	r := reconcilerOf(h)
	clock := testclock.NewFakePassiveClock(begin)
	r.Clock = clock
	r.own = r.objects()
	for _, c := range []struct {
		suspend bool
		after   time.Duration
		want    string
	}{
		{true, 0, ""},
		{false, 0, "False/Invalid: the run cannot start: connection refused"},
		{false, 599 * time.Second, "False/Invalid: the run cannot start: connection refused"},
		{false, 600 * time.Second, "True/Invalid: the run cannot start: connection refused"},
	} {
		clock.SetTime(begin.Add(c.after))
		run = runIn(t, h)
		run.Spec.Suspend = c.suspend
		if err := h.Update(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		if _, err := r.cannotStart(t.Context(), run, hand.ErrDown); (err == nil) != strings.HasPrefix(c.want, "True") {
			t.Errorf("after %s: error %v", c.after, err)
		}
		if got := finished(t, h); got != c.want {
			t.Errorf("suspended: %v, after %s: condition Finished is %q, want %q", c.suspend, c.after, got, c.want)
		}
	}
}

// TestWhatIsCleanedUpIsTheRunsOwn, object by object: a namesake that came meanwhile has another UID.
func TestWhatIsCleanedUpIsTheRunsOwn(t *testing.T) {
	run := startedRun()
	owner := []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("ValidationRun"))}
	policy := func(name string, owners []metav1.OwnerReference) client.Object {
		p := &networkingv1.NetworkPolicy{}
		p.Name, p.Namespace, p.UID, p.OwnerReferences = name, "bench", "uid-of-policy", owners
		p.Labels = map[string]string{v1alpha1.LabelRunUID: string(run.UID)}
		return p
	}
	stranger := podNamed("stranger")
	stranger.Labels = map[string]string{v1alpha1.LabelRunUID: string(run.UID)}
	h := hand.New(t, nodeOf("a"), run, ownPod(run), stranger, policy("own", owner), policy("other", nil))
	left, err := reconcilerOf(h).own.DeleteAll(t.Context(), run)
	if err != nil || left != 1 {
		t.Errorf("%d pods and MPIJobs are left, error %v; want 1", left, err)
	}
	if diff := cmp.Diff([]string{"delete uid-p of Pod p", "delete uid-of-policy of NetworkPolicy own"}, h.Writes); diff != "" {
		t.Errorf("other writes (-want +got):\n%s", diff)
	}
}
