package controllers_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	runs "github.com/assay-dev/assay/controllers/run"
)

// admission is a small story with everything in it: two gated nodes, of which one fails, and one that is cordoned and becomes overdue.
func admission(t *testing.T) *policyLab {
	l := newPolicyLab(t, 0)
	l.plays = on("bad", program{rate: 50})
	l.addNode("bad", closed)
	l.addNode("good", closed)
	l.addNode("idle", func(n *corev1.Node) { n.Spec.Unschedulable = true })
	l.enforce(gated, func(p *v1alpha1.ValidationPolicy) {
		p.Spec.Run.Confirmations, p.Spec.OverdueSeconds, p.Spec.Retry.Limit = new(int32(0)), 60, new(int32(0))
	})
	return l
}

// wantAdmission is all that it leaves, apart from times.
var wantAdmission = []string{
	"bad: taints [assay.dev/unvalidated=pending:NoSchedule], let in false, overdue ",
	"good: taints [], let in true, overdue ",
	"idle: taints [], let in false, overdue POLICY",
	"runs [NeverValidated 2]",
	"conditions map[Ready:True/Enforced Satisfied:False/NodesNotValid]",
	"valid 1/3, needing attention [bad Failed idle NodeCordoned]",
}

func (l *policyLab) left() []string {
	l.t.Helper()
	var out []string
	for _, short := range []string{"bad", "good", "idle"} {
		n := l.getNode(short)
		out = append(out, fmt.Sprintf("%s: taints %v, let in %v, overdue %s", short, taints(n), strings.Contains(n.Annotations[v1alpha1.AnnotationGate], `"by":"assay"`),
			strings.Replace(n.Labels[v1alpha1.LabelOverdue], l.name, "POLICY", 1)))
	}
	return append(out, fmt.Sprint("runs ", l.reasons()), fmt.Sprint("conditions ", l.conditions()),
		fmt.Sprintf("valid %s, needing attention %v", l.policy().Status.Valid, l.needing()))
}

// admitted goes on until the story is over.
func (l *policyLab) admitted() {
	l.t.Helper()
	l.goOn("over", func() bool {
		return len(taints(l.getNode("good"))) == 0 && l.getNode("idle").Labels[v1alpha1.LabelOverdue] != "" && l.validation("bad") != nil
	})
	l.settle()
}

// sound checks the cluster right after a write: no gate is open without a pass, and no node is in two active runs.
func (l *policyLab) sound(w write) {
	switch w {
	case "patch Node":
		for _, short := range []string{"bad", "good"} {
			v := l.validation(short)
			if len(taints(l.getNode(short))) == 0 && (v == nil || v.Proof == nil || v.Proof.Verdict != v1alpha1.VerdictPass) {
				l.t.Errorf("the gate of node %s is open without a pass", short)
			}
		}
	case "create ValidationRun":
		seen := map[string]bool{}
		for _, run := range l.runs() {
			for _, name := range run.Spec.NodeNames {
				if !strings.HasPrefix(state(&run)[v1alpha1.ConditionFinished], "True") && seen[name] {
					l.t.Errorf("node %s is in two runs", name)
				}
				seen[name] = true
			}
		}
	}
}

// TestAnyWriteOfAPolicyMayFail: whichever sort of write goes wrong, and however, the end is the same; no gate opens without a pass, and no node is put into
// two runs.
func TestAnyWriteOfAPolicyMayFail(t *testing.T) {
	t.Parallel()
	whole := admission(t)
	whole.admitted()
	same(t, "the end without any fault", wantAdmission, whole.left())
	writes := whole.deeds.count()
	if writes < 5 || writes > 16 {
		t.Errorf("the story takes %d writes: %v", writes, whole.deeds.writes)
	}
	for sentence, f := range faults {
		for w, k := range firstOfEach(whole.deeds.writes) {
			t.Run(fmt.Sprintf("%s %d, %s", sentence, k, w), func(t *testing.T) {
				t.Parallel()
				l := admission(t)
				l.sufferFault(f, k)
				l.admitted()
				same(t, "the end", wantAdmission, l.left())
				if t.Failed() {
					t.Logf("the writes: %v", l.deeds.writes)
				}
			})
		}
	}
}

