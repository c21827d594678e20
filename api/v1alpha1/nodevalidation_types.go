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

// BenchmarkState is what holds of a node by one benchmark.
type BenchmarkState struct {
	// name of the Benchmark.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// verdict of the latest run.
	Verdict Verdict `json:"verdict"`
	// message of the latest run.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
	// history: the last pass of a run without own parameters and expectations, the last on each of the 4 newest sets of these, and the failures
	// since the first of them, by the time of measurement; and failures that only passes of something else followed. The newest comes last: it is
	// the benchmark's proof, whatever the latest run came to. The NodeHistory has the others. What versions before it kept here beside that
	// stays until the operator has moved it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	// +kubebuilder:validation:items:XPreserveUnknownFields
	History []HistoryEntry `json:"history,omitempty"`
	// unproved: runs since the last pass that came to neither Pass nor Fail, at most the last 10, by time of measurement.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	Unproved []UnprovedRun `json:"unproved,omitempty"`
	// warnings: what fails no node yet: a part that drifts, or one that is suspect again and again.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Warnings []Finding `json:"warnings,omitempty"`
}

// HistoryReference says which NodeHistory a NodeValidation goes with. Both are written one after the other, the NodeHistory first.
type HistoryReference struct {
	// uid of the NodeHistory. Unset: none could be stored.
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// generation of the NodeHistory.
	// +optional
	Generation int64 `json:"generation,omitempty"`
	// incompleteUntil: what was measured until then may be missing in the NodeHistory, which was lost, or could not be stored. Unset: nothing is.
	// +optional
	IncompleteUntil metav1.Time `json:"incompleteUntil,omitzero"`
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

// NodeValidation is the state of one node: what was proved of it, and what convicts it. Its name is the node's, the Node owns it, and it
// survives runs. The operator writes it. What its parts reached is in the NodeHistory of the same name.
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
	// nodeHistory that goes with it. Unset: a version before NodeHistory wrote this object, and the operator has still to move the history.
	// +optional
	NodeHistory *HistoryReference `json:"nodeHistory,omitempty"`
	// benchmarks: latest verdict and proof by benchmark. Atomic: one writer, and the API server need not track who owns
	// every number.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:XPreserveUnknownFields
	Benchmarks []BenchmarkState `json:"benchmarks,omitempty"`
}

// NodeValidationList is a list of NodeValidations.
// +kubebuilder:object:root=true
type NodeValidationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []NodeValidation `json:"items"`
}

// Conviction is a rule that the node broke in a confirmed measurement. It stands until a later measurement, judged by the same
// rule under the same terms, refutes it.
type Conviction struct {
	// benchmark that measured.
	// +kubebuilder:validation:MaxLength=63
	Benchmark string `json:"benchmark"`
	// metric that fell short, or the data check that failed.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric,omitempty"`
	// rule that the metric broke, as in a Finding.
	// +kubebuilder:validation:MaxLength=32
	Rule string `json:"rule"`
	// at: the part that was worst. Empty: the whole node.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	At          string `json:"at,omitempty"`
	RuleNumbers `json:",inline"`
	// devices: the UUIDs of the GPUs that broke the rule, where each part that did is one GPU. Unset: another part did, or it is not known which GPU
	// it is.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=96
	Devices []string `json:"devices,omitempty"`
	// expected: the value that most nodes had, of a fact that differed from them.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Expected string `json:"expected,omitempty"`
	// configuration measured: hash of image, command and environment, and of the fabric of a group.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Configuration string `json:"configuration,omitempty"`
	// asCatalogued: what was broken is what the Benchmark asks, whatever else the run asked. Without it, only terms of the run's own were
	// broken: it stands for the sake of the run's taint, and goes with the next pass on the Benchmark's terms.
	// +optional
	AsCatalogued bool `json:"asCatalogued,omitempty"`
	// again: another run had convicted the node of the same before, and nothing had refuted that.
	// +optional
	Again bool `json:"again,omitempty"`
	// more rules of the benchmark that the node broke in that run, for which there is no room here.
	// +optional
	More int32 `json:"more,omitempty"`
	// run that convicted.
	Run ObjectReference `json:"run"`
	// measuredAt: when the API server created the pod or MPIJob of the measurement.
	MeasuredAt metav1.Time `json:"measuredAt"`
}

// Quarantine is the taint that Assay put on a node. It goes when no conviction stands any more.
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
	// run that put it there.
	Run ObjectReference `json:"run"`
	// since when.
	Since metav1.Time `json:"since"`
	// id of the quarantine, which no other has: the annotation assay.dev/quarantine of the node names the one that its taint rests on.
	// +optional
	ID types.UID `json:"id,omitempty"`
	// devices that are out of service, by UUID. Set: the taint is on these alone, and the node itself has none. Unset: it is on the node.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=128
	Devices []string `json:"devices,omitempty"`
}
