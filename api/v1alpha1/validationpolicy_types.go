package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Change of a node, or of what it is measured by, after which a pass is no longer valid.
// +kubebuilder:validation:Enum=Reboot;KernelChange;DriverChange;DeviceChange;BenchmarkChange
type Change string

// The changes.
const (
	// ChangeReboot: the node has another boot ID.
	ChangeReboot Change = "Reboot"
	// ChangeKernel: it runs another kernel.
	ChangeKernel Change = "KernelChange"
	// ChangeDriver: its labels name another driver of the accelerator.
	ChangeDriver Change = "DriverChange"
	// ChangeDevices: it offers another number of devices, or another product. Of group benchmarks: it reaches other nodes by another fabric.
	ChangeDevices Change = "DeviceChange"
	// ChangeBenchmark: image, command or environment of a Benchmark are others.
	ChangeBenchmark Change = "BenchmarkChange"
)

// Retry says when a node that failed or could not be measured is measured again.
type Retry struct {
	// afterSeconds: the first retry comes so long after the measurement; each further one after twice the time. Default 3600.
	// +optional
	// +kubebuilder:default=3600
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=2592000
	AfterSeconds int64 `json:"afterSeconds,omitempty"`

	// limit of retries until the node passes, changes or is rebooted. 0: none. At most 9: the history of a node has ten results. Default 3.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=9
	Limit *int32 `json:"limit,omitempty"`
}

// RunTemplate is what the policy's runs have beside nodes and benchmarks.
type RunTemplate struct {
	// maxConcurrentNodes of one run: how many of its nodes are measured at once, as a number or percentage. Default 100%.
	// +optional
	// +kubebuilder:default="100%"
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 1 : self.matches('^(100|[1-9][0-9]?)%$')",message="maxConcurrentNodes must be a number of at least 1, or a percentage from 1% to 100%"
	// +kubebuilder:validation:XValidation:rule="type(self) != int || self <= 100000",message="maxConcurrentNodes may be at most 100000"
	MaxConcurrentNodes *intstr.IntOrString `json:"maxConcurrentNodes,omitempty"`

	// busyNodes: Skip a node that became busy after the run was created, or Wait until its devices are free. Default Skip: the policy
	// looks at the node again, and measures it as soon as it is idle.
	// +optional
	// +kubebuilder:default=Skip
	BusyNodes BusyNodes `json:"busyNodes,omitempty"`

	// confirmations: how often, at most, a benchmark is measured again on a node of which a part is suspect. Default 2.
	// +optional
	// +kubebuilder:default=2
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=5
	Confirmations *int32 `json:"confirmations,omitempty"`

	// onFailure: what happens to a node that failed. Default: a condition and a label, no taint; the gate stays closed in any case.
	// +optional
	// +kubebuilder:default={}
	OnFailure *OnFailure `json:"onFailure,omitempty"`

	// activeDeadlineSeconds: a run is over after this time. Default 14400 (4 hours). A run over gated nodes is over after gate.timeoutSeconds,
	// or twice the time that its benchmarks take, if that is sooner: a node that hangs keeps the others waiting no longer.
	// +optional
	// +kubebuilder:default=14400
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=2592000
	ActiveDeadlineSeconds *int64 `json:"activeDeadlineSeconds,omitempty"`
}

