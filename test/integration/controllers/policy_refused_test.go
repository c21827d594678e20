package controllers_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// refuseGates of these nodes, all where none is named, as an admission policy would.
func (l *policyLab) refuseGates(shorts ...string) {
	l.deeds.before = func(_ int, w write, o runtime.Object) error {
		if w != "patch Node" || len(shorts) > 0 && !slices.ContainsFunc(shorts, func(s string) bool { return o.(client.Object).GetName() == l.node(s) }) {
			return nil
		}
		return apierrors.NewForbidden(schema.GroupResource{Resource: "nodes"}, o.(client.Object).GetName(), nil)
	}
}

// seconds pass, with a pass of the policy in each.
func (l *policyLab) seconds(n int) {
	for range n {
		l.clock.SetTime(l.clock.Now().Add(time.Second))
		l.enforcePass()
	}
}

// TestTheAPIServerRefusesAllGates: an admission policy that does not let Assay lift the taint is told of, and asked for three nodes once a minute,
// not for each node in each pass.
func TestTheAPIServerRefusesAllGates(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 0)
	for _, short := range []string{"a", "b", "c", "d", "e"} {
		l.addNode(short, closed)
	}
	l.enforce(gated)
	l.refuseGates()
	l.goOn("refused", func() bool { return l.deeds.countOf("patch Node") > 0 })
	l.enforcePass()
	writes := l.deeds.count()
	l.seconds(20)
	same(t, "how often it was tried", 3, l.deeds.countOf("patch Node"))
	same(t, "the writes while it waits", writes, l.deeds.count())
	same(t, "Ready", "False/GateNotAllowed", l.conditions()["Ready"])
	contains(t, "the message", l.saying("Ready"), "the API server refuses", "opening the gate of node "+l.node("a"))
	contains(t, "the last event", l.told.all()[len(l.told.all())-1], "GateNotAllowed", "opening the gate of node")
	l.seconds(60)
	same(t, "how often it was tried a minute later", 6, l.deeds.countOf("patch Node"))
	l.deeds.before = nil
	l.goOn("let in", func() bool { return len(taints(l.getNode("a"))) == 0 })
	l.settle()
	same(t, "the conditions", allValid, l.conditions())
	for _, short := range []string{"b", "c", "d", "e"} {
		same(t, "the taints of "+short, []string{}, taints(l.getNode(short)))
	}
}

// TestTheAPIServerRefusesSomeGates: the others are opened at once, and a minute later where the first few are all refused.
func TestTheAPIServerRefusesSomeGates(t *testing.T) {
	for sentence, c := range map[string]struct {
		refused []string
		within  time.Duration
	}{"one": {[]string{"a"}, 10 * time.Second}, "the first few": {[]string{"a", "b", "c"}, 90 * time.Second}} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newPolicyLab(t, 0)
			all := []string{"a", "b", "c", "d", "e"}
			for _, short := range all {
				l.addNode(short, closed)
			}
			l.enforce(gated)
			l.refuseGates(c.refused...)
			in := func(short string) bool { return len(taints(l.getNode(short))) == 0 }
			l.goOn("valid", l.valid("5/5"))
			before := l.clock.Now()
			l.goOn("let in", func() bool { return in("d") && in("e") })
			if waited := l.clock.Now().Sub(before); waited > c.within {
				t.Errorf("nodes that nothing keeps out were let in after %s, want %s at most", waited, c.within)
			}
			l.enforcePass()
			writes := l.deeds.count()
			l.seconds(20)
			same(t, "the writes while the rest waits", writes, l.deeds.count())
			for _, short := range all {
				same(t, "node "+short+" is let in", !slices.Contains(c.refused, short), in(short))
			}
			same(t, "Ready", "False/GateNotAllowed", l.conditions()["Ready"])
			contains(t, "the message", l.saying("Ready"), "opening the gate of node "+l.node("a"))
			l.deeds.before = nil
			l.settle()
			same(t, "the conditions", allValid, l.conditions())
			same(t, "node a is let in", true, in("a"))
		})
	}
}

// TestAPolicyThatWasSuspendedAMomentAgo opens no gate, although the cache still shows it as it was.
func TestAPolicyThatWasSuspendedAMomentAgo(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 0)
	l.addNode("a", closed)
	l.enforce(gated)
	l.goOn("started", func() bool { return len(l.runs()) == 1 })
	old := l.policy()
	l.edit(func(p *v1alpha1.ValidationPolicy) { p.Spec.Suspend = true })
	l.deeds.reads = func(o client.Object) {
		if p, ok := o.(*v1alpha1.ValidationPolicy); ok && p.UID == old.UID {
			p.Spec, p.Generation = *old.Spec.DeepCopy(), old.Generation
		}
	}
	l.goOn("valid", l.valid("1/1"))
	l.settle()
	same(t, "the taints", []string{"assay.dev/unvalidated=pending:NoSchedule"}, taints(l.getNode("a")))
	same(t, "writes of the node", 0, l.deeds.countOf("patch Node"))
	l.deeds.reads = nil
	l.edit(func(p *v1alpha1.ValidationPolicy) { p.Spec.Suspend = false })
	l.settle()
	same(t, "the taints once it goes on", []string{}, taints(l.getNode("a")))
}

// TestAnOverdueLabelOfSomebodyElse goes as well: its writer restored it, or applied the node as it was.
func TestAnOverdueLabelOfSomebodyElse(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 0)
	l.addNode("a", func(n *corev1.Node) { n.Labels[v1alpha1.LabelOverdue] = l.name })
	l.enforce()
	l.goOn("valid", l.valid("1/1"))
	l.settle()
	same(t, "the label", "", l.getNode("a").Labels[v1alpha1.LabelOverdue])
	l.seconds(60)
	same(t, "how often it was taken away", 1, l.deeds.countOf("patch status Node"))
	same(t, "how often it was applied", 0, l.deeds.countOf("apply status Node"))
}
