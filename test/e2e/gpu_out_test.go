//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

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
	stored := storedVerdict(t, slow, v1alpha1.VerdictFail)
	rule := ruleOf(t, node)
	came := time.Now()
	refused := claimGPUs(t, "refused", withoutToleration(uuids[slowGPU]))
	unschedulable(t, refused)
	t.Logf("from the stored verdict: %s to the rule, %s to the scheduler's refusal of a pod that was made then", came.Sub(stored).Round(time.Millisecond),
		time.Since(stored).Round(time.Millisecond))
	if s := rule.Spec.DeviceSelector; *s.Driver != gpuDriver || *s.Pool != node || *s.Device != slowGPU || rule.Annotations[v1alpha1.AnnotationDevice] != uuids[slowGPU] {
		t.Errorf("the rule is %+v of %+v, want it of %s", rule.Spec, rule.ObjectMeta, slowGPU)
	}
	finish(t, slow)
	checkSummary(t, slow, ended(v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, each([]string{node}, "Fail/BelowExpectation")))
	event(t, node, v1alpha1.ReasonTaintAdded, uuids[slowGPU])
	if m := marksOf(getNode(t, node)); len(m.Taints) > 0 {
		t.Errorf("the node itself has the taints %v", m.Taints)
	}

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

// storedVerdict waits until a run has stored what it found of its node, and says when that was.
func storedVerdict(t *testing.T, run *v1alpha1.ValidationRun, want v1alpha1.Verdict) time.Time {
	t.Helper()
	at := time.Time{}
	tightly(t, "a stored verdict", func() bool {
		var list v1alpha1.ValidationResultList
		at = time.Now()
		return api.List(t.Context(), &list, client.MatchingLabels{v1alpha1.LabelRunName: run.Name}) == nil && len(list.Items) == 1 && list.Items[0].Verdict == want
	})
	return at
}

// ruleOf a device of the node.
func ruleOf(t *testing.T, node string) (rule resourceapi.DeviceTaintRule) {
	t.Helper()
	tightly(t, "a rule of node "+node, func() bool {
		for _, r := range rulesOfAssay(t.Context()) {
			if r.Annotations[v1alpha1.AnnotationNode] == node {
				rule = r
				return true
			}
		}
		return false
	})
	return rule
}

func rulesOfAssay(ctx context.Context) []resourceapi.DeviceTaintRule {
	var list resourceapi.DeviceTaintRuleList
	_ = api.List(ctx, &list, client.MatchingLabels{v1alpha1.LabelManagedBy: v1alpha1.ManagedByValue})
	return list.Items
}

// tightly waits for something that is timed.
func tightly(t *testing.T, what string, is func() bool) {
	t.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for end := time.Now().Add(patience); !is(); <-ticker.C {
		if time.Now().After(end) {
			t.Fatalf("waited %s for %s", patience, what)
		}
	}
}

// withoutToleration asks for one device, unless it is tainted.
func withoutToleration(uuid string) resourceapi.ExactDeviceRequest {
	request := thatGPU(uuid)
	request.Tolerations = nil
	return request
}
