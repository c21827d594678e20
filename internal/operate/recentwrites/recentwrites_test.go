package recentwrites

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func testWrites() (*Writes, *testclock.FakePassiveClock) {
	c := testclock.NewFakePassiveClock(start)
	return New(c), c
}

func pass(c *testclock.FakePassiveClock, d time.Duration) { c.SetTime(c.Now().Add(d)) }

// podAt is one state of the pod "p".
func podAt(uid types.UID, version string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n", UID: uid, ResourceVersion: version}}
}

func shown(p *corev1.Pod) string {
	text := fmt.Sprintf("%s@%s", p.UID, p.ResourceVersion)
	if p.DeletionTimestamp != nil {
		text += " ending"
	}
	return text
}

func TestFresh(t *testing.T) {
	for sentence, c := range map[string]struct {
		cached  *corev1.Pod
		prepare func(*Writes)
		want    string
	}{
		"the cache is older":                            {podAt("u", "99"), nil, "u@100"},
		"the cache is older by a digit":                 {podAt("u", "9"), nil, "u@100"},
		"the cache is the same":                         {podAt("u", "100"), nil, "u@100"},
		"the cache is newer":                            {podAt("u", "101"), nil, "u@101"},
		"somebody made it anew, and the cache knows":    {podAt("v", "110"), nil, "v@110"},
		"we made it anew, and the cache does not know":  {podAt("before", "50"), nil, "u@100"},
		"the cache has seen its end and that of no one": {podAt("before", "50"), func(w *Writes) { w.Gone("u") }, "before@50"},
		"a version that is no number":                   {podAt("u", "x"), nil, "u@x"},
		"we have deleted it":                            {podAt("u", "99"), func(w *Writes) { w.Removed("u") }, "u@100"},
		"we wrote it again":                             {podAt("u", "101"), func(w *Writes) { w.Wrote(podAt("u", "102")) }, "u@102"},
		"another run's older write comes in later":      {podAt("u", "98"), func(w *Writes) { w.Wrote(podAt("u", "99")) }, "u@100"},
	} {
		t.Run(sentence, func(t *testing.T) {
			w, _ := testWrites()
			w.Wrote(podAt("u", "100"))
			if c.prepare != nil {
				c.prepare(w)
			}
			if got := shown(Fresh(w, c.cached)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestFreshTellsKindsAndNamespacesApart(t *testing.T) {
	w, _ := testWrites()
	w.Wrote(podAt("u", "100"))
	other := podAt("w", "5")
	other.Namespace = "elsewhere"
	if got := shown(Fresh(w, other)); got != "w@5" {
		t.Errorf("a pod of another namespace became %s", got)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n", UID: "u", ResourceVersion: "5"}}
	if got := Fresh(w, node); got != node {
		t.Errorf("a node of a pod's name became %v", got)
	}
}

// TestFreshForgets: once the cache has caught up, an object that somebody deletes later is gone, and not on its way.
func TestFreshForgets(t *testing.T) {
	for sentence, cached := range map[string]*corev1.Pod{
		"the same": podAt("u", "100"), "newer": podAt("u", "101"), "another of this name": podAt("v", "110"),
	} {
		t.Run(sentence, func(t *testing.T) {
			w, _ := testWrites()
			w.Wrote(podAt("u", "100"))
			Fresh(w, cached)
			if diff := cmp.Diff([]string(nil), unseenPods(w)); diff != "" {
				t.Errorf("pods still to come (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFreshKeepsWhatIsUnseen: what unseen returned is still to come for all later passes, although it went through fresh.
func TestFreshKeepsWhatIsUnseen(t *testing.T) {
	w, _ := testWrites()
	w.Wrote(podAt("u", "100"))
	for range 3 {
		for _, p := range Unseen(w, func(*corev1.Pod) bool { return false }) {
			Fresh(w, p)
		}
	}
	if diff := cmp.Diff([]string{"u@100"}, unseenPods(w)); diff != "" {
		t.Errorf("pods still to come (-want +got):\n%s", diff)
	}
}

// unseenPods are those that a cache without pods is still to see.
func unseenPods(w *Writes) (out []string) {
	for _, p := range Unseen(w, func(*corev1.Pod) bool { return false }) {
		out = append(out, shown(p))
	}
	return out
}

func TestUnseen(t *testing.T) {
	for sentence, c := range map[string]struct {
		since time.Duration
		then  func(*Writes)
		want  []string
	}{
		"a moment ago":                             {0, nil, []string{"u@100"}},
		"as long ago as a cache may lag":           {watchLag, nil, []string{"u@100"}},
		"longer ago":                               {watchLag + time.Nanosecond, nil, nil},
		"deleted by us, its end not seen":          {time.Second, func(w *Writes) { w.Removed("u") }, []string{"u@100 ending"}},
		"deleted by us, its end seen":              {time.Second, func(w *Writes) { w.Removed("u"); w.Gone("u") }, nil},
		"deleted by somebody, and the cache knows": {time.Second, func(w *Writes) { w.Gone("u") }, nil},
		"another of this name is gone":             {time.Second, func(w *Writes) { w.Gone("before") }, []string{"u@100"}},
		"made anew by us":                          {time.Second, func(w *Writes) { w.Gone("u"); w.Wrote(podAt("v", "110")) }, []string{"v@110"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			w, clock := testWrites()
			w.Wrote(podAt("u", "100"))
			pass(clock, c.since)
			if c.then != nil {
				c.then(w)
			}
			if diff := cmp.Diff(c.want, unseenPods(w)); diff != "" {
				t.Errorf("pods still to come (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnseenTakesWhatIsNotSeen(t *testing.T) {
	w, _ := testWrites()
	w.Wrote(podAt("u", "100"))
	w.Wrote(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "node", ResourceVersion: "1"}})
	if got := Unseen(w, func(*corev1.Pod) bool { return true }); len(got) != 0 {
		t.Errorf("%d pods that the cache holds", len(got))
	}
}

func TestUnseenDoesNotChangeWhatIsRemembered(t *testing.T) {
	w, _ := testWrites()
	written := podAt("u", "100")
	w.Wrote(written)
	w.Removed("u")
	unseenPods(w)
	if written.DeletionTimestamp != nil {
		t.Error("the pod that was written is changed, and others may read it")
	}
}

func TestIsRemoved(t *testing.T) {
	w, _ := testWrites()
	w.Removed("asked")
	w.Gone("seen")
	for uid, want := range map[types.UID]bool{"asked": true, "seen": true, "other": false} {
		if got := w.IsRemoved(uid); got != want {
			t.Errorf("%s: %v, want %v", uid, got, want)
		}
	}
}

func TestJustApplied(t *testing.T) {
	w, clock := testWrites()
	w.MarkApplied("a", "passed")
	for sentence, c := range map[string]struct {
		node types.UID
		what string
		want bool
	}{"the same": {"a", "passed", true}, "something else": {"a", "failed", false}, "another node": {"b", "passed", false}} {
		if got := w.JustApplied(c.node, c.what); got != c.want {
			t.Errorf("%s: %v, want %v", sentence, got, c.want)
		}
	}
	w.MarkApplied("a", "failed")
	if w.JustApplied("a", "passed") {
		t.Error("what was applied before is not there any more")
	}
	pass(clock, watchLag)
	if w.JustApplied("a", "failed") {
		t.Error("the cache shows by now what was applied: it has to be looked at")
	}
}

// TestSweep: a process that runs for months does not grow.
func TestSweep(t *testing.T) {
	w, clock := testWrites()
	w.Sweep()
	fill := func() {
		w.Wrote(podAt("u", "100"))
		w.Removed("u")
		w.Gone("v")
		w.MarkBusy("a", "busy", clock.Now())
		w.MarkApplied("a", "passed")
		w.Reported("run", clock.Now())
	}
	size := func() int {
		return len(w.objects) + len(w.deleted) + len(w.vanished) + len(w.busy) + len(w.applied) + len(w.status)
	}
	fill()
	pass(clock, Limit)
	w.Sweep()
	if size() != 6 {
		t.Errorf("%d things are remembered, want all 6 for %s", size(), Limit)
	}
	pass(clock, sweepInterval)
	w.Sweep()
	if size() != 0 {
		t.Errorf("%d things are remembered after %s, want none", size(), Limit+sweepInterval)
	}
}
