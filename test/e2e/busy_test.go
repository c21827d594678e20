//go:build e2e

package e2e_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const device = corev1.ResourceName("example.com/gpu")

func testBusy(t *testing.T, node string) {
	offerDevice(t, node)
	stranger := holdDevice(t, node)

	skip := newRun("busy-skipped", []string{node}, "device-rate")
	skip.Spec.BusyNodes = v1alpha1.BusySkip
	create(t, skip)
	finish(t, skip)
	checkSummary(t, skip, inconclusive(each([]string{node}, "Skipped/NodeBusy")))
	checkMessage(t, skip, node, "pod default/stranger holds 1 example.com/gpu")

	wait := newRun("busy-waited-for", []string{node}, "device-rate")
	create(t, wait)
	until(t, wait, "to wait", func(r *v1alpha1.ValidationRun) bool {
		return summaryOf(r).Rows[node] == "Pending/Waiting"
	})
	checkSummary(t, wait, summary{Verdict: v1alpha1.VerdictPending, Rows: each([]string{node}, "Pending/Waiting"),
		Conditions: map[string]string{"Finished": "False/Waiting", "Succeeded": "Unknown/Waiting", "Reconciling": "True/Waiting"}})
	checkMessage(t, wait, node, "pod default/stranger holds 1 example.com/gpu")
	if pods := podsOf(t, wait); len(pods) > 0 {
		t.Errorf("a pod was launched on the busy node: %s", pods[0].Name)
	}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(stranger), stranger); err != nil || stranger.Status.Phase != corev1.PodRunning {
		t.Errorf("the stranger was disturbed: %s, %v", stranger.Status.Phase, err)
	}
	if err := api.Delete(t.Context(), stranger, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	finish(t, wait)
	checkSummary(t, wait, passed(node))
}

// offerDevice lets a node offer one device, as a device plugin would.
func offerDevice(t *testing.T, node string) {
	t.Helper()
	set := func(ctx context.Context, change func(corev1.ResourceList)) error {
		n := &corev1.Node{}
		if err := api.Get(ctx, client.ObjectKey{Name: node}, n); err != nil {
			return err
		}
		before := n.DeepCopy()
		change(n.Status.Capacity)
		change(n.Status.Allocatable)
		return api.Status().Patch(ctx, n, client.MergeFrom(before))
	}
	if err := set(t.Context(), func(l corev1.ResourceList) { l[device] = resource.MustParse("1") }); err != nil {
		t.Fatalf("adding a device to %s: %v", node, err)
	}
	t.Cleanup(func() { _ = set(context.Background(), func(l corev1.ResourceList) { delete(l, device) }) })
}

// holdDevice runs a pod that is not Assay's and takes the node's device.
func holdDevice(t *testing.T, node string) *corev1.Pod {
	t.Helper()
	one := corev1.ResourceList{device: resource.MustParse("1")}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "stranger", Namespace: "default"},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{corev1.LabelHostname: node},
			Containers: []corev1.Container{{Name: "work", Image: "localhost/assay/bench-cpu:dev", Command: []string{"sleep", "3600"},
				Resources: corev1.ResourceRequirements{Limits: one, Requests: one}}},
		},
	}
	if err := api.Create(t.Context(), pod); err != nil {
		t.Fatalf("creating the stranger: %v", err)
	}
	t.Cleanup(func() { _ = api.Delete(context.Background(), pod.DeepCopy(), client.GracePeriodSeconds(0)) })
	eventually(t, "the stranger to run", func(ctx context.Context) (bool, string) {
		if err := api.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, err.Error()
		}
		return pod.Status.Phase == corev1.PodRunning, string(pod.Status.Phase)
	})
	return pod
}
