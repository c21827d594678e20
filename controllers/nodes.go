package controllers

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// NodeChanged says whether a node changed in what runs and policies look at; heartbeats of thousands of nodes wake nobody.
func NodeChanged(before, after *corev1.Node) bool {
	return before.UID != after.UID ||
		before.Spec.Unschedulable != after.Spec.Unschedulable ||
		nodeReady(before) != nodeReady(after) ||
		!maps.Equal(before.Labels, after.Labels) ||
		!equality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints) ||
		!equality.Semantic.DeepEqual(before.Status.Allocatable, after.Status.Allocatable) ||
		!equality.Semantic.DeepEqual(before.Status.Capacity, after.Status.Capacity)
}

func nodeReady(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
