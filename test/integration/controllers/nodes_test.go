// Long, because what may befall a node is told in one place.

package controllers_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

func percent(text string) *intstr.IntOrString {
	return &intstr.IntOrString{Type: intstr.String, StrVal: text}
}

// nextSecond waits until the API server's clock has gone on by a second: measurements of two runs are ordered by it. Real ones take
// longer than that.
func (l *lab) nextSecond() {
	l.t.Helper()
	now := func() time.Time {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "now-", Namespace: namespace}}
		l.must(api.Create(l.t.Context(), probe, client.DryRunAll))
		return probe.CreationTimestamp.Time
	}
	for began := now(); !now().After(began); {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-l.t.Context().Done():
			l.t.Fatal("the API server's clock stands still")
		}
	}
}

// next runs the lab's nodes a second time.
func (l *lab) next(name string, change ...func(*v1alpha1.ValidationRun)) *lab {
	l.t.Helper()
	l.nextSecond()
	second := *l
	second.steps = 0
	second.name = l.name + name
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: second.name}, Spec: l.get().Spec}
	for _, c := range change {
		c(run)
	}
	l.create(run)
	l.t.Cleanup(func() { discard(second.name) })
	second.plays = nil
	return &second
}

func validated(n *corev1.Node) string {
	for _, c := range n.Status.Conditions {
		if c.Type == v1alpha1.NodeConditionValidated {
			return string(c.Status) + "/" + c.Reason
		}
	}
	return ""
}

// TestFailConfirmTaintRecover follows one slow node from its fail to its recovery.
func TestFailConfirmTaintRecover(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	foreign := []corev1.Taint{{Key: "team", Value: "hpc", Effect: corev1.TaintEffectNoSchedule}, {Key: "assay.dev/unfit", Value: "other", Effect: corev1.TaintEffectPreferNoSchedule}}
	l.editNode("a", func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, foreign...)
		n.Labels["site"] = "x"
	})
	l.plays = on("a", program{rate: 50})
	l.run(tainting)
	run := l.finish()
	same(t, "the conditions", failed, state(run))
	a := l.getNode("a")
	same(t, "the taints of node a", []string{"team=hpc:NoSchedule", "assay.dev/unfit=other:PreferNoSchedule", "assay.dev/unfit=failed:NoSchedule"}, taints(a))
	same(t, "the verdict label of node a", "failed", a.Labels[v1alpha1.LabelVerdict])
	same(t, "the label of others", "x", a.Labels["site"])
	same(t, "the condition of node a", "False/BelowExpectation", validated(a))
	same(t, "node a is still Ready", true, isReady(a))
	b := l.getNode("b")
	same(t, "the taints of node b", []string{}, taints(b))
	same(t, "the condition and label of node b", "True/Passed passed", validated(b)+" "+b.Labels[v1alpha1.LabelVerdict])
	v := l.validation("a")
	same(t, "convicted by", l.name, nodevalidation.Benchmarks(v.Convictions))
	same(t, "the run of the quarantine", run.UID, v.Quarantine.Run.UID)
	same(t, "offences", int32(1), v.OffenceCount)
	same(t, "the owner of what is remembered", a.UID, v.OwnerReferences[0].UID)
	same(t, "attempts", 2, len(l.result("a").Benchmarks[0].Attempts))
	same(t, "tainted in the summary", int32(1), run.Status.Summary.Tainted)
	same(t, "the events", []string{"Started", "NodeFailed", "TaintAdded", "Finish"}, rename(l.events.reasons(), v1alpha1.ReasonNodesFailed, "Finish"))

	l.create(l.benchmark(l.name + "-easy"))
	easy := l.next("-easy", func(r *v1alpha1.ValidationRun) { r.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: l.name + "-easy"}} })
	easy.plays = func(string, string, int) program { return program{} }
	easy.until("finished", easy.finished)
	same(t, "the taints after another benchmark passed", 3, len(taints(l.getNode("a"))))
	same(t, "the label after another benchmark passed", "failed", l.getNode("a").Labels[v1alpha1.LabelVerdict])

	again := l.next("-again")
	again.until("finished", again.finished)
	same(t, "the conditions of the second run", passed, state(again.get()))
	a = l.getNode("a")
	same(t, "the taints after recovery", []string{"team=hpc:NoSchedule", "assay.dev/unfit=other:PreferNoSchedule"}, taints(a))
	same(t, "condition and label after recovery", "True/Passed passed", validated(a)+" "+a.Labels[v1alpha1.LabelVerdict])
	v = l.validation("a")
	if v.Quarantine != nil || v.OffenceCount != 1 {
		t.Errorf("after recovery there is quarantine %v and %d offences", v.Quarantine, v.OffenceCount)
	}
}

