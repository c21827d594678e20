package cluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// HookLabel is what webhooks of others put on nodes and pods, and Sidecar a container that they add to pods, which does not end by itself.
const (
	HookLabel = "hook.site/x"
	Sidecar   = "sidecar"
)

// HasSidecar: a pod does not end with its program.
func HasSidecar(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Containers, func(c corev1.Container) bool { return c.Name == Sidecar })
}

// selects says whether a pod may be on a node by its selector.
func selects(pod *corev1.Pod, n *corev1.Node) bool {
	return labels.SelectorFromSet(pod.Spec.NodeSelector).Matches(labels.Set(n.Labels))
}

// endedPhase is that of a pod whose program has ended.
func endedPhase(pod *corev1.Pod, exit int32) corev1.PodPhase {
	switch {
	case HasSidecar(pod):
		return corev1.PodRunning
	case exit != 0:
		return corev1.PodFailed
	}
	return corev1.PodSucceeded
}
