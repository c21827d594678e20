package controllers_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestWhatAPolicyCannotHave: what the API server cannot refuse becomes a condition that says what to do. Nothing is measured, and no gate opens,
// until it is corrected.
func TestWhatAPolicyCannotHave(t *testing.T) {
	t.Parallel()
	for sentence, c := range map[string]struct {
		spoil  func(*v1alpha1.ValidationPolicy)
		reason string
		says   string
	}{
		"a schedule that never comes":     {func(p *v1alpha1.ValidationPolicy) { p.Spec.Schedule = "61 2 * * *" }, "Invalid", "61 2 * * *"},
		"a time zone that nobody knows":   {func(p *v1alpha1.ValidationPolicy) { p.Spec.Schedule, p.Spec.TimeZone = "@daily", "Europe/Atlantis" }, "Invalid", "Europe/Atlantis"},
		"a benchmark that is not there":   {func(p *v1alpha1.ValidationPolicy) { p.Spec.Benchmarks[0].Name = "none-such" }, "Invalid", "none-such"},
		"a suite that no benchmark lists": {func(p *v1alpha1.ValidationPolicy) { p.Spec.Benchmarks, p.Spec.Suite = nil, "quik" }, "Invalid", "quik"},
		"a gate that only others open": {func(p *v1alpha1.ValidationPolicy) {
			p.Spec.Gate.Taint.Key = "readiness.k8s.io/gpu"
		}, "GateNotAllowed", "readiness.k8s.io/gpu"},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newPolicyLab(t, 0)
			l.addNode("a", closed)
			l.enforce(gated, c.spoil)
			l.settle()
			same(t, "Ready", "False/"+c.reason, l.conditions()["Ready"])
			contains(t, "the message", l.saying("Ready"), c.says)
			same(t, "the taints", []string{"assay.dev/unvalidated=pending:NoSchedule"}, taints(l.getNode("a")))
			writes := l.deeds.count()
			l.settle()
			same(t, "the writes once that is said", writes, l.deeds.count())

			l.edit(func(p *v1alpha1.ValidationPolicy) {
				p.Spec = v1alpha1.ValidationPolicySpec{Selector: p.Spec.Selector, Benchmarks: []v1alpha1.BenchmarkRef{{Name: l.name}}, Gate: &v1alpha1.Gate{}}
			})
			l.goOn("let in", func() bool { return len(taints(l.getNode("a"))) == 0 })
			l.settle()
			same(t, "the conditions", allValid, l.conditions())
		})
	}
}

// TestTwoPoliciesOneGate: where two policies would open the same gate of a node, neither does, and both say so. Both have the node measured.
func TestTwoPoliciesOneGate(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 0)
	l.addNode("a", closed)
	l.enforce(gated)
	l.enforce(gated, func(p *v1alpha1.ValidationPolicy) { p.Name += "-other" })
	other := *l
	one := *l.lab
	other.lab, one.name = &one, l.name+"-other"
	other.goOn("valid", other.valid("1/1"))
	l.goOn("valid", l.valid("1/1"))
	other.settle()
	same(t, "the taints", []string{"assay.dev/unvalidated=pending:NoSchedule"}, taints(l.getNode("a")))
	for who, p := range map[string]*policyLab{"the one": l, "the other": &other} {
		same(t, "Ready of "+who, "False/GateConflict", p.conditions()["Ready"])
	}
	contains(t, "the message", l.saying("Ready"), l.name+"-other", l.node("a"))

	l.must(api.Delete(t.Context(), other.policy()))
	l.settle()
	same(t, "the taints once there is one policy", []string{}, taints(l.getNode("a")))
	same(t, "the conditions", allValid, l.conditions())
}

// TestTheAPIServerRefusesARun: the policy says so, and does not count nodes as being validated.
func TestTheAPIServerRefusesARun(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 2)
	l.enforce()
	refused := 0
	l.deeds.before = func(_ int, w write, _ runtime.Object) error {
		if w == "create ValidationRun" {
			refused++
			return apierrors.NewForbidden(schema.GroupResource{Resource: "validationruns"}, "r", nil)
		}
		return nil
	}
	l.goOn("refused", func() bool { return refused > 0 })
	l.enforcePass()
	writes := l.deeds.count()
	for range 20 {
		l.clock.SetTime(l.clock.Now().Add(time.Second))
		l.enforcePass()
	}
	same(t, "how often it was tried", 1, refused)
	same(t, "the writes while it waits", writes, l.deeds.count())
	same(t, "Ready", "False/LaunchFailed", l.conditions()["Ready"])
	same(t, "the events", []string{"LaunchFailed"}, l.told.reasons())
	same(t, "the nodes that are validated now", int32(0), l.policy().Status.Nodes.Validating)
	l.lab.run(func(r *v1alpha1.ValidationRun) { r.Name = l.nodes + byHand })
	l.goOn("valid by the run of a person", l.valid("2/2"))
	l.settle()
	same(t, "the conditions once nothing is refused any more", allValid, l.conditions())
}

// TestARunOfSomebodyElseHasTheName: it is left alone, and the policy says what is in its way.
func TestARunOfSomebodyElseHasTheName(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 1)
	l.enforce()
	l.tolerate = func(err error) bool { return strings.Contains(err.Error(), "does not belong to this policy") }
	var name string
	l.deeds.before = func(_ int, w write, o runtime.Object) error {
		if w == "create ValidationRun" && name == "" {
			name = o.(client.Object).GetName()
			foreign := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: *o.(*v1alpha1.ValidationRun).Spec.DeepCopy()}
			foreign.Spec.NodeNames = []string{"elsewhere"}
			return api.Create(t.Context(), foreign)
		}
		return nil
	}
	for name == "" {
		_, next := l.turn()
		l.clock.SetTime(later(l.clock.Now(), next))
	}
	same(t, "Ready", "False/LaunchFailed", l.conditions()["Ready"])
	contains(t, "the message", l.saying("Ready"), name, "delete or rename it")
	discard(name)
	l.goOn("valid", l.valid("1/1"))
}

// TestADeletedPolicyLeavesNothing but the gates that are closed.
func TestADeletedPolicyLeavesNothing(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 0)
	l.addNode("a", closed, func(n *corev1.Node) { n.Spec.Unschedulable = true })
	l.enforce(gated, func(p *v1alpha1.ValidationPolicy) { p.Spec.OverdueSeconds = 60 })
	l.goOn("overdue", func() bool { return l.getNode("a").Labels[v1alpha1.LabelOverdue] == l.name })
	l.settle()
	contains(t, "the events", strings.Join(l.told.reasons(), " "), "Overdue")
	same(t, "overdue nodes", int32(1), l.policy().Status.Nodes.Overdue)
	l.must(api.Delete(t.Context(), l.policy()))
	l.restartEnforcer() // it never saw the policy
	l.enforcePass()
	n := l.getNode("a")
	same(t, "the label", "", n.Labels[v1alpha1.LabelOverdue])
	same(t, "the taints", []string{"assay.dev/unvalidated=pending:NoSchedule"}, taints(n))
	writes := l.deeds.count()
	l.enforcePass()
	same(t, "the writes after that", writes, l.deeds.count())
}
