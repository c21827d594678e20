package controllers_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// TestAKubeletForgesNoOtherNode: what a kubelet may change of its pods, their labels and annotations, does not make them the pods of
// another node.
func TestAKubeletForgesNoOtherNode(t *testing.T) {
	t.Parallel()
	for sentence, forge := range map[string]func(pod *corev1.Pod, victim *corev1.Node){
		"its pod says that it measured another node": func(pod *corev1.Pod, victim *corev1.Node) {
			pod.Annotations[v1alpha1.AnnotationNode], pod.Annotations[v1alpha1.AnnotationNodeUID] = victim.Name, string(victim.UID)
		},
		"its pod says that it is another attempt": func(pod *corev1.Pod, _ *corev1.Node) {
			pod.Annotations[v1alpha1.AnnotationAttempt] = "2"
		},
		"its pod says nothing":                 func(pod *corev1.Pod, _ *corev1.Node) { pod.Annotations = nil },
		"its pod says that it is no benchmark": func(pod *corev1.Pod, _ *corev1.Node) { delete(pod.Labels, v1alpha1.LabelBenchmark) },
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 2)
			l.plays, l.lying = on("b", program{rate: 50}), true
			l.run(tainting)
			l.until("both run", func() bool { return len(l.pods()) == 2 && !l.anyPod(corev1.PodPending) })
			victim := l.getNode("a")
			for _, pod := range l.pods() {
				if pod.Spec.NodeName != l.node("b") {
					continue
				}
				forged := pod.DeepCopy()
				forge(forged, victim)
				forged.Status = l.ended(&pod, program{rate: 50}, *pod.Status.ContainerStatuses[0].State.Running.StartedAt.DeepCopy())
				l.must(api.Status().Update(t.Context(), forged))
			}
			l.finish()
			same(t, "node a, healthy", fit, l.standing("a"))
			same(t, "node b, slow", unfit, l.standing("b"))
			same(t, "attempts of node a", 1, len(l.result("a").Benchmarks[0].Attempts))
			made := 3 // one of node a, two of node b
			if sentence == "its pod says nothing" {
				made = 4 // nor for which configuration it was made, so that it is compared with nothing
			}
			same(t, "pods made", made, l.hand.countOf("create Pod"))
			same(t, "pods left", 0, len(l.podsOn("a"))+len(l.podsOn("b")))
		})
	}
}

// podsOn a node, whatever they say of themselves.
func (l *lab) podsOn(short string) []corev1.Pod {
	l.t.Helper()
	var pods corev1.PodList
	l.must(api.List(l.t.Context(), &pods, client.InNamespace(namespace), client.MatchingFields{"spec.nodeName": l.node(short)}))
	return pods.Items
}

// budgetRace are two runs over six nodes, one of which each may taint. They have measured everything, the one has failed node a, the other
// node b, and neither has acted on a node.
func budgetRace(t *testing.T) (first, second *lab) {
	t.Helper()
	l := newLab(t, 6)
	l.plays = on("a", program{rate: 50})
	one := func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure.MaxTaintedNodes = percent("20%") }
	l.run(tainting, one)
	other := l.next("-second", tainting, one)
	other.plays = func(node, _ string, _ int) program { // it cannot measure what the first one failed, and fails another node
		return map[string]program{"a": {exit: 1}, "b": {rate: 50}}[node]
	}
	l.hand.before = func(_ int, w write, o runtime.Object) error {
		if v, ok := o.(*v1alpha1.NodeValidation); ok && v.Verdict == v1alpha1.VerdictFail {
			return apierrors.NewInternalError(fmt.Errorf("not yet: %s", w))
		}
		return nil
	}
	l.tolerate = func(error) bool { return true }
	other.tolerate = l.tolerate
	l.until("all are measured", func() bool { return strings.HasPrefix(l.get().Status.Progress, "6/") })
	other.until("all are measured", func() bool { return strings.HasPrefix(other.get().Status.Progress, "6/") })
	l.hand.before = nil
	return l, other
}

