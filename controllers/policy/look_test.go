package policy

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/policy"
)

// TestBudgetOfLooks: as many as one pass may ask for at once, and five a second after that, however often passes come.
func TestBudgetOfLooks(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	looks := rate.NewLimiter(looksPerSecond, policy.MaxLooks)
	for _, step := range []struct {
		what        string
		after       time.Duration
		asked, want int
	}{
		{"at first", 0, policy.MaxLooks, policy.MaxLooks},
		{"at once again", 0, policy.MaxLooks, 0},
		{"half a second later", 500 * time.Millisecond, policy.MaxLooks, 2},
		{"as much later", 500 * time.Millisecond, policy.MaxLooks, 3},
		{"no more than are asked for", 2 * time.Second, 4, 4},
		{"what was left then", 0, policy.MaxLooks, 6},
		{"hours later", 5 * time.Hour, 2 * policy.MaxLooks, policy.MaxLooks},
		{"the clock is set back", -time.Hour, 10, 0},
		{"and goes on", 2 * time.Second, 50, 10},
	} {
		now = now.Add(step.after)
		if got := take(looks, step.asked, now); got != step.want {
			t.Errorf("%s: %d looks, want %d", step.what, got, step.want)
		}
	}
}

// TestLooksAreForgotten also where no node is looked at any more.
func TestLooksAreForgotten(t *testing.T) {
	c := validFleet(t, 2)
	r := &Reconciler{Client: c, Recorder: silent{}, Clock: clock.RealClock{}, Metrics: metrics.New(prometheus.NewRegistry()), cached: c.objects()}
	pass := func() {
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: c.policy.Name}}); err != nil {
			t.Fatal(err)
		}
	}
	pass()
	looks := r.memories[c.policy.Name].looks
	looks["gone"] = policy.Look{At: time.Now().Add(-keepLook - time.Second)}
	looks["uid-0"] = policy.Look{At: time.Now()}
	pass()
	if _, kept := looks["uid-0"]; !kept || len(looks) != 1 {
		t.Errorf("these looks are left: %v", looks)
	}
}
