package controllers

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

var memoryStart = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func newTestMemory() (*memory, *testclock.FakePassiveClock) {
	c := testclock.NewFakePassiveClock(memoryStart)
	return newMemory(c), c
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
		prepare func(*memory)
		want    string
	}{
		"the cache is older":                            {podAt("u", "99"), nil, "u@100"},
		"the cache is older by a digit":                 {podAt("u", "9"), nil, "u@100"},
		"the cache is the same":                         {podAt("u", "100"), nil, "u@100"},
		"the cache is newer":                            {podAt("u", "101"), nil, "u@101"},
		"somebody made it anew, and the cache knows":    {podAt("v", "110"), nil, "v@110"},
		"we made it anew, and the cache does not know":  {podAt("before", "50"), nil, "u@100"},
		"the cache has seen its end and that of no one": {podAt("before", "50"), func(m *memory) { m.gone("u") }, "before@50"},
		"a version that is no number":                   {podAt("u", "x"), nil, "u@x"},
		"we have deleted it":                            {podAt("u", "99"), func(m *memory) { m.removed("u") }, "u@100"},
		"we wrote it again":                             {podAt("u", "101"), func(m *memory) { m.wrote(podAt("u", "102")) }, "u@102"},
		"another run's older write comes in later":      {podAt("u", "98"), func(m *memory) { m.wrote(podAt("u", "99")) }, "u@100"},
	} {
		t.Run(sentence, func(t *testing.T) {
			m, _ := newTestMemory()
			m.wrote(podAt("u", "100"))
			if c.prepare != nil {
				c.prepare(m)
			}
			if got := shown(fresh(m, c.cached)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestFreshTellsKindsAndNamespacesApart(t *testing.T) {
	m, _ := newTestMemory()
	m.wrote(podAt("u", "100"))
	other := podAt("w", "5")
	other.Namespace = "elsewhere"
	if got := shown(fresh(m, other)); got != "w@5" {
		t.Errorf("a pod of another namespace became %s", got)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "n", UID: "u", ResourceVersion: "5"}}
	if got := fresh(m, node); got != node {
		t.Errorf("a node of a pod's name became %v", got)
	}
}

// TestFreshForgets: once the cache has caught up, an object that somebody deletes later is gone, and not on its way.
func TestFreshForgets(t *testing.T) {
	for sentence, cached := range map[string]*corev1.Pod{
		"the same": podAt("u", "100"), "newer": podAt("u", "101"), "another of this name": podAt("v", "110"),
	} {
		t.Run(sentence, func(t *testing.T) {
			m, _ := newTestMemory()
			m.wrote(podAt("u", "100"))
			fresh(m, cached)
			if diff := cmp.Diff([]string(nil), unseenPods(m)); diff != "" {
				t.Errorf("pods still to come (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFreshKeepsWhatIsUnseen: what unseen returned is still to come for all later passes, although it went through fresh.
func TestFreshKeepsWhatIsUnseen(t *testing.T) {
	m, _ := newTestMemory()
	m.wrote(podAt("u", "100"))
	for range 3 {
		for _, p := range unseen(m, func(*corev1.Pod) bool { return true }, func(*corev1.Pod) bool { return false }) {
			fresh(m, p)
		}
	}
	if diff := cmp.Diff([]string{"u@100"}, unseenPods(m)); diff != "" {
		t.Errorf("pods still to come (-want +got):\n%s", diff)
	}
}

// unseenPods are those that a cache without pods is still to see.
func unseenPods(m *memory) (out []string) {
	everything, nothing := func(*corev1.Pod) bool { return true }, func(*corev1.Pod) bool { return false }
	for _, p := range unseen(m, everything, nothing) {
		out = append(out, shown(p))
	}
	return out
}

func TestUnseen(t *testing.T) {
	for sentence, c := range map[string]struct {
		since time.Duration
		then  func(*memory)
		want  []string
	}{
		"a moment ago":                             {0, nil, []string{"u@100"}},
		"as long ago as a cache may lag":           {watchLag, nil, []string{"u@100"}},
		"longer ago":                               {watchLag + time.Nanosecond, nil, nil},
		"deleted by us, its end not seen":          {time.Second, func(m *memory) { m.removed("u") }, []string{"u@100 ending"}},
		"deleted by us, its end seen":              {time.Second, func(m *memory) { m.removed("u"); m.gone("u") }, nil},
		"deleted by somebody, and the cache knows": {time.Second, func(m *memory) { m.gone("u") }, nil},
		"another of this name is gone":             {time.Second, func(m *memory) { m.gone("before") }, []string{"u@100"}},
		"made anew by us":                          {time.Second, func(m *memory) { m.gone("u"); m.wrote(podAt("v", "110")) }, []string{"v@110"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			m, clock := newTestMemory()
			m.wrote(podAt("u", "100"))
			pass(clock, c.since)
			if c.then != nil {
				c.then(m)
			}
			if diff := cmp.Diff(c.want, unseenPods(m)); diff != "" {
				t.Errorf("pods still to come (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnseenTakesWhatMatchesAndIsNotSeen(t *testing.T) {
	m, _ := newTestMemory()
	m.wrote(podAt("u", "100"))
	m.wrote(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "node", ResourceVersion: "1"}})
	yes, no := func(*corev1.Pod) bool { return true }, func(*corev1.Pod) bool { return false }
	if got := unseen(m, no, no); len(got) != 0 {
		t.Errorf("%d pods that do not match", len(got))
	}
	if got := unseen(m, yes, yes); len(got) != 0 {
		t.Errorf("%d pods that the cache holds", len(got))
	}
}

func TestUnseenDoesNotChangeWhatIsRemembered(t *testing.T) {
	m, _ := newTestMemory()
	written := podAt("u", "100")
	m.wrote(written)
	m.removed("u")
	unseenPods(m)
	if written.DeletionTimestamp != nil {
		t.Error("the pod that was written is changed, and others may read it")
	}
}

func TestIsRemoved(t *testing.T) {
	m, _ := newTestMemory()
	m.removed("asked")
	m.gone("seen")
	for uid, want := range map[types.UID]bool{"asked": true, "seen": true, "other": false} {
		if got := m.isRemoved(uid); got != want {
			t.Errorf("%s: %v, want %v", uid, got, want)
		}
	}
}

func TestJustApplied(t *testing.T) {
	m, clock := newTestMemory()
	m.markApplied("a", "passed")
	for sentence, c := range map[string]struct {
		node types.UID
		what string
		want bool
	}{"the same": {"a", "passed", true}, "something else": {"a", "failed", false}, "another node": {"b", "passed", false}} {
		if got := m.justApplied(c.node, c.what); got != c.want {
			t.Errorf("%s: %v, want %v", sentence, got, c.want)
		}
	}
	m.markApplied("a", "failed")
	if m.justApplied("a", "passed") {
		t.Error("what was applied before is not there any more")
	}
	pass(clock, watchLag)
	if m.justApplied("a", "failed") {
		t.Error("the cache shows by now what was applied: it has to be looked at")
	}
}

// TestSweep: a process that runs for months does not grow.
func TestSweep(t *testing.T) {
	m, clock := newTestMemory()
	m.sweep()
	fill := func() {
		m.wrote(podAt("u", "100"))
		m.removed("u")
		m.gone("v")
		m.markBusy("a", "busy", clock.Now())
		m.markApplied("a", "passed")
		m.reported("run", clock.Now())
	}
	size := func() int {
		return len(m.objects) + len(m.deleted) + len(m.vanished) + len(m.busy) + len(m.applied) + len(m.status)
	}
	fill()
	pass(clock, memoryLimit)
	m.sweep()
	if size() != 6 {
		t.Errorf("%d things are remembered, want all 6 for %s", size(), memoryLimit)
	}
	pass(clock, sweepInterval)
	m.sweep()
	if size() != 0 {
		t.Errorf("%d things are remembered after %s, want none", size(), memoryLimit+sweepInterval)
	}
}