// TestBudgetOfTwoRuns: the nodes that may carry the taint are counted whichever run tainted them.
func TestBudgetOfTwoRuns(t *testing.T) {
	t.Parallel()
	l, second := budgetRace(t)
	done := make(chan struct{})
	go func() { defer close(done); second.pass() }()
	l.pass()
	<-done
	l.finish()
	second.finish()
	same(t, "nodes that carry the taint", 1, l.taintedOf("abcdef"))
}

// TestCapOfTheOperator: no number of runs taints more nodes than the operator may. Other tests taint nodes of the same cluster, so that
// the least cap is used up by any of them.
func TestCapOfTheOperator(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.policy = taint.Policy{MaxPercent: 100, MaxNodes: 1}
	l.restart()
	l.plays = always(program{rate: 50})
	l.run(tainting, l.alone("a"))
	run := l.finish()
	second := l.next("-second", l.alone("b"))
	second.plays = l.plays
	other := second.finish()
	if n := len(taints(l.getNode("a"))) + len(taints(l.getNode("b"))); n > 1 {
		t.Errorf("%d nodes are tainted, 1 may be", n)
	}
	contains(t, "the notes", l.note(run, "a")+second.note(other, "b"), "nodes of the cluster are quarantined or convicted, and the operator allows 1 (--max-quarantined-percent, --max-quarantined-nodes)")
	same(t, "the run says that the node failed all the same", "False/NodesFailed", state(other)[v1alpha1.ConditionSucceeded])
}

// TestTaintsThatTheOperatorForbids: evicting work, and keys of others, are for an administrator to allow.
func TestTaintsThatTheOperatorForbids(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]v1alpha1.Taint{
		"NoExecute evicts what runs on a node: use NoSchedule": {Key: "assay.dev/unfit", Value: "x", Effect: corev1.TaintEffectNoExecute},
		"key nvidia.com/gpu is not in the domain assay.dev":    {Key: "nvidia.com/gpu", Value: "x", Effect: corev1.TaintEffectNoSchedule},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 1)
			l.policy = taint.Policy{MaxPercent: 10}
			l.restart()
			l.run(func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure = &v1alpha1.OnFailure{Taint: &change} })
			l.pass()
			same(t, "the conditions", "True/Invalid", state(l.get())[v1alpha1.ConditionStalled])
			contains(t, "its message", l.get().Status.Conditions[0].Message, says)
			same(t, "pods", 0, len(l.pods()))
		})
	}
}

// TestAForeignTaintThatTheCacheHasNotSeen: it is there all the same, so that it is never taken for ours and removed.
func TestAForeignTaintThatTheCacheHasNotSeen(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting)
	before := l.getNode("a").ResourceVersion
	l.editNode("a", func(n *corev1.Node) { n.Spec.Taints = append(n.Spec.Taints, failureTaint) })
	l.hand.reads = func(o client.Object) {
		if n, ok := o.(*corev1.Node); ok && n.Name == l.node("a") {
			n.Spec.Taints, n.ResourceVersion = nil, before
		}
	}
	l.finish()
	same(t, "node a", unfit, l.standing("a"))
	if q := l.validation("a").Quarantine; q != nil {
		t.Errorf("Assay takes the taint for its own: %+v", q)
	}
	l.next("-again").finish()
	same(t, "node a, repaired", "assay.dev/unfit=failed:NoSchedule "+fit, l.standing("a"))
}

var failureTaint = corev1.Taint{Key: "assay.dev/unfit", Value: "failed", Effect: corev1.TaintEffectNoSchedule}

