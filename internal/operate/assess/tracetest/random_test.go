package tracetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
)

// TestAnyRunEnds tells stories in which nearly everything goes wrong at random: what always holds, holds at every step, and each ends. A thousand passes
// and more come to the same with what they remember of those before and without it.
func TestAnyRunEnds(t *testing.T) {
	var passes atomic.Int64
	t.Run("stories", func(t *testing.T) {
		for seed := range uint64(25) {
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				t.Parallel()
				script := madeUp(rand.New(rand.NewPCG(seed, 1)))
				w := tell(t, script)
				text := w.play()
				passes.Add(int64(w.passes))
				if t.Failed() {
					t.Logf("%s\n%s", script, text)
				}
			})
		}
	})
	if n := passes.Load(); n < 1000 {
		t.Errorf("%d passes were made, want 1000 or more", n)
	} else {
		t.Logf("%d passes", n)
	}
}

// madeUp is a script of two runs.
func madeUp(r *rand.Rand) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	nodes := strings.Split("abcdefgh"[:2+r.IntN(5)], "")
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	say("nodes %s", strings.Join(nodes, " "))
	say("benchmark rate %s", one("min 90", "fleet 0.05", "min 90 devices 8", "min 90 devices 1"))
	if r.IntN(2) == 0 {
		say("%s", one("pairs net fleet 0.10", "pairs net fleet 0.10 devices 8", "pairs net min 9", "set all min 15", "set four size 3 fleet 0.05"))
	}
	for range r.IntN(5) {
		say("rate on %s attempt %d: %s", one(nodes...), 1+r.IntN(2), one("50", "50", "50, disturbed by pid 7", "50, interrupted by SIGTERM", "breaks off: it failed", "exits 1", "wrong data", "does not end", "vanishes 4s",
			"says garbage", "waiting ErrImagePull", "placed in 20s", "unschedulable 0/2 nodes are available: 1 Insufficient nvidia.com/gpu.", "cannot run here"))
		say("net on *+%s attempt %d: %s", one(nodes...), 1+r.IntN(2), one("exits 1", "disturbed by pid 7", "wrong data", "does not end", "takes 30s"))
	}
	say("fabric of %s is 0.%d", one(nodes...), 3+r.IntN(7))
	say("run first taint NoSchedule at-most %d at-once %s confirmations %d busy %s deadline %d", r.IntN(3), one("1", "2", "50%", "100%"), r.IntN(3),
		one("Wait", "Skip"), 60+r.IntN(600))
	say("at 3m: run second taint %s at-most 100%% confirmations %d deadline 600", one("NoSchedule", "NoExecute"), r.IntN(2))
	for range r.IntN(8) {
		node, at := one(nodes...), r.IntN(300)
		switch r.IntN(12) {
		case 0:
			say("at %ds: %s is deleted", at, node)
			say("at %ds: %s is created again", at+r.IntN(100), node)
		case 1:
			say("at %ds: %s is created again", at, node)
		case 2:
			say("at %ds: %s is cordoned\nat %ds: %s is uncordoned", at, node, at+r.IntN(100), node)
		case 3:
			say("at %ds: %s is busy: somebody\nat %ds: %s is free", at, node, at+r.IntN(200), node)
		case 4:
			say("at %ds: run first is suspended\nat %ds: run first is resumed", at%180, at%180+r.IntN(100))
		case 5:
			say("at %ds: measurements of %s are refused\nat %ds: measurements of %s are taken", at, node, at+r.IntN(200), node)
		case 6:
			say("at %ds: results of %s are refused\nat %ds: results of %s are taken", at, node, at+r.IntN(200), node)
		case 7:
			say("at %ds: somebody untaints %s", at, node)
		case 9:
			say("at %ds: somebody taints %s team=x:%s\nat %ds: somebody untaints %s", at, node, one("NoSchedule", "NoExecute"), at+r.IntN(200), node)
		case 8:
			say("at %ds: %s is full\nat %ds: %s is free", at, node, at+r.IntN(100), node)
		case 10:
			say("%s has 8 devices\nat %ds: %s offers %d devices\nat %ds: %s offers 8 devices", node, at, node, r.IntN(8), at+r.IntN(300), node)
		case 11:
			say("at %ds: label %s nvidia.com/gpu.sharing-strategy=%s", at, node, one("none", "mps"))
		}
	}
	return b.String()
}