// sufferFault makes the k-th write of the policy's controller go wrong.
func (l *policyLab) sufferFault(f fault, k int) {
	dead := false
	l.deeds.before = func(number int, _ write, _ runtime.Object) error {
		switch {
		case number == k && !f.applied:
			dead = f.dead
			return f.err
		case dead && number > k:
			return f.err
		}
		return nil
	}
	l.deeds.after = func(number int, w write, _ runtime.Object) error {
		l.sound(w)
		if number == k && f.applied {
			dead = f.dead
			return f.err
		}
		return nil
	}
	l.tolerate = func(error) bool {
		dead = false
		if f.restart {
			l.restartEnforcer()
		}
		return true
	}
}

// TestTwoLeadersOfAPolicy: an old leader that was stalled looks at the policy right before any write of the new one. The end is that of one leader.
func TestTwoLeadersOfAPolicy(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 12; k++ {
		t.Run(fmt.Sprintf("before write %d", k), func(t *testing.T) {
			t.Parallel()
			l := admission(t)
			l.tolerate = func(error) bool { return true } // conflicts, which the next pass solves
			old := *l
			old.deeds, old.told = &hand{}, &events{}
			old.restartEnforcer()
			for _, one := range []*policyLab{l, &old} {
				one.deeds.after = func(_ int, w write, _ runtime.Object) error { l.sound(w); return nil }
			}
			l.deeds.before = func(number int, _ write, _ runtime.Object) error {
				if number == k {
					old.enforcePass()
				}
				return nil
			}
			l.admitted()
			same(t, "the end", wantAdmission, l.left())
			old.enforcePass()
			same(t, "the end after a late pass of the old leader", wantAdmission, l.left())
			if t.Failed() {
				t.Logf("the writes: %v\nof the other: %v", l.deeds.writes, old.deeds.writes)
			}
		})
	}
}

// TestAPolicyWithAnOldCache: however late the cache hears of changes, no node is put into a second run, and the end is the same.
func TestAPolicyWithAnOldCache(t *testing.T) {
	t.Parallel()
	const most = 4
	random := rand.New(rand.NewPCG(12, 13))
	by := func(lags map[string]int) func(string) int {
		return func(kind string) int { return lags[kind] }
	}
	for sentence, lag := range map[string]func(string) int{
		"one pass late":           func(string) int { return 1 },
		"many passes late":        func(string) int { return most },
		"runs late":               by(map[string]int{"ValidationRun": most}),
		"nodes late":              by(map[string]int{"Node": most}),
		"what is remembered late": by(map[string]int{"NodeValidation": most}),
		"policies late":           by(map[string]int{"ValidationPolicy": most}),
		"all but runs late":       by(map[string]int{"Node": 2, "NodeValidation": most, "ValidationPolicy": 1}),
		"now and then":            func(string) int { return random.IntN(most + 1) },
	} {
		t.Run(sentence, func(t *testing.T) {
			if sentence != "now and then" {
				t.Parallel()
			}
			l := admission(t)
			l.tolerate = func(error) bool { return true }
			enforcer := *l.lab // the controller of runs has a cache of its own, which is not late
			enforcer.hand, enforcer.r = l.deeds, &runs.Reconciler{}
			c := enforcer.lagging(lag, &corev1.NodeList{}, &v1alpha1.NodeValidationList{}, &v1alpha1.ValidationRunList{}, &v1alpha1.ValidationPolicyList{})
			l.enforcer.Client = enforcer.r.Client
			l.deeds.after = func(_ int, w write, _ runtime.Object) error { l.sound(w); return nil }
			l.before = c.look
			l.quiet = most + 2
			l.admitted()
			same(t, "the end", wantAdmission, l.left())
			if t.Failed() {
				t.Logf("the writes: %v", l.deeds.writes)
			}
		})
	}
}

