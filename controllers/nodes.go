package controllers

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-dev/assay/internal/measure/workload"
)

// NodeChanged says whether a node changed in what runs and policies look at; heartbeats of thousands of nodes wake nobody.
func NodeChanged(before, after *corev1.Node) bool {
	was, _ := workload.Readiness(before)
	is, _ := workload.Readiness(after)
	return before.UID != after.UID ||
		before.Spec.Unschedulable != after.Spec.Unschedulable ||
		was != is ||
		!maps.Equal(before.Labels, after.Labels) ||
		!equality.Semantic.DeepEqual(before.Spec.Taints, after.Spec.Taints) ||
		!equality.Semantic.DeepEqual(before.Status.Allocatable, after.Status.Allocatable) ||
		!equality.Semantic.DeepEqual(before.Status.Capacity, after.Status.Capacity)
}
