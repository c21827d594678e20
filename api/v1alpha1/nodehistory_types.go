package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// PassingRun is a run in which a benchmark passed on the node.
type PassingRun struct {
	// runUID of the run.
	RunUID types.UID `json:"runUID"`
	// time of the measurement.
	Time metav1.Time `json:"time"`
	// driver version of the accelerator at that time. Empty: as in the run before; in the oldest run, not known.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Driver string `json:"driver,omitempty"`
	// kernel version at that time. Empty: as in the run before; in the oldest run, not known.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Kernel string `json:"kernel,omitempty"`
}

// PassingValue is a Decimal, or "-" for a run that did not measure the part.
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:Pattern=`^(-|-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)$`
type PassingValue string

// PartHistory is what one part reached in passing runs. A GPU that was replaced starts afresh.
type PartHistory struct {
	// at: name of the part in the newest of these runs that measured it.
	// +kubebuilder:validation:MaxLength=128
	At string `json:"at"`
	// identity of a part that the newest run did not measure, for when it comes back: its name with the UUIDs of its GPUs. Unset: the
	// newest run measured it, and devices identify it.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Identity string `json:"identity,omitempty"`
	// baseline: median of its first passing values, at most 5 of them. Once it has that many, no later run changes it, and values are
	// compared with it.
	Baseline Decimal `json:"baseline"`
	// passes: how many passing runs measured it. Until there are 5, those that left the ring do not count.
	Passes int32 `json:"passes"`
	// since: time of the first of them. Unset: as the history's.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
	// recent: what it reached in the runs of the ring, at most 10, the last one in the newest run; runs before its first value are left out.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	Recent []PassingValue `json:"recent,omitempty"`
}

// MetricHistory is what the parts of a node reached of one metric.
type MetricHistory struct {
	// metric.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`
	// unit of the values.
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit"`
	// parts.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	Parts []PartHistory `json:"parts"`
}

// PassHistory is what a benchmark measured in one configuration whenever it passed on the node. What failed never enters.
type PassHistory struct {
	// configuration: hash of image, command and environment, and of the fabric of a group.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Configuration string `json:"configuration,omitempty"`
	// runs: the ring, oldest first.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	Runs []PassingRun `json:"runs"`
	// since: time of the first pass of any part.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
	// devices of the newest of them: they identify the parts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Devices []Device `json:"devices,omitempty"`
	// metrics that have an expectation of the fleet or of history, or are headlines.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Metrics []MetricHistory `json:"metrics,omitempty"`
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

// UnconfirmedParts were suspect in a run and cleared when they were measured again.
type UnconfirmedParts struct {
	// runUID of the run.
	RunUID types.UID `json:"runUID"`
	// time of the measurement, as in its entry.
	Time metav1.Time `json:"time"`
	// parts that were cleared.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Parts []PartReference `json:"parts"`
}

// BenchmarkHistory is what one benchmark measured on a node.
type BenchmarkHistory struct {
	// name of the Benchmark.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// entries: the last 10 that passed and the last 10 that failed, by the time of measurement, the newest last.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Entries []HistoryEntry `json:"entries,omitempty"`
	// unconfirmed parts of the runs in entries.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Unconfirmed []UnconfirmedParts `json:"unconfirmed,omitempty"`
	// held: each rule by the newest measurement that held it, and by earlier ones that held it under stricter terms; the newest last.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Held []HeldRules `json:"held,omitempty"`
	// passes: what every part reached when the benchmark passed, by configuration, the newest last.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	Passes []PassHistory `json:"passes,omitempty"`
}

// NodeHistory is what was measured on one node: its name is the node's, the Node owns it, and it survives runs. The operator writes it,
// before the NodeValidation of the same name. Losing it convicts no node and frees none.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=nhist,categories=assay
// +kubebuilder:printcolumn:name="Offences",type=integer,JSONPath=`.offenceCount`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type NodeHistory struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// nodeUID of the Node that was measured.
	NodeUID types.UID `json:"nodeUID"`
	// offenceCount: how many runs failed this node, by more than their own terms.
	// +optional
	OffenceCount int32 `json:"offenceCount,omitempty"`
	// benchmarks that were measured.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Benchmarks []BenchmarkHistory `json:"benchmarks,omitempty"`
}

// NodeHistoryList is a list of NodeHistories.
// +kubebuilder:object:root=true
type NodeHistoryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []NodeHistory `json:"items"`
}

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
