//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// testGPUOut is the way of one slow GPU out and back, as testOneDeviceOut goes it by hand: it is measured, tainted and proved by runs.
func testGPUOut(t *testing.T, node string) {
	t.Cleanup(func() { _, _ = try("clusterctl", "--name", clusterName, "dra", "stop", node) })
	uuids := offerGPUs(t, "--slow", slowGPU)
	slow := tainting(newRun("gpu-slow", []string{node}, "gpu-uuid-rate"), 1)
	slow.Spec.OnFailure.Taint.Scope = v1alpha1.TaintScopeDevice
	create(t, slow)
	rule := ruleOf(t, node)
	if s := rule.Spec.DeviceSelector; *s.Driver != gpuDriver || *s.Pool != node || *s.Device != slowGPU || rule.Annotations[v1alpha1.AnnotationDevice] != uuids[slowGPU] {
		t.Errorf("the rule is %+v of %+v, want it of %s", rule.Spec, rule.ObjectMeta, slowGPU)
	}
	finish(t, slow)
	checkSummary(t, slow, ended(v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, each([]string{node}, "Fail/BelowExpectation")))
	event(t, node, v1alpha1.ReasonTaintAdded, uuids[slowGPU])
	if m := marksOf(getNode(t, node)); len(m.Taints) > 0 {
		t.Errorf("the node itself has the taints %v", m.Taints)
	}

	// Not before: the scheduler may hand a GPU out until it has seen the rule. How long that takes: make bench-devices.
	refused := claimGPUs(t, "refused", withoutToleration(uuids[slowGPU]))
	unschedulable(t, refused)
	pods := sevenWork(t, uuids)
	last := claimGPUs(t, "worker-7", oneGPU)
	unschedulable(t, last)
	offerGPUs(t) // repaired
	unschedulable(t, last)
	end(t, append(pods, last)...)
	proof := newRun("gpu-repaired", []string{node}, "gpu-uuid-rate")
	create(t, proof)
	finish(t, proof)
	checkSummary(t, proof, passed(node))
	works(t, refused)
	if diff := cmp.Diff([]string{uuids[slowGPU]}, seenBy(t, refused)); diff != "" {
		t.Errorf("the GPU of the pod that was refused (-want +got):\n%s", diff)
	}
	end(t, refused)
	if rules := rulesOfAssay(t.Context()); len(rules) > 0 {
		t.Errorf("rules are left: %+v", rules)
	}
}

// sevenWork: of eight GPUs all but the slow one are handed out to the pods that are returned.
func sevenWork(t *testing.T, uuids map[string]string) (pods []*corev1.Pod) {
	t.Helper()
	fit := maps.Clone(uuids)
	delete(fit, slowGPU)
	var seen []string
	for i := range len(fit) {
		pods = append(pods, claimGPUs(t, fmt.Sprintf("worker-%d", i), oneGPU))
	}
	for _, pod := range pods {
		works(t, pod)
		seen = append(seen, seenBy(t, pod)...)
	}
	slices.Sort(seen)
	if diff := cmp.Diff(slices.Sorted(maps.Values(fit)), seen); diff != "" {
		t.Errorf("the GPUs that are handed out (-want +got):\n%s", diff)
	}
	return pods
}

// ruleOf a device of the node.
func ruleOf(t *testing.T, node string) (rule resourceapi.DeviceTaintRule) {
	t.Helper()
	eventually(t, "a rule of node "+node, func(ctx context.Context) (bool, string) {
		rules := rulesOfAssay(ctx)
		i := slices.IndexFunc(rules, func(r resourceapi.DeviceTaintRule) bool { return r.Annotations[v1alpha1.AnnotationNode] == node })
		if i >= 0 {
			rule = rules[i]
		}
		return i >= 0, fmt.Sprintf("%d rules", len(rules))
	})
	return rule
}

func rulesOfAssay(ctx context.Context) []resourceapi.DeviceTaintRule {
	var list resourceapi.DeviceTaintRuleList
	_ = api.List(ctx, &list, client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedByValue})
	return list.Items
}

// withoutToleration asks for one device, unless it is tainted.
func withoutToleration(uuid string) resourceapi.ExactDeviceRequest {
	request := thatGPU(uuid)
	request.Tolerations = nil
	return request
}
