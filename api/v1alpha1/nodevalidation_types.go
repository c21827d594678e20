package v1alpha1

import (
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

// Machine is the state of a node that a measurement holds for.
type Machine struct {
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
	// devices that the benchmark uses: number and product, for example "8 x NVIDIA-H200". Unset: it uses none.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Devices string `json:"devices,omitempty"`
	// fabric by which a group benchmark reached its other nodes: RDMA resource, networks, interface, and a hash of all that was said of it.
	// Unset: the pod network alone, or a benchmark of one node.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Fabric string `json:"fabric,omitempty"`
}

// UnprovedRun is a run in which a benchmark was started on the node and came to neither Pass nor Fail.
type UnprovedRun struct {
	// runUID of the run.
	RunUID types.UID `json:"runUID"`
	// time of its last attempt.
	Time metav1.Time `json:"time"`
	// verdict of the benchmark: Error, Inconclusive or Missing.
	Verdict Verdict `json:"verdict"`
	// reason: one of the documented reasons.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`
	// asked: hash of what the run asked for, as in the history. Unset: unknown.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Asked string `json:"asked,omitempty"`
	// machine: the node as it was then. Unset: unknown.
	// +optional
	Machine *Machine `json:"machine,omitempty"`
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
	// time of the measurement: when the API server created the pod or MPIJob of its last measured attempt.
	Time metav1.Time `json:"time"`
	// verdict of the benchmark.
	Verdict Verdict `json:"verdict"`
	// configuration: hash of image, command and environment, and of the fabric of a group; only like is compared with like.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Configuration string `json:"configuration,omitempty"`
	// values of the headline metrics.
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
	// machine: the node as it was then. Only the last pass and what is newer have it.
	// +optional
	Machine *Machine `json:"machine,omitempty"`
	// held: rules that no part broke, except those that a newer entry has under terms as strict.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Held []HeldRule `json:"held,omitempty"`
	// heldMore rules, for which there is no room in held.
	// +optional
	HeldMore int32 `json:"heldMore,omitempty"`
	// unconfirmed: parts that were suspect in this run and were cleared when they were measured again.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Unconfirmed []PartReference `json:"unconfirmed,omitempty"`
}

// PartReference names a part by one of its metrics.
type PartReference struct {
	// metric.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`
	// at: name of the part.
	// +kubebuilder:validation:MaxLength=128
	At string `json:"at"`
	// identity: its name with the UUIDs of its GPUs. Unset: it has none.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Identity string `json:"identity,omitempty"`
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
	// history: the last 10 that passed and the last 10 that failed, by the time of measurement. The newest comes last: it is the
	// benchmark's proof, whatever the latest run came to.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	History []HistoryEntry `json:"history,omitempty"`
	// unproved: runs since the last pass that came to neither Pass nor Fail, at most the last 10, by time of measurement.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	Unproved []UnprovedRun `json:"unproved,omitempty"`
	// passes: what every part reached when the benchmark passed, by configuration, the newest last.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	Passes []PassHistory `json:"passes,omitempty"`
	// warnings: what fails no node yet: a part that drifts, or one that is suspect again and again.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Warnings []Finding `json:"warnings,omitempty"`
}

// Proof is the newest measurement that proved a node fit (Pass) or unfit (Fail).
type Proof struct {
	// verdict: Pass or Fail.
	Verdict Verdict `json:"verdict"`
	// run that measured.
	Run ObjectReference `json:"run"`
	// measuredAt: when the API server created the pod or MPIJob of its last measured attempt. Proofs are ordered by it.
	MeasuredAt metav1.Time `json:"measuredAt"`
}

// NodeValidation is what is known of one node: its name is the node's, the Node owns it, and it survives runs.
// The controller writes it.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=nval,categories=assay
// +kubebuilder:printcolumn:name="Proof",type=string,JSONPath=`.proof.verdict`
// +kubebuilder:printcolumn:name="Proved",type=date,JSONPath=`.proof.measuredAt`
// +kubebuilder:printcolumn:name="Last run",type=string,JSONPath=`.lastRun.name`
// +kubebuilder:printcolumn:name="Last verdict",type=string,JSONPath=`.verdict`
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
	// measuredAt: when the API server created the pod or MPIJob of lastRun's last attempt. Runs are ordered by it.
	// +optional
	MeasuredAt metav1.Time `json:"measuredAt,omitzero"`
	// proof: the newest Pass or Fail. What could not be measured does not change it, nor what failed a run's own terms alone. Unset: none yet.
	// +optional
	Proof *Proof `json:"proof,omitempty"`
	// offenceCount: how many runs failed this node, by more than their own terms.
	// +optional
	OffenceCount int32 `json:"offenceCount,omitempty"`
	// convictions that no later measurement has refuted. While there is one the node counts as unfit.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Convictions []Conviction `json:"convictions,omitempty"`
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
