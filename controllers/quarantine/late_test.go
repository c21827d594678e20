package quarantine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/hand"
)

// leader that acts on what it has judged of nodes a and b, of which one may be unfit.
func leader(t *testing.T, h *hand.Cluster, clock clock.PassiveClock) func(deed) error {
	r := keeperOf(h)
	r.Clock, r.Policy.MaxNodes = clock, 1
	return func(d deed) error {
		node, known := &corev1.Node{}, &v1alpha1.NodeValidation{}
		if err := h.Get(t.Context(), client.ObjectKey{Name: d.node}, node); err != nil {
			return err
		}
		if h.Get(t.Context(), client.ObjectKey{Name: d.node}, known) != nil {
			known = nil
		}
		w := passOf(t, r, startedRun(), nodeOf("a"), nodeOf("b"))
		w.Out.Breaker.Input = taint.BreakerInput{Nodes: 1, Judged: []taint.JudgedNode{{Name: d.node, Verdict: d.j.Verdict}}, Limit: 5}
		return actOn(t, w, judged(node, known, d.j))
	}
}

// TestALateTaintIsRefused: a leader has announced the taint of node a, has counted, and stops just before it writes it. Whoever takes the announcement
// back, or gives it up after two minutes, and taints node b in its place, has written node a before: the late taint is refused, and never was there.
func TestALateTaintIsRefused(t *testing.T) {
	for sentence, meanwhile := range map[string]func(t *testing.T, clock *testclock.FakePassiveClock, pass func(d deed)){
		"another run passed the node": func(_ *testing.T, _ *testclock.FakePassiveClock, pass func(deed)) {
			pass(deedOf(v1alpha1.VerdictPass, "a", "later", begin.Add(time.Minute)))
			pass(deedOf(v1alpha1.VerdictFail, "b", "run-uid", begin))
		},
		"another leader gave it up": func(_ *testing.T, clock *testclock.FakePassiveClock, pass func(deed)) {
			pass(deedOf(v1alpha1.VerdictFail, "b", "run-uid", begin)) // sees it coming, and stands back
			clock.SetTime(begin.Add(announced))
			pass(deedOf(v1alpha1.VerdictFail, "b", "run-uid", begin))
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			h, clock := hand.New(t, nodeOf("a"), nodeOf("b")), testclock.NewFakePassiveClock(begin)
			first, second := leader(t, h, clock), leader(t, h, clock)
			h.Refuse = func(write string) error {
				if write == "patch Node a" {
					h.Refuse = func(string) error { return nil }
					meanwhile(t, clock, func(d deed) {
						if err := second(d); err != nil {
							t.Error(err)
						}
					})
				}
				return nil
			}
			if err := first(deedOf(v1alpha1.VerdictFail, "a", "run-uid", begin)); err != nil {
				t.Error(err)
			}
			b := &corev1.Node{}
			if err := h.Get(t.Context(), client.ObjectKey{Name: "b"}, b); err != nil {
				t.Fatal(err)
			}
			if put := strings.Count(strings.Join(h.Told(), "\n"), v1alpha1.ReasonTaintAdded); put != 1 || len(b.Spec.Taints) != 1 || len(h.Taints(t)) != 0 {
				t.Errorf("%d taints were put, one of which may be; a carries %v, b %v", put, h.Taints(t), b.Spec.Taints)
			}
		})
	}
}

