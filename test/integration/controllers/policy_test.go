package controllers_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestAPolicyValidatesItsNodes: all nodes are measured in one run, and then nothing is written, however often the policy is looked at, by a new
// operator too.
func TestAPolicyValidatesItsNodes(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 3)
	l.enforce(func(p *v1alpha1.ValidationPolicy) { p.Spec.ValidForSeconds = new(int64(604800)) })
	l.goOn("valid", l.valid("3/3"))
	l.settle()
	same(t, "the conditions", allValid, l.conditions())
	same(t, "the runs", []string{"NeverValidated 3"}, l.reasons())
	run := l.runs()[0]
	same(t, "who owns the run", "ValidationPolicy/"+l.name, run.OwnerReferences[0].Kind+"/"+run.OwnerReferences[0].Name)
	same(t, "the newest run", run.Name, l.policy().Status.LastRun.Name)
	same(t, "what needs attention", 0, len(l.policy().Status.Attention))
	if next := l.policy().Status.NextRunTime; next == nil || next.Sub(l.clock.Now()) < 5*24*time.Hour {
		t.Errorf("the next run is due at %v, want it after 80%% of a week", next)
	}
	versions, writes := l.versions(), l.deeds.count()
	for i := range 12 {
		if i%4 == 0 {
			l.restartEnforcer()
		}
		l.enforcePass()
		l.clock.SetTime(l.clock.Now().Add(time.Minute))
	}
	same(t, "the writes once it is settled", writes, l.deeds.count())
	same(t, "the versions", versions, l.versions())
}

// TestAGatedNodeIsLetIn: a new node is measured behind its gate, which opens when it passes; only that taint goes.
func TestAGatedNodeIsLetIn(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 0)
	l.enforce(gated)
	l.settle()
	same(t, "the conditions without a node", map[string]string{"Ready": "True/Enforced", "Satisfied": "Unknown/NoNodes"}, l.conditions())
	l.addNode("new", closed, func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "team", Value: "hpc", Effect: corev1.TaintEffectNoSchedule})
		n.Annotations = map[string]string{"site": "x"}
	})
	l.goOn("let in", func() bool { return len(taints(l.getNode("new"))) == 1 })
	n := l.getNode("new")
	same(t, "the taints", []string{"team=hpc:NoSchedule"}, taints(n))
	record := n.Annotations[v1alpha1.AnnotationGate]
	if !strings.Contains(record, `"by":"assay"`) || !strings.Contains(record, `"run":"`+l.runs()[0].Name) || n.Annotations["site"] != "x" {
		t.Errorf("the annotations are %v", n.Annotations)
	}
	l.settle()
	same(t, "the state", allValid, l.conditions())
	same(t, "gated nodes", int32(0), l.policy().Status.Nodes.Gated)
	contains(t, "the events", strings.Join(l.told.reasons(), " "), "RunCreated", "GateOpened")
	same(t, "writes of the node", 1, l.deeds.countOf("patch Node"))
}

// TestAFailedNodeStaysOut: its gate stays closed, and everything says why. Repaired, it is measured again and let in.
func TestAFailedNodeStaysOut(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 0)
	l.plays = on("bad", program{rate: 50})
	l.enforce(gated, retrying)
	l.addNode("bad", closed)
	l.addNode("good", closed)
	l.goOn("failed", func() bool { return len(l.needing()) > 0 && l.needing()[0] == "bad Failed" })
	l.settle()
	same(t, "the taints of the bad node", []string{"assay.dev/unvalidated=pending:NoSchedule"}, taints(l.getNode("bad")))
	same(t, "the taints of the good node", []string{}, taints(l.getNode("good")))
	same(t, "what needs attention", []string{"bad Failed"}, l.needing())
	same(t, "the conditions", map[string]string{"Ready": "True/Enforced", "Satisfied": "False/NodesNotValid"}, l.conditions())
	same(t, "the node's condition", "False/BelowExpectation", validated(l.getNode("bad")))
	same(t, "valid", "1/2", l.policy().Status.Valid)
	contains(t, "the events", strings.Join(l.told.reasons(), " "), "GateKept")

	l.plays = nil
	l.nextSecond() // pods of one second by the API server's clock, which does not go on with the lab's, are in an order of chance
	l.goOn("let in", func() bool { return len(taints(l.getNode("bad"))) == 0 })
	same(t, "the runs", []string{"NeverValidated 2", "Retry 1"}, l.reasons())
}

// TestARunByHandCounts: a person measures the node, and the policy has nothing to do but to open its gate.
func TestARunByHandCounts(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 0)
	l.enforce(gated, func(p *v1alpha1.ValidationPolicy) { p.Spec.Suspend = true })
	l.addNode("a", closed)
	l.lab.run(func(r *v1alpha1.ValidationRun) { r.Name = l.nodes + byHand })
	l.settle()
	same(t, "the taints while the policy is suspended", 1, len(taints(l.getNode("a"))))
	same(t, "the conditions", map[string]string{"Ready": "True/Suspended", "Satisfied": "True/AllValid", "Suspended": "True/Suspended"}, l.conditions())
	l.edit(func(p *v1alpha1.ValidationPolicy) { p.Spec.Suspend = false })
	l.settle()
	same(t, "the taints", []string{}, taints(l.getNode("a")))
	same(t, "runs of the policy", []string{}, l.reasons())
}
