package run

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
)

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
			h, clock := newHand(t, nodeOf("a"), nodeOf("b")), testclock.NewFakePassiveClock(begin)
			leader := func() func(deed) error {
				r := h.reconciler()
				r.Clock, r.Policy.MaxNodes = clock, 1
				return func(d deed) error {
					node, known := &corev1.Node{}, &v1alpha1.NodeValidation{}
					if err := h.Get(t.Context(), client.ObjectKey{Name: d.node}, node); err != nil {
						return err
					}
					if h.Get(t.Context(), client.ObjectKey{Name: d.node}, known) != nil {
						known = nil
					}
					w := writerOf(t, r, startedRun(), nodeOf("a"), nodeOf("b"))
					w.out.Breaker.Input = taint.BreakerInput{Nodes: 1, Judged: []taint.JudgedNode{{Name: d.node, Verdict: d.j.Verdict}}, Limit: 5}
					return actOn(t, w, judged(node, known, d.j))
				}
			}
			first, second := leader(), leader()
			h.refuse = func(write string) error {
				if write == "patch Node a" {
					h.refuse = func(string) error { return nil }
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
			if put := strings.Count(strings.Join(h.told(), "\n"), v1alpha1.ReasonTaintAdded); put != 1 || len(b.Spec.Taints) != 1 || len(h.taints(t)) != 0 {
				t.Errorf("%d taints were put, one of which may be; a carries %v, b %v", put, h.taints(t), b.Spec.Taints)
			}
		})
	}
}
