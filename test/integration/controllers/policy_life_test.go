package controllers_test

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// occupy lets work of somebody hold all devices of a node.
func (l *policyLab) occupy(short string) *corev1.Pod {
	l.t.Helper()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: l.node(short) + "-work", Namespace: "default"}}
	pod.Spec = corev1.PodSpec{NodeName: l.node(short), Containers: []corev1.Container{{Name: "c", Image: "i",
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}}}}}
	l.create(pod)
	l.t.Cleanup(func() { _ = api.Delete(background, pod, client.GracePeriodSeconds(0)) })
	return pod
}

// onDevices makes the lab's benchmark use the nodes' devices.
func (l *policyLab) onDevices() {
	l.t.Helper()
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(l.t.Context(), keyOf(l.name), b))
	b.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	l.must(api.Update(l.t.Context(), b))
}

// TestABusyNodeIsTakenWhenItIsIdle: it is never put into a run while somebody uses it, and is looked at once a minute.
func TestABusyNodeIsTakenWhenItIsIdle(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 2)
	l.onDevices()
	work := l.occupy("a")
	looks := 0
	l.enforcer.Live = interceptor.NewClient(live, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, pods := list.(*corev1.PodList); pods {
				looks++
			}
			return c.List(ctx, list, opts...)
		},
	})
	l.enforce(func(p *v1alpha1.ValidationPolicy) { p.Spec.OverdueSeconds = 120 })
	l.goOn("one valid", l.valid("1/2"))
	l.goOn("overdue", func() bool { return l.getNode("a").Labels[v1alpha1.LabelOverdue] == l.name })
	for begin := l.clock.Now(); l.clock.Since(begin) < 10*time.Minute; l.clock.SetTime(l.clock.Now().Add(5 * time.Second)) {
		if begin.Equal(l.clock.Now()) {
			looks = 0
		}
		l.enforcePass()
	}
	if looks < 9 || looks > 11 {
		t.Errorf("a busy node was looked at %d times in ten minutes, want once a minute", looks)
	}
	same(t, "the runs", []string{"NeverValidated 1"}, l.reasons())
	contains(t, "what it waits for", l.attention()["a"].Message, work.Namespace+"/"+work.Name)
	l.must(api.Delete(t.Context(), work, client.GracePeriodSeconds(0)))
	l.goOn("valid", l.valid("2/2"))
	l.settle()
	same(t, "the runs", []string{"NeverValidated 1", "NeverValidated 1"}, l.reasons())
	same(t, "the label", "", l.getNode("a").Labels[v1alpha1.LabelOverdue])
}

// TestAChangedNodeIsMeasuredAgain, and one that is only labelled is not.
func TestAChangedNodeIsMeasuredAgain(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 2)
	l.onDevices()
	l.editNode("a", withDriver("570.86.15"))
	l.enforce(func(p *v1alpha1.ValidationPolicy) { p.Spec.RevalidateOn = []v1alpha1.Change{v1alpha1.ChangeDriver} })
	l.goOn("valid", l.valid("2/2"))
	l.settle()
	l.editNode("b", func(n *corev1.Node) { n.Labels["shelf"] = "3" })
	l.settle()
	same(t, "the runs", []string{"NeverValidated 2"}, l.reasons())
	l.nextSecond()
	l.editNode("a", withDriver("580.82.07"))
	l.goOn("due", l.valid("1/2"))
	l.goOn("valid", l.valid("2/2"))
	l.settle()
	same(t, "the runs", []string{"Changed 1", "NeverValidated 2"}, l.reasons())
}

// TestExpiredPassesAreRenewed: a pass is good for so long, and the run that follows says why.
func TestExpiredPassesAreRenewed(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 1)
	l.enforce(func(p *v1alpha1.ValidationPolicy) { p.Spec.ValidForSeconds = new(int64(7200)) })
	l.goOn("valid", l.valid("1/1"))
	l.settle()
	l.clock.SetTime(l.clock.Now().Add(3 * time.Hour))
	l.goOn("measured again", func() bool { return strings.Contains(strings.Join(l.reasons(), ","), "Expired 1") })
}

// TestValidateNow: any new value of the annotation makes all nodes due once, also across a restart.
func TestValidateNow(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 2)
	l.plays = always(program{takes: time.Millisecond})
	l.enforce(atOnce)
	l.goOn("valid", l.valid("2/2"))
	l.settle()
	l.request("1")
	l.enforcePass()
	l.restartEnforcer()
	l.goOn("valid again", func() bool { return l.policy().Status.Valid == "2/2" && len(l.reasons()) == 2 })
	l.settle()
	l.restartEnforcer()
	l.settle()
	same(t, "the runs", []string{"NeverValidated 2", "Requested 2"}, l.reasons())
}

// TestHistoryLimits: as many finished runs are kept as the policy says, and runs of people are none of them.
func TestHistoryLimits(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 1)
	l.plays = always(program{takes: time.Millisecond})
	l.lab.run(func(r *v1alpha1.ValidationRun) { r.Name = l.nodes + byHand })
	l.enforce(atOnce, func(p *v1alpha1.ValidationPolicy) {
		p.Spec.SuccessfulRunsHistoryLimit, p.Spec.FailedRunsHistoryLimit = new(int32(1)), new(int32(0))
	})
	l.settle()
	for _, value := range []string{"1", "2", "3"} {
		l.request(value)
		created := l.deeds.countOf("create ValidationRun")
		l.goOn("measured again", func() bool { return l.deeds.countOf("create ValidationRun") > created })
		l.settle()
	}
	same(t, "the runs of the policy", []string{"Requested 1"}, l.reasons())
	names := []string{}
	for _, run := range l.runs() {
		if run.Labels[v1alpha1.LabelPolicy] == "" {
			names = append(names, run.Name)
		}
	}
	same(t, "the runs of people", []string{l.nodes + byHand}, names)
}

// TestAGateOpenedByHand is respected and recorded, and the node is measured all the same.
func TestAGateOpenedByHand(t *testing.T) {
	t.Parallel()
	l := newPolicyLab(t, 0)
	l.plays = always(program{rate: 50})
	l.enforce(gated)
	l.addNode("a", closed)
	l.goOn("failed", func() bool { return len(l.needing()) == 1 && l.needing()[0] == "a Failed" })
	l.settle()
	l.editNode("a", func(n *corev1.Node) { n.Spec.Taints = nil })
	l.settle()
	contains(t, "the record", l.getNode("a").Annotations[v1alpha1.AnnotationGate], `"by":"somebody"`)
	contains(t, "the events", strings.Join(l.told.reasons(), " "), "GateOpenedByHand")
	same(t, "the taints", []string{}, taints(l.getNode("a")))
	same(t, "writes of the node", 1, l.deeds.countOf("patch Node"))
}