// TestATaintThatAPersonChangedIsTheirs: who gives our taint another value takes it over.
func TestATaintThatAPersonChangedIsTheirs(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting)
	l.finish()
	l.editNode("a", func(n *corev1.Node) {
		for i := range n.Spec.Taints {
			if n.Spec.Taints[i].Key == "assay.dev/unfit" {
				n.Spec.Taints[i].Value = "keep"
			}
		}
	})
	l.next("-again").finish()
	same(t, "node a, repaired", "assay.dev/unfit=keep:NoSchedule "+fit, l.standing("a"))
	if q := l.validation("a").Quarantine; q != nil {
		t.Errorf("a quarantine is left: %+v", q)
	}
}

// TestATaintThatTheCacheHasNotSeenIsLifted: an earlier leader wrote it a moment ago.
func TestATaintThatTheCacheHasNotSeenIsLifted(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting)
	before := l.getNode("a")
	l.finish()
	same(t, "node a", unfit, l.standing("a"))
	again := l.next("-again")
	again.hand = &hand{}
	again.r = l.r
	again.restart()
	again.hand.reads = func(o client.Object) { // the cache still has the node as it was before
		if n, ok := o.(*corev1.Node); ok && n.Name == before.Name {
			n.Spec.Taints = nil
		}
	}
	again.finish()
	same(t, "node a, repaired", fit, l.standing("a"))
}

// TestRefusedForGood: whatever write an admission policy denies for ever, or an API server with too much to do never gets to, the run is
// over after its deadline and says which.
func TestRefusedForGood(t *testing.T) {
	t.Parallel()
	denied := apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "x", fmt.Errorf("denied by policy"))
	busy := apierrors.NewTooManyRequests("slow down", 1)
	for _, c := range []struct {
		write   write
		refusal error
		says    []string
	}{
		{"patch Node", denied, []string{"tainting", "denied by policy"}},
		{"apply status Node", denied, []string{"applying the node's condition", "denied by policy"}},
		{"create NodeValidation", denied, []string{"storing the NodeValidation", "denied by policy"}},
		{"create ValidationResult", denied, []string{"storing the result of node", "denied by policy"}},
		{"create Pod", denied, []string{"creating the pod of benchmark", "denied by policy"}},
		{"create ControllerRevision", denied, []string{"the run cannot start: creating ControllerRevision", "denied by policy"}},
		{"patch Node", busy, []string{"tainting", "slow down"}},
		{"create ValidationResult", busy, []string{"storing the result of node", "slow down"}},
		{"create Pod", busy, []string{"creating the pod of benchmark", "slow down"}},
	} {
		t.Run(fmt.Sprintf("%s, %s", c.write, apierrors.ReasonForError(c.refusal)), func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 1)
			l.plays = always(program{rate: 50})
			l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(600)) })
			l.hand.before = func(_ int, did write, _ runtime.Object) error {
				if did == c.write {
					return c.refusal
				}
				return nil
			}
			l.tolerate = func(error) bool { return true }
			begin := l.clock.Now()
			for i := 0; !l.finished(); i++ { // a pass that failed is tried again after a while
				l.pass()
				l.kubelet()
				l.clock.SetTime(l.clock.Now().Add(5e9))
				if i > 400 {
					t.Fatalf("after %s it is not over: %s", l.clock.Now().Sub(begin), l.describe())
				}
			}
			if took := l.clock.Now().Sub(begin); took > 13*60e9 {
				t.Errorf("it was over only after %s", took)
			}
			contains(t, "the message", finishedMessage(l.get()), c.says...)
			if c.write == "create ValidationResult" { // what nobody can look up is no verdict
				same(t, "the row", map[string]string{"a": "Error/NotStored"}, l.rowsOf(l.get()))
			}
			l.rest()
			same(t, "pods left", 0, len(l.pods()))
		})
	}
}

var errKilled = apierrors.NewInternalError(fmt.Errorf("killed"))

func finishedMessage(run *v1alpha1.ValidationRun) string {
	for _, c := range run.Status.Conditions {
		if c.Type == v1alpha1.ConditionFinished {
			return c.Message
		}
	}
	return ""
}
