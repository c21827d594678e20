package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// HeldValue is the worst value of one kind of part.
type HeldValue struct {
	// kind of part: its name without indices, for example socket.
	// +kubebuilder:validation:MaxLength=128
	Kind string `json:"kind"`
	// value in the unit of the metric.
	Value Decimal `json:"value"`
}

// HeldRule is a rule that no part of a measurement broke. It refutes earlier convictions by that rule.
type HeldRule struct {
	// metric, or the data check; empty: the data as a whole.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric,omitempty"`
	// rule, as in a Finding.
	// +kubebuilder:validation:MaxLength=32
	Rule string `json:"rule"`
	// limit of the expectation.
	// +optional
	Limit Decimal `json:"limit,omitempty"`
	// value of the worst part, in the unit of the metric.
	// +optional
	Value Decimal `json:"value,omitempty"`
	// kinds: the worst value of each kind of part, where parts of several kinds were judged: a socket is not compared with the node.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Kinds []HeldValue `json:"kinds,omitempty"`
	// parts that were judged.
	// +optional
	Parts int32 `json:"parts,omitempty"`
	// asCatalogued: parameters and expectation were those of the Benchmark.
	// +optional
	AsCatalogued bool `json:"asCatalogued,omitempty"`
}

// HeldRules are the rules that one measurement held, except those that a later one held under terms as strict.
type HeldRules struct {
	// runUID of the run that measured.
	RunUID types.UID `json:"runUID"`
	// time of the measurement, as in its entry.
	Time metav1.Time `json:"time"`
	// verdict of the benchmark: Pass or Fail.
	Verdict Verdict `json:"verdict"`
	// configuration: hash of image, command and environment, and of the fabric of a group.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Configuration string `json:"configuration,omitempty"`
	// ownParameters: the run had set parameters of the benchmark.
	// +optional
	OwnParameters bool `json:"ownParameters,omitempty"`
	// rules that were held.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Rules []HeldRule `json:"rules,omitempty"`
	// more rules, for which there is no room in rules.
	// +optional
	More int32 `json:"more,omitempty"`
}
