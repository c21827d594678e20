//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	gpuDriver = "gpu.nvidia.com"
	// gpuNode has eight GPUs by a DRA driver.
	gpuNode = "node-3"
	slowGPU = "gpu-3"
	slowKey = "example.com/slow"
)

// testDevices: the scheduler hands out the GPUs of a DRA driver by claims, the kubelet prepares them, and a taint keeps one of eight back.
// Nothing of it is Assay's: it is what Assay relies on.
func testDevices(t *testing.T, _ string) {
	t.Cleanup(func() { _, _ = try("clusterctl", "--name", clusterName, "dra", "stop", gpuNode) })
	t.Run("a claim for all waits for the one that is in use", testAllDevices)
	t.Run("of eight devices with a slow one, seven are handed out until it is repaired", testOneDeviceOut)
	eventually(t, "the kubelet to give every device back", func(context.Context) (bool, string) {
		files, err := filepath.Glob(filepath.Join("/run/assay-cluster", clusterName, gpuNode, "cdi", "*"))
		return err == nil && len(files) == 0, fmt.Sprint(files, err)
	})
}

func testAllDevices(t *testing.T) {
	uuids := offerGPUs(t)
	one := claimGPUs(t, "one", oneGPU)
	works(t, one)
	if seen := seenBy(t, one); len(seen) != 1 || !slices.Contains(slices.Collect(maps.Values(uuids)), seen[0]) {
		t.Errorf("the pod sees the GPUs %v, want one of %v", seen, uuids)
	}
	all := claimGPUs(t, "all", allGPUs)
	unschedulable(t, all)
	end(t, one)
	works(t, all)
	if diff := cmp.Diff(slices.Sorted(maps.Values(uuids)), seenBy(t, all)); diff != "" {
		t.Errorf("the GPUs that a pod with all of them sees (-want +got):\n%s", diff)
	}
	end(t, all)
}

// testOneDeviceOut is the way of one slow GPU out and back. What the operator does is done by hand: the measurement, the taint and the proof.
func testOneDeviceOut(t *testing.T) {
	uuids := offerGPUs(t, "--slow", slowGPU)
	measure := claimGPUs(t, "measure", allGPUs)
	works(t, measure)
	if slow := slowIn(t, measure); !slices.Equal(slow, []string{slowGPU}) {
		t.Fatalf("a program that measures all GPUs finds %v slow, want %s", slow, slowGPU)
	}
	end(t, measure)
	rule := taintGPU(t, slowGPU)

	var pods []*corev1.Pod
	for i := range len(uuids) {
		pods = append(pods, claimGPUs(t, fmt.Sprintf("worker-%d", i), oneGPU))
	}
	last := pods[len(pods)-1]
	fit := maps.Clone(uuids)
	delete(fit, slowGPU)
	var seen []string
	for _, pod := range pods[:len(pods)-1] {
		works(t, pod)
		seen = append(seen, seenBy(t, pod)...)
	}
	slices.Sort(seen)
	if diff := cmp.Diff(slices.Sorted(maps.Values(fit)), seen); diff != "" {
		t.Errorf("the GPUs that are handed out (-want +got):\n%s", diff)
	}
	unschedulable(t, last)

	offerGPUs(t) // repaired
	proof := claimGPUs(t, "proof", thatGPU(uuids[slowGPU]))
	works(t, proof)
	if slow := slowIn(t, proof); len(slow) > 0 || !slices.Equal(seenBy(t, proof), []string{uuids[slowGPU]}) {
		t.Fatalf("the repaired GPU is measured: slow are %v, seen are %v", slow, seenBy(t, proof))
	}
	end(t, proof)
	unschedulable(t, last)
	lifted := time.Now()
	if err := api.Delete(t.Context(), rule); err != nil {
		t.Fatal(err)
	}
	works(t, last)
	t.Logf("the last pod runs %s after its device's taint was lifted", time.Since(lifted).Round(time.Millisecond))
	if diff := cmp.Diff([]string{uuids[slowGPU]}, seenBy(t, last)); diff != "" {
		t.Errorf("the GPU of the last pod (-want +got):\n%s", diff)
	}
	end(t, pods...)
}

// offerGPUs returns the UUIDs of the GPUs that the node offers from now on, by device.
func offerGPUs(t *testing.T, flags ...string) map[string]string {
	t.Helper()
	clusterctl(t, append([]string{"dra", "start", gpuNode, "--gpus", "8"}, flags...)...)
	var offered resourceapi.ResourceSliceList
	if err := api.List(t.Context(), &offered, client.MatchingFields{resourceapi.ResourceSliceSelectorNodeName: gpuNode}); err != nil {
		t.Fatal(err)
	}
	uuids := map[string]string{}
	for _, slice := range offered.Items {
		for _, d := range slice.Spec.Devices {
			uuids[d.Name] = *d.Attributes["uuid"].StringValue
		}
	}
	if len(uuids) != 8 || uuids[slowGPU] == "" {
		t.Fatalf("node %s offers the GPUs %v, want gpu-0 to gpu-7", gpuNode, uuids)
	}
	return uuids
}

