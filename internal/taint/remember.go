package taint

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Outcome is one run's finished judgement of one node.
type Outcome struct {
	// Node as it was read.
	Node *corev1.Node
	// Run that judged.
	Run v1alpha1.ObjectReference
	// Result with every benchmark judged.
	Result *v1alpha1.ValidationResult
	// Configurations: hash of command and parameters, by benchmark.
	Configurations map[string]string
	// Time of the verdict.
	Time metav1.Time
}

// NextValidation is what is known of the node after the outcome. old is nil, or what was known before; it is never
// modified. Applying the same outcome again changes nothing. Quarantine is kept as it is.
func NextValidation(old *v1alpha1.NodeValidation, out Outcome) *v1alpha1.NodeValidation { return nil }

// FingerprintOf identifies what a result validated.
func FingerprintOf(node *corev1.Node, result *v1alpha1.ValidationResult) v1alpha1.Fingerprint {
	return v1alpha1.Fingerprint{}
}

// NextQuarantine is the quarantine of a node that these benchmarks failed. An existing one keeps its taint and its
// beginning, and what it is owed.
func NextQuarantine(old *v1alpha1.Quarantine, t corev1.Taint, run v1alpha1.ObjectReference, failed []string, now metav1.Time) *v1alpha1.Quarantine {
	return nil
}