// TestTaintOfAnotherRun: a run lifts the taint of an earlier one although it names none itself, so that its pods have to come to
// the node whatever the taint's key and effect are.
func TestTaintOfAnotherRun(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(func(r *v1alpha1.ValidationRun) {
		r.Spec.OnFailure = &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{Key: "site/unfit", Value: "failed", Effect: corev1.TaintEffectNoExecute}}
	})
	l.finish()
	same(t, "the taints", []string{"site/unfit=failed:NoExecute"}, taints(l.getNode("a")))
	second := l.next("-second", func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure = nil })
	second.until("a pod", func() bool { return len(second.pods()) > 0 })
	if want := (corev1.Toleration{Key: "site/unfit", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}); !slices.Contains(second.pods()[0].Spec.Tolerations, want) {
		t.Errorf("the pod tolerates %v, want %v among it", second.pods()[0].Spec.Tolerations, want)
	}
	second.until("finished", second.finished)
	same(t, "the taints after the second run", []string{}, taints(l.getNode("a")))
}

func rename(list []string, from, to string) []string {
	for i := range list {
		if list[i] == from {
			list[i] = to
		}
	}
	return list
}

// TestACannotRunChangesNothing: a run whose program cannot run on a node proves nothing of it: the node keeps its proof, condition and label.
func TestACannotRunChangesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.run()
	l.finish()
	before := l.validation("a")
	second := l.next("-second")
	second.plays = always(program{skips: "it has no such device"})
	same(t, "the rows", map[string]string{"a": "Error/CannotRunHere"}, second.rowsOf(second.finish()))
	after := l.validation("a")
	if tried := after.Benchmarks[0].Unproved; len(tried) != 1 || tried[0].RunUID != second.get().UID || tried[0].Reason != v1alpha1.ReasonCannotRunHere {
		t.Errorf("unproved runs are %+v, want the second one", tried)
	}
	same(t, "the proof of node a", before.Proof, after.Proof)
	same(t, "node a", fit, l.standing("a"))
}

// TestATaintThatWasTakenAwayUnseen: a run that fails a node again puts back the taint that a person took away a moment ago, although its
// cache still shows it.
func TestATaintThatWasTakenAwayUnseen(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting)
	l.finish()
	again := l.next("-again")
	again.plays = l.plays
	l.editNode("a", func(n *corev1.Node) { n.Spec.Taints = nil })
	l.hand.reads = func(o client.Object) {
		if n, ok := o.(*corev1.Node); ok && n.Name == l.node("a") {
			n.Spec.Taints = []corev1.Taint{failureTaint}
		}
	}
	again.finish()
	same(t, "the taints", []string{"assay.dev/unfit=failed:NoSchedule"}, taints(l.getNode("a")))
}

// TestTaintRemovedByHand: a person has the last word; the finished run does not put the taint back.
func TestTaintRemovedByHand(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting)
	l.finish()
	l.editNode("a", func(n *corev1.Node) { n.Spec.Taints = nil })
	for range 3 {
		l.pass()
	}
	same(t, "the taints", []string{}, taints(l.getNode("a")))
}

