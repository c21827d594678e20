package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// HistoryValue is one headline metric in a node's history: that of its worst part.
type HistoryValue struct {
	// metric.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`
	// unit of value.
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit"`
	// value measured.
	Value Decimal `json:"value"`
}

// HistoryEntry is one earlier validation of a node by one benchmark.
type HistoryEntry struct {
	// run that measured.
	// +kubebuilder:validation:MaxLength=63
	Run string `json:"run"`
	// runUID of that run.
	RunUID types.UID `json:"runUID"`
	// time of the measurement: when the API server created the pod or MPIJob of its last measured attempt.
	Time metav1.Time `json:"time"`
	// verdict of the benchmark.
	Verdict Verdict `json:"verdict"`
	// configuration: hash of image, command and environment, and of the fabric of a group; only like is compared with like.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Configuration string `json:"configuration,omitempty"`
	// values of the headline metrics. In a NodeValidation, only the newest entry has them.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MaxItems=32
	Values []HistoryValue `json:"values,omitempty"`
	// ownParameters: the run had set parameters of the benchmark.
	// +optional
	OwnParameters bool `json:"ownParameters,omitempty"`
	// ownExpectations: the run had set expectations of the benchmark.
	// +optional
	OwnExpectations bool `json:"ownExpectations,omitempty"`
	// ownTerms: the benchmark failed, and broke nothing that the Benchmark asks: only the run's own bounds, or any with its own parameters.
	// It is that run's verdict, and says nothing else of the node.
	// +optional
	OwnTerms bool `json:"ownTerms,omitempty"`
	// asked: hash of what the run asked for: image as the Benchmark names it, command, environment, and the run's own expectations.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Asked string `json:"asked,omitempty"`
	// machine: the node as it was then. Only entries of a NodeValidation have it.
	// +optional
	Machine *Machine `json:"machine,omitempty"`
}
