package policy

import (
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/policy"
)

// TestARefusalIsSaidOnce: the status does not change in every pass while the API server refuses a run, and the refusal is said until there is
// nothing to create any more.
func TestARefusalIsSaidOnce(t *testing.T) {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "p", Generation: 1}}
	benchmark := policy.Benchmark{Object: &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "b"}}, Asked: "x"}
	w := &pass{Reconciler: &Reconciler{}, policy: p, memory: &memory{refusals: map[string]refusal{v1alpha1.ReasonLaunchFailed: {"quota", start}}}}
	for i := range 3 {
		w.now = start.Add(time.Duration(i) * time.Second)
		w.plan = policy.Next(policy.Snapshot{Policy: w.policy, Benchmarks: []policy.Benchmark{benchmark}}, w.now)
		next := w.plan.Status.DeepCopy()
		w.sayRefusals(next)
		ready := meta.FindStatusCondition(next.Conditions, v1alpha1.ConditionReady)
		if ready.Reason != v1alpha1.ReasonLaunchFailed || !ready.LastTransitionTime.Equal(&metav1.Time{Time: start}) {
			t.Errorf("after %d seconds: %s since %s, want LaunchFailed since %s", i, ready.Reason, ready.LastTransitionTime, start)
		}
		w.policy = p.DeepCopy()
		w.policy.Status = *next
	}
	for _, step := range []struct {
		look []string
		said int
	}{{[]string{"a node that may be idle"}, 1}, {nil, 0}} {
		w.plan = policy.Plan{Look: step.look}
		if err := w.checkRuns(t.Context()); err != nil || len(w.memory.refusals) != step.said {
			t.Errorf("nothing to create, and nodes to look at: %q: %d refusals, %v, want %d", step.look, len(w.memory.refusals), err, step.said)
		}
	}
}

// TestWhatIsARefusal: what a person has to change something about, in whatever way a webhook says so. The rest is tried again at once.
func TestWhatIsARefusal(t *testing.T) {
	nodes := schema.GroupResource{Resource: "nodes"}
	for sentence, c := range map[string]struct {
		err  error
		want bool
	}{
		"no right":                         {apierrors.NewForbidden(nodes, "n", nil), true},
		"a webhook that gives no code":     {&apierrors.StatusError{ErrStatus: metav1.Status{Code: 400, Message: "denied"}}, true},
		"not valid":                        {apierrors.NewInvalid(schema.GroupKind{Kind: "Node"}, "n", nil), true},
		"a name that is taken":             {takenError{"r"}, true},
		"a webhook that does not answer":   {apierrors.NewInternalError(errors.New("failed calling webhook")), false},
		"somebody else was faster":         {apierrors.NewConflict(nodes, "n", nil), false},
		"the API server is busy":           {apierrors.NewTooManyRequests("later", 1), false},
		"no answer":                        {errors.New("connection refused"), false},
		"nothing":                          {nil, false},
		"no right, said among other words": {fmt.Errorf("opening: %w", apierrors.NewForbidden(nodes, "n", nil)), true},
	} {
		if got := isRefusal(c.err); got != c.want {
			t.Errorf("%s: %v, want %v", sentence, got, c.want)
		}
	}
}

// TestARefusalAndTheClock: what was refused before the clock was set back is tried again, not left for hours.
func TestARefusalAndTheClock(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]bool{0: true, refusedFor - 1: true, refusedFor: false, -time.Hour: false} {
		if got := isRecent(now.Add(-age), now); got != want {
			t.Errorf("%s ago: %v, want %v", age, got, want)
		}
	}
}