// TestConflictOnTaint: another writer changes the node between our read and our write; both changes stay.
func TestConflictOnTaint(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{rate: 50})
	l.run(tainting)
	interfered := 0
	l.hand.before = func(_ int, w write, _ runtime.Object) error {
		if w == "patch Node" && interfered < 2 {
			interfered++
			value := strings.Repeat("x", interfered)
			l.editNode("a", func(n *corev1.Node) {
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "other" + value, Value: value, Effect: corev1.TaintEffectNoSchedule})
				n.Labels["other"] = value
			})
		}
		return nil
	}
	l.finish()
	same(t, "the times that another writer came first", 2, interfered)
	a := l.getNode("a")
	same(t, "the taints", []string{"otherx=x:NoSchedule", "otherxx=xx:NoSchedule", "assay.dev/unfit=failed:NoSchedule"}, taints(a))
	same(t, "the other's label", "xx", a.Labels["other"])
}

// TestOneApplyForConditionAndLabel: both land by one write to the node's status, owned by us, beside others' fields.
func TestOneApplyForConditionAndLabel(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.run()
	l.finish()
	var nodeWrites []write
	for _, w := range l.hand.writes {
		if strings.HasSuffix(string(w), " Node") {
			nodeWrites = append(nodeWrites, w)
		}
	}
	same(t, "the writes to nodes", []write{"apply status Node"}, nodeWrites)
	a := l.getNode("a")
	same(t, "condition and label", "True/Passed passed", validated(a)+" "+a.Labels[v1alpha1.LabelVerdict])
	same(t, "others' labels and conditions", "true "+l.name, map[bool]string{true: "true ", false: ""}[isReady(a)]+a.Labels["lab"])
	i := slices.IndexFunc(a.ManagedFields, func(f metav1.ManagedFieldsEntry) bool { return f.Manager == "assay" })
	if i < 0 || a.ManagedFields[i].Operation != metav1.ManagedFieldsOperationApply {
		t.Errorf("the fields are not applied by assay: %+v", a.ManagedFields)
	}
}

// TestNodeIsWrittenOnce: a node that has its verdict before the others are measured is not written again when the fleet is
// complete, although there is more to say of it then.
func TestNodeIsWrittenOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.run(func(r *v1alpha1.ValidationRun) { r.Spec.MaxConcurrentNodes = new(intstr.FromInt32(1)) })
	l.finish()
	applied := 0
	for _, w := range l.hand.writes {
		if w == "apply status Node" {
			applied++
		}
	}
	same(t, "writes to the status of 4 nodes", 4, applied)
	same(t, "what the node says and what its result says", l.result("a").Message, messageOf(l.getNode("a")))
}

func messageOf(n *corev1.Node) string {
	for _, c := range n.Status.Conditions {
		if c.Type == v1alpha1.NodeConditionValidated {
			return c.Message
		}
	}
	return ""
}

// TestNodesInMidRun: what happens to a node in mid-run costs that node its verdict, and nothing else.
func TestNodesInMidRun(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		happens func(*lab)
		row     string
		others  bool // node a keeps what is remembered of it
		named   bool // the run names its nodes
	}{
		"it is deleted": {happens: func(l *lab) { l.deleteNode("a") }, row: "Error/NodeDeleted"},
		"it is re-created": {happens: func(l *lab) {
			l.deleteNode("a")
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: l.node("a"), Labels: map[string]string{"lab": l.name}}}
			l.create(n)
			l.ready("a", corev1.ConditionTrue)
		}, row: "Error/NodeRecreated"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 2)
			l.plays = on("a", program{takes: 30 * time.Second})
			l.run(tainting, func(r *v1alpha1.ValidationRun) {
				if c.named {
					r.Spec.Selector, r.Spec.NodeNames = nil, []string{l.node("a"), l.node("b")}
				}
			})
			l.until("both run", func() bool { return l.anyPod(corev1.PodRunning) && len(l.pods()) == 2 })
			c.happens(l)
			l.until("finished", l.finished)
			rows := map[string]string{}
			for _, r := range l.get().Status.Nodes {
				rows[strings.TrimPrefix(r.Name, l.name+"-")] = string(r.Verdict) + "/" + r.Reason
			}
			same(t, "the rows", map[string]string{"a": c.row, "b": "Pass/Passed"}, rows)
			l.checkNothingLeft(nil)
			if strings.HasPrefix(c.row, "Error/NodeRe") {
				same(t, "the new node", "", validated(l.getNode("a"))+l.getNode("a").Labels[v1alpha1.LabelVerdict])
			}
		})
	}
}

