package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Fingerprint identifies what was validated: a change of it makes the validation stale.
type Fingerprint struct {
	// nodeUID of the Node object.
	NodeUID types.UID `json:"nodeUID"`
	// bootID of the node.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	BootID string `json:"bootID,omitempty"`
	// kernel version.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Kernel string `json:"kernel,omitempty"`
	// driver version of the accelerator, from the node's labels.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Driver string `json:"driver,omitempty"`
	// deviceUUIDs of the accelerators that took part.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=96
	DeviceUUIDs []string `json:"deviceUUIDs,omitempty"`
}

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
	// time of the verdict.
	Time metav1.Time `json:"time"`
	// verdict of the benchmark.
	Verdict Verdict `json:"verdict"`
	// configuration: hash of the parameters and command; only like is compared with like.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Configuration string `json:"configuration,omitempty"`
	// values of the headline metrics.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MaxItems=32
	Values []HistoryValue `json:"values,omitempty"`
}

// BenchmarkHistory is what is known of a node by one benchmark.
type BenchmarkHistory struct {
	// name of the Benchmark.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// verdict of the latest run.
	Verdict Verdict `json:"verdict"`
	// message of the latest run.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
	// history: the last 10, newest last.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	History []HistoryEntry `json:"history,omitempty"`
}

// Quarantine is the taint that Assay put on a node, and what must pass to lift it.
type Quarantine struct {
	// key of the taint.
	// +kubebuilder:validation:MaxLength=316
	Key string `json:"key"`
	// value of the taint.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Value string `json:"value,omitempty"`
	// effect of the taint.
	Effect corev1.TaintEffect `json:"effect"`
	// run that failed the node.
	Run ObjectReference `json:"run"`
	// since when.
	Since metav1.Time `json:"since"`
	// benchmarks that failed: a later run must pass all of them.
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=63
	Benchmarks []string `json:"benchmarks"`
}

// NodeValidation is what is known of one node: its name is the node's, the Node owns it, and it survives runs.
// The controller writes it.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=nval,categories=assay
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.verdict`
// +kubebuilder:printcolumn:name="Run",type=string,JSONPath=`.lastRun.name`
// +kubebuilder:printcolumn:name="Validated",type=date,JSONPath=`.validatedAt`
// +kubebuilder:printcolumn:name="Offences",type=integer,JSONPath=`.offenceCount`
// +kubebuilder:printcolumn:name="Taint",type=string,JSONPath=`.quarantine.key`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.message`,priority=1
type NodeValidation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// fingerprint of what was validated.
	Fingerprint Fingerprint `json:"fingerprint"`
	// verdict of the latest run.
	Verdict Verdict `json:"verdict"`
	// message of the latest run.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Message string `json:"message,omitempty"`
	// lastRun that judged this node.
	LastRun ObjectReference `json:"lastRun"`
	// validatedAt: when the latest verdict was given.
	ValidatedAt metav1.Time `json:"validatedAt"`
	// offenceCount: how many runs failed this node.
	// +optional
	OffenceCount int32 `json:"offenceCount,omitempty"`
	// quarantine: the taint Assay put on the node. Unset: none.
	// +optional
	Quarantine *Quarantine `json:"quarantine,omitempty"`
	// benchmarks: latest verdict and history by benchmark. Atomic: one writer, and the API server need not track who owns
	// every number.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Benchmarks []BenchmarkHistory `json:"benchmarks,omitempty"`
}

// NodeValidationList is a list of NodeValidations.
// +kubebuilder:object:root=true
type NodeValidationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []NodeValidation `json:"items"`
}
