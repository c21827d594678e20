package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// otherLeader is an operator that also thinks it leads: a process of its own, with its own locks and memory, at work on the same
// cluster.
func (l *lab) otherLeader() *lab {
	other := *l
	other.hand = &hand{}
	other.events = &events{}
	other.restart()
	return &other
}

// meanwhile lets another leader make a whole pass right before the k-th write of this one.
func (l *lab) meanwhile(k int, other *lab) {
	begun := l.hand.count()
	l.hand.before = func(number int, _ write, _ runtime.Object) error {
		if number == begun+k {
			other.pass()
		}
		return nil
	}
}

// TestTwoLeadersOfOneRun: an old leader that was stalled looks at the run at any moment between two writes of the new one. The end is that
// of one leader, no node has two pods, and none is tainted without proof.
func TestTwoLeadersOfOneRun(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 20; k++ {
		t.Run(fmt.Sprintf("before write %d", k), func(t *testing.T) {
			t.Parallel()
			l := reference(t)
			l.hand.after = func(_ int, w write, o runtime.Object) error { l.checkPromises(w, o); return nil }
			l.tolerate = func(error) bool { return true } // conflicts, which the next pass solves
			other := l.otherLeader()
			other.hand.after = l.hand.after
			l.meanwhile(k, other)
			l.finish()
			same(t, "the end", wantEnd, l.endState())
			mine, theirs := l.hand.count(), other.hand.count()
			l.idle(other)
			after := slices.DeleteFunc(append(slices.Clone(l.hand.writes[mine:]), other.hand.writes[theirs:]...), func(w write) bool {
				return w == "delete Pod" // of one that the other has deleted, and that the cache may still have to show
			})
			same(t, "writes after the end", 0, len(after))
			if t.Failed() {
				t.Logf("the writes: %v\nof the other: %v", l.hand.writes, other.hand.writes)
			}
		})
	}
}

// TestTwoLeadersKeepTheBudget: an old leader that acts on its own run between any two writes of the new one makes no taint too many.
func TestTwoLeadersKeepTheBudget(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 6; k++ {
		t.Run(fmt.Sprintf("before write %d", k), func(t *testing.T) {
			t.Parallel()
			l, second := budgetRace(t)
			old := second.otherLeader()
			old.tolerate = l.tolerate
			l.meanwhile(k, old)
			for range 4 {
				l.pass()
				old.pass()
				if n := l.taintedOf("abcdef"); n > 1 {
					t.Fatalf("%d nodes carry the taint, 1 may", n)
				}
			}
			l.hand.before = nil
			l.finish()
			second.finish()
			if n := l.taintedOf("abcdef"); n > 1 {
				t.Errorf("%d nodes carry the taint at the end, 1 may", n)
			}
			for _, short := range []string{"a", "b"} { // an announcement that came to nothing is taken back
				tainted, v := l.taintedOf(short) > 0, l.validation(short)
				same(t, "node "+short+" is tainted, and on record as quarantined", []bool{tainted, tainted}, []bool{v.Quarantine != nil, v.Labels[v1alpha1.LabelQuarantined] != ""})
			}
		})
	}
}

func (l *lab) taintedOf(nodes string) int {
	n := 0
	for _, short := range nodes {
		n += len(taints(l.getNode(string(short))))
	}
	return n
}

// TestOneOfTwoRunsGetsTheLastTaint: two runs of one operator that want the last taint of a budget at the same moment do not both stand back.
func TestOneOfTwoRunsGetsTheLastTaint(t *testing.T) {
	t.Parallel()
	l, second := budgetRace(t)
	var announced atomic.Int32
	both := make(chan struct{})
	l.hand.after = func(_ int, _ write, o runtime.Object) error {
		if v, ok := o.(*v1alpha1.NodeValidation); ok && v.Quarantine != nil {
			if announced.Add(1) == 2 {
				close(both)
			}
			select { // the other one's chance to announce, too; it never comes while the budget is locked
			case <-both:
			case <-time.After(time.Second):
			}
		}
		return nil
	}
	done := make(chan struct{})
	go func() { defer close(done); second.pass() }()
	l.pass()
	<-done
	l.hand.after = nil
	l.finish()
	second.finish()
	same(t, "nodes that carry the taint", 1, l.taintedOf("abcdef"))
}

// TestATaintIsNotLiftedUnderANewFailure: one run lifts a node's taint at the moment at which another one, which measured the node later,
// convicts it anew.
func TestATaintIsNotLiftedUnderANewFailure(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	once := func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) }
	l.plays = always(program{rate: 50})
	l.run(tainting, once)
	l.finish()
	same(t, "node a", unfit, l.standing("a"))
	held := true
	l.hand.before = func(_ int, w write, _ runtime.Object) error {
		if held && strings.HasSuffix(string(w), " NodeValidation") || held && w == "patch Node" {
			return errKilled
		}
		return nil
	}
	l.tolerate = func(error) bool { return true }
	passes, fails := l.next("-passes", once), (*lab)(nil)
	passes.until("it passed", func() bool { return passes.stores(v1alpha1.VerdictPass) })
	fails = passes.next("-fails", once)
	fails.plays = l.plays
	fails.until("it failed", func() bool { return fails.stores(v1alpha1.VerdictFail) })
	held = false
	done := make(chan struct{})
	var first sync.Once
	l.hand.before = func(_ int, w write, _ runtime.Object) error {
		if w == "patch Node" {
			first.Do(func() {
				go func() { defer close(done); fails.pass() }()
				select {
				case <-done:
				case <-time.After(time.Second): // it waits for its turn
				}
			})
		}
		return nil
	}
	passes.pass()
	<-done
	passes.finish()
	fails.finish()
	same(t, "node a, as it was measured last", unfit, l.standing("a"))
}

// stores says whether the run has stored this verdict on node a, and no pod is left.
func (l *lab) stores(v v1alpha1.Verdict) bool {
	r := l.result("a")
	return r != nil && r.Verdict == v && len(l.pods()) == 0
}
