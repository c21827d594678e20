package taint

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestCarriedBy: what others change on a node and does not concern its verdict is no reason to judge it again.
func TestCarriedBy(t *testing.T) {
	validated := func(change func(*corev1.NodeCondition)) func(*corev1.Node) {
		return func(n *corev1.Node) { change(&n.Status.Conditions[1]) }
	}
	for sentence, c := range map[string]struct {
		change  func(*corev1.Node)
		matters bool
	}{
		"a heartbeat of the kubelet": {func(n *corev1.Node) {
			n.ResourceVersion, n.Status.Conditions[0].LastHeartbeatTime = "2", metav1.NewTime(now)
		}, false},
		"what can be allocated": {func(n *corev1.Node) {
			n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
		}, false},
		"a label of somebody else":        {func(n *corev1.Node) { n.Labels["rack"] = "7" }, false},
		"another machine":                 {func(n *corev1.Node) { n.UID = "another" }, true},
		"a reboot":                        {func(n *corev1.Node) { n.Status.NodeInfo.BootID = "2" }, true},
		"a new kernel":                    {func(n *corev1.Node) { n.Status.NodeInfo.KernelVersion = "7" }, true},
		"a new driver":                    {func(n *corev1.Node) { n.Labels["nvidia.com/cuda.driver-version.full"] = "590.1" }, true},
		"a taint that somebody took away": {func(n *corev1.Node) { n.Spec.Taints = nil }, true},
		"another taint of that key":       {func(n *corev1.Node) { n.Spec.Taints[0].Value = "somebody" }, true},
		"the label of the verdict":        {func(n *corev1.Node) { delete(n.Labels, v1alpha1.LabelVerdict) }, true},
		"no condition":                    {func(n *corev1.Node) { n.Status.Conditions = n.Status.Conditions[:1] }, true},
		"the condition's status":          {validated(func(c *corev1.NodeCondition) { c.Status = corev1.ConditionFalse }), true},
		"the condition's reason":          {validated(func(c *corev1.NodeCondition) { c.Reason = "Other" }), true},
		"the condition's message":         {validated(func(c *corev1.NodeCondition) { c.Message = "other" }), true},
	} {
		t.Run(sentence, func(t *testing.T) {
			n := node(unfit)
			n.Labels = map[string]string{v1alpha1.LabelVerdict: "pass"}
			n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady}, {Type: v1alpha1.NodeConditionValidated, Status: corev1.ConditionTrue, Reason: "Passed"}}
			before := CarriedBy(n)
			if c.change(n); (CarriedBy(n) != before) != c.matters {
				t.Errorf("it matters: %v, want %v", !c.matters, c.matters)
			}
		})
	}
}
