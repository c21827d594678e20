package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// BusyNodes says what happens to a busy node: one whose devices pods of others hold.
// +kubebuilder:validation:Enum=Wait;Skip
type BusyNodes string

// The two ways. The work of others is never evicted.
const (
	BusyWait BusyNodes = "Wait"
	BusySkip BusyNodes = "Skip"
)

// ParameterValue sets one parameter of a benchmark.
type ParameterValue struct {
	// name of a parameter that the Benchmark declares.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// value, checked against the Benchmark's type and bounds.
	// +kubebuilder:validation:MaxLength=64
	Value string `json:"value"`
}

// ExpectationOverride replaces the expectation of one metric in this run.
type ExpectationOverride struct {
	// metric of the Benchmark.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`

	Expectation `json:",inline"`
}

// BenchmarkRef names one benchmark of the run.
type BenchmarkRef struct {
	// name of a Benchmark.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`

	// parameters: values that differ from the Benchmark's defaults.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Parameters []ParameterValue `json:"parameters,omitempty"`

	// expectations: replaces, metric by metric, what the Benchmark expects.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MaxItems=32
	Expectations []ExpectationOverride `json:"expectations,omitempty"`
}

// Ref is what the run asks of a benchmark that it measures.
func (s *ValidationRunSpec) Ref(benchmark string) BenchmarkRef {
	return refOf(benchmark, s.Benchmarks, s.Overrides)
}

// Ref is what the policy asks of a benchmark of its own.
func (s *ValidationPolicySpec) Ref(benchmark string) BenchmarkRef {
	return refOf(benchmark, s.Benchmarks, s.Overrides)
}

// refOf a benchmark among some; one that is not named is asked for as it is.
func refOf(benchmark string, among ...[]BenchmarkRef) BenchmarkRef {
	for _, refs := range among {
		for i := range refs {
			if refs[i].Name == benchmark {
				return refs[i]
			}
		}
	}
	return BenchmarkRef{Name: benchmark}
}

// TaintScope is what a taint is put on.
// +kubebuilder:validation:Enum=Node;Device
type TaintScope string

// The scopes of taints.
const (
	TaintScopeNode   TaintScope = "Node"
	TaintScopeDevice TaintScope = "Device"
)

// Taint that a failed node gets.
// +kubebuilder:validation:XValidation:rule="!has(self.scope) || self.scope != 'Device' || !has(self.effect) || self.effect != 'PreferNoSchedule'",message="a device has no taint PreferNoSchedule: with scope Device use NoSchedule or NoExecute"
type Taint struct {
	// key. Default assay.dev/unfit.
	// +optional
	// +kubebuilder:default="assay.dev/unfit"
	// +kubebuilder:validation:MaxLength=316
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('node.kubernetes.io/')",message="taints below node.kubernetes.io/ belong to Kubernetes: choose a key of your own"
	Key string `json:"key,omitempty"`

	// value. Default failed.
	// +optional
	// +kubebuilder:default="failed"
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
	Value string `json:"value,omitempty"`

	// effect: NoSchedule, PreferNoSchedule or NoExecute. Default NoSchedule: running work is left alone.
	// +optional
	// +kubebuilder:default=NoSchedule
	// +kubebuilder:validation:Enum=NoSchedule;PreferNoSchedule;NoExecute
	Effect corev1.TaintEffect `json:"effect,omitempty"`

	// scope: Node, or Device: where nothing but GPUs broke rules, at most half of the node's, and a DRA driver hands them out, these alone are
	// tainted, and the others work on. Else it is the node as a whole, and its row says why. Default Node.
	// +optional
	// +kubebuilder:default=Node
	Scope TaintScope `json:"scope,omitempty"`
}

// OnFailure says what happens to a node that failed.
type OnFailure struct {
	// taint that a failed node gets. Unset: none; its condition and label still say that it failed.
	// +optional
	Taint *Taint `json:"taint,omitempty"`

	// maxTaintedNodes: how many of the run's nodes may carry the taint, as a number or percentage of them. A percentage is
	// rounded down, at least 1. Past it the run stops tainting and ends as Inconclusive with reason BreakerOpen. Default 10%.
	// +optional
	// +kubebuilder:default="10%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 : self.matches('^(100|[0-9]{1,2})%$')",message="maxTaintedNodes must be a number of at least 0, or a percentage from 0% to 100%"
	// +kubebuilder:validation:XValidation:rule="type(self) != int || self <= 100000",message="maxTaintedNodes may be at most 100000"
	MaxTaintedNodes *intstr.IntOrString `json:"maxTaintedNodes,omitempty"`
}

