package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ObjectReference names an object together with its UID, so that a namesake is never mistaken for it.
type ObjectReference struct {
	// name of the object.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// uid of the object.
	UID types.UID `json:"uid"`
}

// RuleNumbers are a value as a rule judged it.
type RuleNumbers struct {
	// value of the part, or of all like parts together where the rule judges that; of a rule that all parts held, the worst. Unset: the rule
	// judges no number.
	// +optional
	Value Decimal `json:"value,omitempty"`
	// typical: what like parts reach, from which the bound follows. Unset: it does not follow from others.
	// +optional
	Typical Decimal `json:"typical,omitempty"`
	// bound that the value must not be beyond. Unset: none was broken.
	// +optional
	Bound Decimal `json:"bound,omitempty"`
	// limit of the expectation that the bound follows from, for example 0.05 of maxFleetDeviation.
	// +optional
	Limit Decimal `json:"limit,omitempty"`
	// unit of value, typical and bound.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit,omitempty"`
	// parts that were judged by the rule.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Parts int32 `json:"parts,omitempty"`
}

// Finding is a rule that a part broke, or could not be judged by.
type Finding struct {
	// metric or fact judged.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`
	// at: the part. Empty: the whole node.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	At string `json:"at"`
	// rule: FractionOfPeak, FractionOfReached, FleetDeviation, NodeDeviation (of all like parts together), Regression, Efficiency, Min, Max, DataCheck, Missing, Blame, FactEqual, FactAtLeast, FactUniform or DevicesMissing (of the node, before anything was measured); Drift and Unstable warn.
	// +kubebuilder:validation:MaxLength=32
	Rule string `json:"rule"`
	// verdict: Fail or Missing where the rule was broken, Warning where it fails nobody, Skipped where there was not enough data to judge by it.
	Verdict Verdict `json:"verdict"`
	// message: the number, what was expected, why.
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message"`
	// The numbers of the message, where the rule judges a number. Earlier versions stored the message alone.
	RuleNumbers `json:",inline"`
}

// CurvePoint is what was measured at one size.
type CurvePoint struct {
	// size: how many worked together.
	Size int32 `json:"size"`
	// value in the curve's unit. Unset: it was not measured, and message says why.
	// +optional
	Value Decimal `json:"value,omitempty"`
	// efficiency: the share of what the smallest size with a value predicts. Unset: not known.
	// +optional
	Efficiency Decimal `json:"efficiency,omitempty"`
	// message: why there is no value.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`
}

// Curve is a metric over several sizes.
type Curve struct {
	// metric that was measured.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`
	// of: what the sizes count: gpu, rank, thread or node.
	// +kubebuilder:validation:MaxLength=16
	Of string `json:"of"`
	// unit of the values.
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit"`
	// scaling: Strong or Weak.
	Scaling Scaling `json:"scaling"`
	// points, the smallest size first.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Points []CurvePoint `json:"points"`
}

// BenchmarkResult is all that one benchmark found on one node.
type BenchmarkResult struct {
	// name of the Benchmark.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// verdict after all confirmations; Pending until judged.
	Verdict Verdict `json:"verdict"`
	// reason: one of the documented reasons.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`
	// message of the worst finding, or why it could not be measured.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Message string `json:"message,omitempty"`
	// headline: the headline metrics, each with its worst part.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Headline []HeadlineValue `json:"headline,omitempty"`
	// curves: the metrics that were measured at several sizes.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Curves []Curve `json:"curves,omitempty"`
	// findings: rules that were broken, and rules that could not be judged by. Every other part passed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	Findings []Finding `json:"findings,omitempty"`
	// attempts, first to last.
	// +optional
	// +listType=map
	// +listMapKey=number
	// +kubebuilder:validation:MaxItems=8
	Attempts []Attempt `json:"attempts,omitempty"`
}

// GroupReference names the nodes of a group.
type GroupReference struct {
	// nodes of the group, by name; one, where its benchmark is measured at that size too.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=4096
	Nodes []ObjectReference `json:"nodes"`
	// members: the nodes, as a table has room for them: "node-1, node-2 and 6 others".
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Members string `json:"members,omitempty"`
}

// ValidationResult holds everything one run measured on one node, or on one group of nodes. The controller writes it; the run owns it.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=vres,categories=assay
// +kubebuilder:printcolumn:name="Run",type=string,JSONPath=`.run.name`
// +kubebuilder:printcolumn:name="Node",type=string,JSONPath=`.node.name`
// +kubebuilder:printcolumn:name="Group",type=string,JSONPath=`.group.members`
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.verdict`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.message`,priority=1
// +kubebuilder:validation:XValidation:rule="has(self.node) != has(self.group)",message="a result is either that of a node or that of a group"
type ValidationResult struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// run that measured.
	Run ObjectReference `json:"run"`
	// node that was measured. Unset in the result of a group.
	// +optional
	Node ObjectReference `json:"node,omitzero"`
	// host: the kind of machine that the node was when it was first measured: its instance type and CPUs. Where no device tells machines
	// apart, only those of one kind are compared. Unset: unknown, or the result of a group.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Host string `json:"host,omitempty"`
	// group of nodes that were measured together. Unset in the result of a node.
	// +optional
	Group *GroupReference `json:"group,omitempty"`
	// verdict on the node or group; Pending until every benchmark is judged.
	Verdict Verdict `json:"verdict"`
	// reason: one of the documented reasons.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`
	// message of the worst benchmark.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Message string `json:"message,omitempty"`
	// benchmarks, in the order they ran. Atomic: one writer, and the API server need not track who owns every number.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Benchmarks []BenchmarkResult `json:"benchmarks,omitempty"`
}

// ValidationResultList is a list of ValidationResults.
// +kubebuilder:object:root=true
type ValidationResultList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ValidationResult `json:"items"`
}
