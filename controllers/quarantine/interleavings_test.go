//go:build !race

package quarantine

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// TestEveryInterleavingOfTwoLeaders: two leaders taint, lift and renounce, each stalled before any of its calls or stopped there for ever, in
// every order of their calls. What was never announced is never on a node, what a record wants is never taken away, what others put there
// stays, the budget holds; and once the next leader has passed, the end is that of one leader.
func TestEveryInterleavingOfTwoLeaders(t *testing.T) {
	retry.DefaultBackoff = wait.Backoff{Steps: 5}
	fails := func(node, run string, at time.Duration) deed {
		return deedOf(v1alpha1.VerdictFail, node, run, begin.Add(at))
	}
	passes := func(node, run string, at time.Duration) deed {
		return deedOf(v1alpha1.VerdictPass, node, run, begin.Add(at))
	}
	total := 0
	for sentence, c := range map[string]struct {
		convicted bool // an hour ago
		deeds     []deed
		tainted   int // at the end
		max       int
		// stops: one of them may be stopped for ever, which is left out where there are too many orders as it is.
		stops bool
		// out of service at the end, on a cluster of GPUs of which the first is, where the node is convicted; empty: it is another cluster.
		out string
	}{
		"both taint it for one run":                       {false, []deed{fails("a", "r", 0), fails("a", "r", 0)}, 1, 0, false, ""},
		"two runs taint it":                               {false, []deed{fails("a", "r", 0), fails("a", "s", time.Minute)}, 1, 0, false, ""},
		"both want the last taint of the budget":          {false, []deed{fails("a", "r", 0), fails("b", "s", 0)}, 1, 1, false, ""},
		"one lifts what the other convicts anew":          {true, []deed{passes("a", "p", -time.Minute), fails("a", "f", 0)}, 1, 0, true, ""},
		"both lift it":                                    {true, []deed{passes("a", "p", 0), passes("a", "p", 0)}, 0, 0, true, ""},
		"one lifts it, and its place goes to another":     {true, []deed{passes("a", "p", 0), fails("b", "f", 0)}, 1, 1, false, ""},
		"one taints what the other has seen pass later":   {false, []deed{fails("a", "f", 0), passes("a", "p", time.Minute)}, 0, 0, true, ""},
		"one convicts again what the other has seen pass": {true, []deed{fails("a", "f", -time.Minute), passes("a", "p", 0)}, 0, 0, true, ""},

		"two runs take the same GPU out of service":          {false, []deed{fails("a", "r", 0).of("gpu1"), fails("a", "s", time.Minute).of("gpu1")}, 1, 0, false, "GPU-1"},
		"two runs find two GPUs slow":                        {true, []deed{fails("a", "r", 0).of("gpu1"), fails("a", "s", time.Minute).of("gpu1", "gpu2")}, 1, 0, false, "GPU-1 GPU-2"},
		"one finds a link slow, the other a GPU":             {true, []deed{fails("a", "r", 0).of("gpu1->gpu2"), fails("a", "s", time.Minute).of("gpu1")}, 1, 0, false, "GPU-1 or node"},
		"one lifts it, and the other finds another GPU slow": {true, []deed{passes("a", "p", -time.Minute).of(), fails("a", "f", 0).of("gpu1")}, 1, 0, false, "GPU-1"},
		"both bring the GPU back":                            {true, []deed{passes("a", "p", 0).of(), passes("a", "p", 0).of()}, 0, 0, true, "none"},
		"one taints a GPU, which is back, and a node":        {true, []deed{passes("a", "p", 0).of(), fails("b", "f", 0)}, 1, 1, false, "none"},
		"one makes it the node, and may stop":                {true, []deed{fails("a", "r", 0).of("gpu1->gpu2")}, 1, 0, true, "node"},
	} {
		t.Run(sentence, func(t *testing.T) {
			policy := taint.Policy{MaxPercent: 100, MaxNodes: c.max}
			tried := 0
			for s, more := orders(c.out != "" && len(c.deeds) == 2 && c.tainted > 0 && c.max == 0), true; more; s, more = s.following(tried) {
				tried++
				cluster := clusterOf(c.convicted)
				if c.out != "" {
					cluster = withGPUs(c.convicted)
				}
				watch(t, cluster, s, c.max)
				read := cluster.copy()
				var all []func(func() error)
				for _, d := range c.deeds {
					all = append(all, func(turn func() error) { d.do(t, cluster, read, policy, turn) })
				}
				race(s, c.stops, all...)
				settle(t, cluster, policy, c.deeds)
				if n := taintedIn(t, cluster); n != c.tainted && !t.Failed() {
					t.Errorf("%d nodes are tainted at the end, want %d: %v", n, c.tainted, cluster.records["a"].Quarantine)
				}
				if is := outIn(cluster); c.out != "" && !slices.Contains(strings.Split(c.out, " or "), is) {
					t.Errorf("out of service at the end: %s, want %s", is, c.out)
				}
				if t.Failed() {
					t.Fatalf("schedule %v", s.choices)
				}
			}
			total += tried
			t.Logf("%d interleavings", tried)
		})
	}
	t.Logf("%d interleavings in all", total)
}

// sampled are so many orders by chance: each leader that changes what is out of service makes twelve calls, so that there are millions.
const sampled = 300

// orders of calls: all of them, or some by chance.
func orders(byChance bool) *schedule {
	if !byChance {
		return &schedule{}
	}
	return &schedule{chance: rand.New(rand.NewPCG(0, 1))}
}

// following order, after so many.
func (s *schedule) following(tried int) (*schedule, bool) {
	if s.chance == nil {
		return s.next()
	}
	return &schedule{chance: rand.New(rand.NewPCG(uint64(tried), 1))}, tried < sampled
}

// outIn a cluster of GPUs is what is out of service on its first node.
func outIn(s *store) string {
	node := s.nodes["a"]
	devices, _ := taint.MarkedDevices(node)
	switch {
	case !taint.Marked(node):
		return "none"
	case len(devices) == 0:
		return "node"
	}
	return strings.Join(devices, " ")
}