// ValidationRunSpec says which nodes are validated by which benchmarks.
// +kubebuilder:validation:XValidation:rule="[has(self.selector), has(self.nodeNames), has(self.allNodes) && self.allNodes].filter(x, x).size() == 1",message="set exactly one of selector, nodeNames and allNodes: true, for example selector: {matchLabels: {pool: h200}}. There is no nodeSelector"
// +kubebuilder:validation:XValidation:rule="has(self.suite) != has(self.benchmarks)",message="set exactly one of suite and benchmarks"
// +kubebuilder:validation:XValidation:rule="!has(self.overrides) || has(self.suite)",message="overrides are those of a suite: set suite, or give parameters and expectations below benchmarks"
type ValidationRunSpec struct {
	// selector: nodes with these labels. Nodes that join after the run started are not part of it.
	// +optional
	// +kubebuilder:validation:XValidation:rule="(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)",message="a selector names labels, below matchLabels or matchExpressions, for example {matchLabels: {pool: h200}}. For every node, set allNodes: true instead"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn', 'Exists', 'DoesNotExist'])",message="operator must be In, NotIn, Exists or DoesNotExist"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator in ['In', 'NotIn']) == (has(e.values) && size(e.values) > 0))",message="In and NotIn need values; Exists and DoesNotExist take none"
	Selector *metav1.LabelSelector `json:"selector,omitempty"`

	// allNodes: true takes every node, without a selector. Nodes that join after the run started are not part of it. Default false.
	// +optional
	AllNodes bool `json:"allNodes,omitempty"`

	// nodeNames: the nodes with these names, of at most 400,000 characters together: the status has to find room beside them.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.join('').size() <= 400000",message="nodeNames may have at most 400000 characters together: choose the nodes by labels, or split the run"
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=10000
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	NodeNames []string `json:"nodeNames,omitempty"`

	// suite: every Benchmark that lists this suite, or has the label suite.assay.dev/SUITE.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Suite string `json:"suite,omitempty"`

	// benchmarks: the Benchmarks with these names.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Benchmarks []BenchmarkRef `json:"benchmarks,omitempty"`

	// overrides: benchmarks of the suite that have other parameters or expectations here. What they do not set stays as the Benchmark has it.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self.all(o, has(o.parameters) || has(o.expectations))",message="an override says what is to be different: set parameters or expectations"
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Overrides []BenchmarkRef `json:"overrides,omitempty"`

	// maxConcurrentNodes: how many nodes are measured at once, as a number or percentage of them (rounded down, at
	// least 1). Default 100%.
	// +optional
	// +kubebuilder:default="100%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 1 : self.matches('^(100|[1-9][0-9]?)%$')",message="maxConcurrentNodes must be a number of at least 1, or a percentage from 1% to 100%"
	// +kubebuilder:validation:XValidation:rule="type(self) != int || self <= 100000",message="maxConcurrentNodes may be at most 100000"
	MaxConcurrentNodes *intstr.IntOrString `json:"maxConcurrentNodes,omitempty"`

	// busyNodes: Wait until the node's devices are free, or Skip the node. Default Wait.
	// +optional
	// +kubebuilder:default=Wait
	BusyNodes BusyNodes `json:"busyNodes,omitempty"`

	// confirmations: how often, at most, a benchmark is measured again on a node of which a part is suspect. What all measurements show
	// together decides, often after the first re-run. A tournament of pairs asks for half as many, rounded up. 0: the first measurement
	// decides. Default 2.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=5
	Confirmations *int32 `json:"confirmations,omitempty"`

	// onFailure: what happens to a node that failed. Default: a condition and a label, no taint.
	// +optional
	// +kubebuilder:default={}
	OnFailure *OnFailure `json:"onFailure,omitempty"`

	// activeDeadlineSeconds: the run is over after this time, whatever is still missing. Time suspended does not count.
	// Default 14400 (4 hours).
	// +optional
	// +kubebuilder:default=14400
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2592000
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty"`

	// suspend: true stops the run: its pods are deleted, and what is measured is kept. false lets it continue. Default false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`

	// ttlSecondsAfterFinished: the ValidationPolicy that owns a finished run deletes it after this time. A run that no
	// policy owns is kept: one that lives in Git would be created again and again. Unset: kept.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=31536000
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// ValidationRun validates nodes by benchmarks, once.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=vrun,categories=assay
// +kubebuilder:printcolumn:name="Verdict",type=string,JSONPath=`.status.verdict`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Finished")].reason`
// +kubebuilder:printcolumn:name="Done",type=string,JSONPath=`.status.progress`
// +kubebuilder:printcolumn:name="Failed",type=integer,JSONPath=`.status.summary.failed`
// +kubebuilder:printcolumn:name="Duration",type=string,JSONPath=`.status.duration`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Measures",type=string,JSONPath=`.status.measures`,priority=1
// +kubebuilder:printcolumn:name="Worst",type=string,JSONPath=`.status.worst`,priority=1
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name of a ValidationRun may have at most 63 characters: it becomes a label"
type ValidationRun struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// +kubebuilder:validation:XValidation:rule="(has(self.selector) == has(oldSelf.selector)) && (!has(self.selector) || self.selector == oldSelf.selector) && (has(self.allNodes) && self.allNodes) == (has(oldSelf.allNodes) && oldSelf.allNodes) && (has(self.nodeNames) == has(oldSelf.nodeNames)) && (!has(self.nodeNames) || self.nodeNames == oldSelf.nodeNames)",message="the nodes of a run cannot change: create another ValidationRun"
	// +kubebuilder:validation:XValidation:rule="(has(self.suite) == has(oldSelf.suite)) && (!has(self.suite) || self.suite == oldSelf.suite) && (has(self.benchmarks) == has(oldSelf.benchmarks)) && (!has(self.benchmarks) || self.benchmarks == oldSelf.benchmarks) && (has(self.overrides) == has(oldSelf.overrides)) && (!has(self.overrides) || self.overrides == oldSelf.overrides)",message="the benchmarks of a run cannot change: create another ValidationRun"
	// +kubebuilder:validation:XValidation:rule="self.maxConcurrentNodes == oldSelf.maxConcurrentNodes && self.busyNodes == oldSelf.busyNodes && self.confirmations == oldSelf.confirmations && self.onFailure == oldSelf.onFailure && self.activeDeadlineSeconds == oldSelf.activeDeadlineSeconds",message="only suspend and ttlSecondsAfterFinished of a run can change: create another ValidationRun"
	Spec ValidationRunSpec `json:"spec"`

	// +optional
	// +kubebuilder:default={}
	Status ValidationRunStatus `json:"status,omitzero"`
}

// ValidationRunList is a list of ValidationRuns.
// +kubebuilder:object:root=true
type ValidationRunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ValidationRun `json:"items"`
}
