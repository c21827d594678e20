package controllers

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Holder looks, live, for pods of others that hold one of these devices of a node, and says which; empty: none does. It reads one node's
// pods instead of caching all pods of the cluster; the scheduler, which counts devices itself, has the last word. Pods of benchmarks, in
// their own namespace, hold nothing.
func Holder(ctx context.Context, live client.Reader, namespace, node string, devices ...corev1.ResourceName) (string, error) {
	if len(devices) == 0 {
		return "", nil
	}
	var pods corev1.PodList
	if err := live.List(ctx, &pods, client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("spec.nodeName", node)}); err != nil {
		return "", fmt.Errorf("listing the pods of node %s: %w", node, err)
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		over := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
		if over || p.Labels[v1alpha1.LabelBenchmark] != "" && p.Namespace == namespace {
			continue
		}
		if held := heldBy(p, devices); held != "" {
			return held, nil
		}
	}
	return "", nil
}

func heldBy(p *corev1.Pod, devices []corev1.ResourceName) string {
	for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		for _, device := range devices {
			if q, ok := c.Resources.Limits[device]; ok && !q.IsZero() {
				return devicesHeld(p.Namespace+"/"+p.Name, q.String(), string(device))
			}
		}
	}
	return ""
}