// ValidationPolicySpec says what must stay true of a pool of nodes.
// +kubebuilder:validation:XValidation:rule="has(self.suite) != has(self.benchmarks)",message="set exactly one of suite and benchmarks"
// +kubebuilder:validation:XValidation:rule="!has(self.overrides) || has(self.suite)",message="overrides are those of a suite: set suite, or give parameters and expectations below benchmarks"
// +kubebuilder:validation:XValidation:rule="!has(self.timeZone) || has(self.schedule)",message="timeZone is that of schedule: set schedule, or leave timeZone out"
// +kubebuilder:validation:XValidation:rule="!has(self.startingDeadlineSeconds) || has(self.schedule)",message="startingDeadlineSeconds counts from a time of schedule: set schedule, or leave startingDeadlineSeconds out"
// +kubebuilder:validation:XValidation:rule="!has(self.gate) || !has(self.run) || !has(self.run.onFailure) || !has(self.run.onFailure.taint) || self.run.onFailure.taint.key != self.gate.taint.key",message="gate.taint.key and run.onFailure.taint.key are the same: a pass that opens the gate would have to lift the taint of a failure. Give them two keys"
// +kubebuilder:validation:XValidation:rule="has(self.selector) != (has(self.allNodes) && self.allNodes)",message="set either selector or allNodes: true, for example selector: {matchLabels: {pool: h200}}. There is no nodeSelector"
type ValidationPolicySpec struct {
	// selector: the nodes with these labels.
	// +optional
	// +kubebuilder:validation:XValidation:rule="(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)",message="a selector names labels, below matchLabels or matchExpressions, for example {matchLabels: {pool: h200}}. For every node, set allNodes: true instead"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn', 'Exists', 'DoesNotExist'])",message="operator must be In, NotIn, Exists or DoesNotExist"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator in ['In', 'NotIn']) == (has(e.values) && size(e.values) > 0))",message="In and NotIn need values; Exists and DoesNotExist take none"
	Selector metav1.LabelSelector `json:"selector,omitzero"`

	// allNodes: true takes every node, without a selector. Default false.
	// +optional
	AllNodes bool `json:"allNodes,omitempty"`

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

	// validForSeconds: a pass is good for so long. Nodes are measured again from 80% of it, each at a time of its own. Unset: a pass
	// never expires by age.
	// +optional
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=63072000
	ValidForSeconds *int64 `json:"validForSeconds,omitempty"`

	// revalidateOn: changes after which a pass is no longer valid. Default DriverChange and DeviceChange. Devices are told apart by number
	// and product: nothing that Kubernetes shows of a node tells that one was replaced by its like, but that takes a reboot. DeviceChange
	// counts for group benchmarks also where their fabric is another one. An empty list means none: a pass ends by age only.
	// +optional
	// +kubebuilder:default={DriverChange,DeviceChange}
	// +listType=set
	// +kubebuilder:validation:MaxItems=5
	RevalidateOn []Change `json:"revalidateOn,omitzero"`

	// schedule: when recurring runs may start, in the syntax of a CronJob. Gated nodes are measured at any time. Unset: any time.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:XValidation:rule="!self.contains('TZ')",message="schedule names a time zone: set timeZone instead"
	// +kubebuilder:validation:XValidation:rule="self.matches('^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|[^ @]+( +[^ ]+){4})$')",message="schedule needs five fields (minute, hour, day of month, month, day of week), for example '0 2 * * 1-5', or one of @hourly, @daily, @weekly, @monthly, @yearly"
	Schedule string `json:"schedule,omitempty"`

	// timeZone of schedule, as the IANA database names it. Default UTC.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z][A-Za-z0-9_+/-]*$`
	// +kubebuilder:validation:XValidation:rule="self != 'Local'",message="timeZone Local is whatever the operator's pod has: name a zone, for example Europe/Zurich"
	TimeZone string `json:"timeZone,omitempty"`

	// startingDeadlineSeconds: how long after each time of schedule runs may still start. Default 3600.
	// +optional
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=2592000
	StartingDeadlineSeconds *int64 `json:"startingDeadlineSeconds,omitempty"`

	// gpuSecondsPerDay: what the policy's runs may cost within 24 hours, as status.cost of runs counts it. What would cost more waits, the nodes that are
	// due longest first; gated nodes never wait, and what they cost counts. A node that takes more than all of it is measured once nothing was spent
	// for 24 hours. Unset: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000000000
	GPUSecondsPerDay *int64 `json:"gpuSecondsPerDay,omitempty"`

	// overdueSeconds: a node that is due for longer is overdue, in status, metric and event, and by its label assay.dev/overdue. Default 86400.
	// +optional
	// +kubebuilder:default=86400
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=63072000
	OverdueSeconds int64 `json:"overdueSeconds,omitempty"`

	// batchSeconds: nodes that become due within this time share a run. Default 30.
	// +optional
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	BatchSeconds *int32 `json:"batchSeconds,omitempty"`

	// retry: when nodes that failed or could not be measured are measured again.
	// +optional
	// +kubebuilder:default={}
	Retry Retry `json:"retry,omitzero"`

	// gate: new nodes get no work until they have passed. Unset: no gate.
	// +optional
	Gate *Gate `json:"gate,omitempty"`

	// run: what the policy's runs have beside nodes and benchmarks.
	// +optional
	// +kubebuilder:default={}
	Run RunTemplate `json:"run,omitzero"`

	// successfulRunsHistoryLimit: how many of its runs that passed are kept. Default 3.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	SuccessfulRunsHistoryLimit *int32 `json:"successfulRunsHistoryLimit,omitempty"`

	// failedRunsHistoryLimit: how many of its other finished runs are kept. Default 3.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	FailedRunsHistoryLimit *int32 `json:"failedRunsHistoryLimit,omitempty"`

	// suspend: true starts no runs and opens no gates. Runs that are active go on. Default false.
	// +optional
	Suspend bool `json:"suspend,omitempty"`
}

// ValidationPolicy keeps a pool of nodes validated: it creates ValidationRuns for nodes that are due, and keeps work off new nodes until
// they have passed.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=vpol,categories=assay
// +kubebuilder:printcolumn:name="Valid",type=string,JSONPath=`.status.valid`
// +kubebuilder:printcolumn:name="Due",type=integer,JSONPath=`.status.nodes.due`
// +kubebuilder:printcolumn:name="Failed",type=integer,JSONPath=`.status.nodes.failed`
// +kubebuilder:printcolumn:name="Gated",type=integer,JSONPath=`.status.nodes.gated`
// +kubebuilder:printcolumn:name="Next",type=string,JSONPath=`.status.nextRunTime`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`,priority=1
// +kubebuilder:printcolumn:name="Suite",type=string,JSONPath=`.spec.suite`,priority=1
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 39",message="the name of a ValidationPolicy may have at most 39 characters: it becomes part of the names of its runs"
type ValidationPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ValidationPolicySpec `json:"spec"`

	// +optional
	// +kubebuilder:default={}
	Status ValidationPolicyStatus `json:"status,omitzero"`
}

// ValidationPolicyList is a list of ValidationPolicies.
// +kubebuilder:object:root=true
type ValidationPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ValidationPolicy `json:"items"`
}
