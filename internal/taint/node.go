package taint

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// VerdictLabel is the value of the node's verdict label: passed or failed; empty (no label) for anything else.
func VerdictLabel(v v1alpha1.Verdict) string { return "" }

// Condition is the node's assay.dev/Validated condition. previous is the one the node has, nil for none.
func Condition(v v1alpha1.Verdict, reason, message string, now metav1.Time, previous *corev1.NodeCondition) corev1.NodeCondition {
	return corev1.NodeCondition{}
}

// Recovered says whether a quarantine is lifted by a later run, by the benchmarks that passed in it; and why, or what
// is still owed.
func Recovered(q *v1alpha1.Quarantine, passed map[string]bool) (bool, string) { return false, "" }