// TestMaxTaintedNodes: at no instant are more nodes tainted than may be; zero forbids every taint.
func TestMaxTaintedNodes(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		limit  intstr.IntOrString
		fails  string
		taints int
		end    string
	}{
		"two may be, two fail":   {intstr.FromInt32(2), "ab", 2, "True/NodesFailed"},
		"one may be, two fail":   {intstr.FromInt32(1), "ab", 0, "True/BreakerOpen"},
		"none may be, one fails": {intstr.FromInt32(0), "a", 0, "True/BreakerOpen"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, 6)
			l.plays = func(node, _ string, _ int) program {
				if strings.Contains(c.fails, node) {
					return program{rate: 50}
				}
				return program{takes: time.Duration(5+node[0]-'a') * time.Second}
			}
			l.run(tainting, func(r *v1alpha1.ValidationRun) { r.Spec.OnFailure.MaxTaintedNodes = &c.limit })
			most := 0
			count := func() int {
				var nodes corev1.NodeList
				l.must(api.List(t.Context(), &nodes, labelled(l.name)))
				n := 0
				for i := range nodes.Items {
					n += len(taints(&nodes.Items[i]))
				}
				return n
			}
			l.hand.after = func(_ int, w write, _ runtime.Object) error {
				if w == "patch Node" {
					most = max(most, count())
				}
				return nil
			}
			run := l.finish()
			same(t, "the end", c.end, state(run)["Finished"])
			same(t, "the taints", c.taints, count())
			if most > c.limit.IntValue() {
				t.Errorf("at one instant %d nodes were tainted", most)
			}
		})
	}
}

// TestQuietWhenSettled: a finished run causes no write, however often and late it is looked at, after a restart too.
func TestQuietWhenSettled(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	l.plays = on("a", program{rate: 50})
	l.run(tainting)
	l.finish()
	versions := l.versions()
	writes := l.hand.count()
	for i := range 20 {
		if i%5 == 0 {
			l.restart()
		}
		if result := l.pass(); result.RequeueAfter != 0 {
			t.Fatalf("a finished run is looked at again in %s", result.RequeueAfter)
		}
		l.clock.SetTime(l.clock.Now().Add(time.Hour))
	}
	same(t, "the writes", writes, l.hand.count())
	same(t, "the versions", versions, l.versions())
}

// versions of everything that belongs to the lab.
func (l *lab) versions() map[string]string {
	l.t.Helper()
	out := map[string]string{}
	var nodes corev1.NodeList
	var results v1alpha1.ValidationResultList
	var validations v1alpha1.NodeValidationList
	var runs v1alpha1.ValidationRunList
	for _, list := range []client.ObjectList{&nodes, &results, &validations, &runs} {
		l.must(api.List(context.Background(), list))
		l.must(eachObject(list, func(o client.Object) {
			if rest, ok := strings.CutPrefix(o.GetName(), l.name); ok && (rest == "" || rest[0] < '0' || rest[0] > '9') { // lab1, not lab12
				out[kindOf(o)+"/"+o.GetName()] = o.GetResourceVersion()
			}
		}))
	}
	return out
}