// taintGPU keeps claims away from one device of the node.
func taintGPU(t *testing.T, device string) *resourceapi.DeviceTaintRule {
	t.Helper()
	rule := &resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "slow-" + gpuNode + "-" + device}}
	rule.Spec.DeviceSelector = &resourceapi.DeviceTaintSelector{Driver: new(gpuDriver), Pool: new(gpuNode), Device: &device}
	rule.Spec.Taint = resourceapi.DeviceTaint{Key: slowKey, Effect: resourceapi.DeviceTaintEffectNoSchedule}
	if err := api.Create(t.Context(), rule); err != nil {
		t.Fatalf("tainting %s: %v", device, err)
	}
	t.Cleanup(func() { _ = api.Delete(context.Background(), rule.DeepCopy()) })
	return rule
}

var (
	oneGPU  = resourceapi.ExactDeviceRequest{AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}
	allGPUs = resourceapi.ExactDeviceRequest{AllocationMode: resourceapi.DeviceAllocationModeAll}
)

// thatGPU asks for one device, tainted or not.
func thatGPU(uuid string) resourceapi.ExactDeviceRequest {
	request := oneGPU
	request.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{
		Expression: fmt.Sprintf("device.attributes[%q].uuid == %q", gpuDriver, uuid)}}}
	request.Tolerations = []resourceapi.DeviceToleration{{Key: slowKey, Operator: resourceapi.DeviceTolerationOpExists}}
	return request
}

// claimGPUs creates a pod with a claim of GPUs.
func claimGPUs(t *testing.T, name string, request resourceapi.ExactDeviceRequest) *corev1.Pod {
	t.Helper()
	request.DeviceClassName = gpuDriver
	meta := metav1.ObjectMeta{Name: "gpus-" + name, Namespace: "default"}
	claim := &resourceapi.ResourceClaim{ObjectMeta: meta}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "gpus", Exactly: &request}}
	pod := &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{
		NodeSelector:                  map[string]string{corev1.LabelHostname: gpuNode},
		TerminationGracePeriodSeconds: new(int64(1)),
		ResourceClaims:                []corev1.PodResourceClaim{{Name: "gpus", ResourceClaimName: &meta.Name}},
		Containers: []corev1.Container{{Name: "work", Image: "localhost/assay/bench-cpu:dev", Command: []string{"sleep", "3600"},
			Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "gpus"}}}}},
	}}
	for _, o := range []client.Object{claim, pod} {
		if err := api.Create(t.Context(), o); err != nil {
			t.Fatalf("creating %T %s: %v", o, o.GetName(), err)
		}
		t.Cleanup(func() {
			_ = api.Delete(context.Background(), o.DeepCopyObject().(client.Object), client.GracePeriodSeconds(0))
		})
	}
	return pod
}

func works(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	eventually(t, "pod "+pod.Name+" to run", func(ctx context.Context) (bool, string) {
		if err := api.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, err.Error()
		}
		return pod.Status.Phase == corev1.PodRunning, fmt.Sprintf("%s, %s", pod.Status.Phase, whyUnscheduled(pod))
	})
}

// unschedulable waits until the scheduler has said that the pod gets no devices.
func unschedulable(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	eventually(t, "the scheduler to refuse pod "+pod.Name, func(ctx context.Context) (bool, string) {
		if err := api.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, err.Error()
		}
		why := whyUnscheduled(pod)
		return strings.Contains(why, "cannot allocate all claims"), fmt.Sprintf("%s, %s", pod.Status.Phase, why)
	})
	if pod.Spec.NodeName != "" || pod.Status.Phase != corev1.PodPending {
		t.Errorf("pod %s is %s on %q, want it Pending", pod.Name, pod.Status.Phase, pod.Spec.NodeName)
	}
}

func whyUnscheduled(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			return c.Message
		}
	}
	return ""
}

// seenBy is the UUIDs that a program in the pod finds in its environment, in order.
func seenBy(t *testing.T, pod *corev1.Pod) []string {
	t.Helper()
	uuids := strings.Fields(kubectl(t, "exec", pod.Name, "--", "sh", "-c", "env | sed -n 's/^DRA_GPU_[0-9]*=//p'"))
	slices.Sort(uuids)
	return uuids
}

// slowIn is what a program in the pod finds slow: the names of devices.
func slowIn(t *testing.T, pod *corev1.Pod) []string {
	t.Helper()
	return strings.Fields(kubectl(t, "exec", pod.Name, "--", "sh", "-c", "env | sed -n 's/^DRA_GPU_\\([0-9]*\\)_SLOW=.*/gpu-\\1/p'"))
}

// end deletes pods and waits until they are gone. Of a pod that is deleted by force, the kubelet gives the devices back a minute later, and the
// driver refuses them until then.
func end(t *testing.T, pods ...*corev1.Pod) {
	t.Helper()
	for _, pod := range pods {
		if err := api.Delete(t.Context(), pod.DeepCopy()); err != nil {
			t.Fatalf("deleting pod %s: %v", pod.Name, err)
		}
	}
	eventually(t, "pods to be gone", func(ctx context.Context) (bool, string) {
		for _, pod := range pods {
			if err := api.Get(ctx, client.ObjectKeyFromObject(pod), &corev1.Pod{}); !apierrors.IsNotFound(err) {
				return false, fmt.Sprintf("pod %s is there, %v", pod.Name, err)
			}
		}
		return true, ""
	})
}