// TestNoRunByOldKnowledge: the run that has measured the node is over, and the cache has still to hear what came of it.
func TestNoRunByOldKnowledge(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 0)
	for i := range 60 { // more than are looked up one by one
		l.addNode(fmt.Sprint("n", i))
	}
	l.enforce()
	l.goOn("valid", l.valid("60/60"))
	l.settle()
	created := l.deeds.countOf("create ValidationRun")
	l.restartEnforcer()
	old := true
	l.deeds.reads = func(o client.Object) {
		if v, ok := o.(*v1alpha1.NodeValidation); ok && old {
			v.Benchmarks, v.ResourceVersion = nil, "1"
		}
	}
	for range 12 {
		l.enforcePass()
		l.clock.SetTime(l.clock.Now().Add(10 * time.Second))
	}
	same(t, "the runs created", created, l.deeds.countOf("create ValidationRun"))
	old = false
	l.settle()
	same(t, "the runs created once the cache has caught up", created, l.deeds.countOf("create ValidationRun"))
	same(t, "the runs", []string{"NeverValidated 60"}, slices.Compact(l.reasons()))
}

// TestANewLeaderKnowsTheRuns: it takes over while its cache has still to see the run that the old one created. Of two nodes it puts only that
// one into a run of its own which is in none.
func TestANewLeaderKnowsTheRuns(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 1)
	l.plays = always(program{forever: true})
	l.enforce(atOnce)
	l.goOn("created", func() bool { return len(l.runs()) == 1 })
	l.addNode("b")
	l.restartEnforcer()
	l.enforcer.Client = interceptor.NewClient(l.deeds.client(asCached(api)), interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, runs := list.(*v1alpha1.ValidationRunList); runs {
				return nil
			}
			return c.List(ctx, list, opts...)
		},
	})
	for range 3 {
		l.enforcePass()
		l.clock.SetTime(l.clock.Now().Add(time.Second))
	}
	nodes := [][]string{}
	for _, run := range l.runs() {
		nodes = append(nodes, run.Spec.NodeNames)
	}
	slices.SortFunc(nodes, slices.Compare)
	same(t, "the nodes of the runs", [][]string{{l.node("a")}, {l.node("b")}}, nodes)
}

// TestAGateIsOpenedByWhatIsThere: the cache still shows what has changed, which only a look past it can tell.
func TestAGateIsOpenedByWhatIsThere(t *testing.T) {
	t.Parallel()
	for sentence, changed := range map[string]func(o any){
		"a newer measurement has overtaken the pass": func(o any) {
			if v, ok := o.(*v1alpha1.NodeValidation); ok {
				v.Benchmarks[0].History[0].Verdict = v1alpha1.VerdictFail
			}
		},
		"another policy has the gate": func(o any) {
			if list, ok := o.(*v1alpha1.ValidationPolicyList); ok {
				rival := list.Items[0].DeepCopy()
				rival.Name, rival.UID = "rival", "rival"
				rival.Spec.Selector, rival.Spec.AllNodes, rival.Spec.Gate = metav1.LabelSelector{}, true, &v1alpha1.Gate{}
				list.Items = append(list.Items, *rival)
			}
		},
		"the benchmark is gone": func(o any) {
			if list, ok := o.(*v1alpha1.BenchmarkList); ok {
				list.Items = nil
			}
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newPolicyLab(t, 0)
			l.addNode("a", closed)
			l.enforce(gated)
			l.enforcer.Live = interceptor.NewClient(live, interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					err := c.Get(ctx, key, o, opts...)
					if err == nil {
						changed(o)
					}
					return err
				},
				List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
					err := c.List(ctx, list, opts...)
					if err == nil {
						changed(list)
					}
					return err
				},
			})
			l.goOn("valid", l.valid("1/1"))
			l.settle()
			same(t, "the taints", []string{"assay.dev/unvalidated=pending:NoSchedule"}, taints(l.getNode("a")))
			same(t, "writes of the node", 0, l.deeds.countOf("patch Node"))
			l.enforcer.Live = api
			l.settle()
			same(t, "the taints", []string{}, taints(l.getNode("a")))
		})
	}
}