// TestNoTaintThatNoRecordExplains: a leader has announced the taint of node a, and stops just before it writes it. Another one takes the announcement back, and stops for
// good after any of its writes. The taint that comes then has a record, or it never comes.
func TestNoTaintThatNoRecordExplains(t *testing.T) {
	for writes := range 8 {
		t.Run(fmt.Sprintf("stopped after %d writes", writes), func(t *testing.T) {
			h, clock := hand.New(t, nodeOf("a"), nodeOf("b")), testclock.NewFakePassiveClock(begin)
			first, second := leader(t, h, clock), leader(t, h, clock)
			explained := func(write string) error {
				if len(h.Taints(t)) > 0 && h.Validation(t).Quarantine == nil {
					t.Errorf("before %s, node a is tainted, and no record explains it", write)
				}
				return nil
			}
			h.Refuse = func(write string) error {
				if write != "patch Node a" {
					return nil
				}
				left := writes
				h.Refuse = func(string) error {
					if left--; left < 0 {
						return errors.New("stopped")
					}
					return nil
				}
				_ = second(deedOf(v1alpha1.VerdictPass, "a", "later", begin.Add(time.Minute)))
				h.Refuse = explained
				return nil
			}
			if err := first(deedOf(v1alpha1.VerdictFail, "a", "run-uid", begin)); err != nil {
				t.Log(err)
			}
			_ = explained("at the end")
		})
	}
}

// TestATaintThatNothingKeepsFromComingCounts: another leader can neither take the announcement back nor give it up while it cannot write node a, and taints
// nobody in its place. Once the kubelet has written that, the late taint is refused.
func TestATaintThatNothingKeepsFromComingCounts(t *testing.T) {
	for sentence, c := range map[string]struct {
		kubelet bool
		later   v1alpha1.Verdict // of node a, by another run; empty: it measures b alone
		strips  bool             // a webhook takes the mark away, instead of refusing it
	}{
		"it is given up":                              {},
		"it is given up, and loses its mark":          {strips: true},
		"it is taken back":                            {later: v1alpha1.VerdictPass},
		"it is taken back, and loses its mark":        {later: v1alpha1.VerdictPass, strips: true},
		"it is given up, and the kubelet was there":   {kubelet: true},
		"it is taken back, and the kubelet was there": {kubelet: true, later: v1alpha1.VerdictPass},
	} {
		t.Run(sentence, func(t *testing.T) {
			h, clock, stripping := hand.New(t, nodeOf("a"), nodeOf("b")), testclock.NewFakePassiveClock(begin), false
			patch := func(ctx context.Context, all client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
				if stripping && o.GetName() == "a" {
					return nil
				}
				return all.Patch(ctx, o, p, opts...)
			}
			h.WithWatch = interceptor.NewClient(h.WithWatch, interceptor.Funcs{Patch: patch})
			first, second := leader(t, h, clock), leader(t, h, clock)
			pass := func() {
				if c.later != "" {
					_ = second(deedOf(c.later, "a", "later", begin.Add(time.Minute)))
				}
				_ = second(deedOf(v1alpha1.VerdictFail, "b", "run-uid", begin))
			}
			meanwhile := func() {
				pass()
				clock.SetTime(begin.Add(announced))
				pass()
				if !c.kubelet {
					return
				}
				node := &corev1.Node{}
				if err := h.Get(t.Context(), client.ObjectKey{Name: "a"}, node); err != nil {
					t.Fatal(err)
				}
				node.Status.NodeInfo.BootID = "another"
				if err := h.Update(t.Context(), node); err != nil {
					t.Fatal(err)
				}
				pass()
			}
			h.Refuse = func(write string) error {
				if write == "patch Node a" {
					h.Refuse, stripping = func(string) error { return nil }, c.strips
					if !c.strips {
						h.Refuse = hand.Refusing("patch Node a", 99, apierrors.NewForbidden(resources, "a", errors.New("denied by policy")))
					}
					meanwhile()
					h.Refuse, stripping = func(string) error { return nil }, false
				}
				return nil
			}
			_ = first(deedOf(v1alpha1.VerdictFail, "a", "run-uid", begin))
			b := &corev1.Node{}
			if err := h.Get(t.Context(), client.ObjectKey{Name: "b"}, b); err != nil {
				t.Fatal(err)
			}
			put := strings.Count(strings.Join(h.Told(), "\n"), v1alpha1.ReasonTaintAdded)
			if put != 1 || c.kubelet != (len(b.Spec.Taints) == 1) || c.kubelet == (len(h.Taints(t)) == 1) {
				t.Errorf("%d taints were put, one of which may be; a carries %v, b %v", put, h.Taints(t), b.Spec.Taints)
			}
		})
	}
}
