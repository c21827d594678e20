package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PolicyNodes counts the nodes of a policy. Each selected node is one of valid, due, failed and unmeasurable; overdue, validating and
// gated count some of them again.
type PolicyNodes struct {
	// selected nodes.
	Selected int32 `json:"selected"`
	// valid: hold a valid pass.
	Valid int32 `json:"valid"`
	// due: hold none, and are to be measured.
	Due int32 `json:"due"`
	// failed: were measured and did not pass.
	Failed int32 `json:"failed"`
	// unmeasurable: could not be measured, or lack what a benchmark needs.
	Unmeasurable int32 `json:"unmeasurable"`
	// overdue: due or unmeasurable for longer than overdueSeconds.
	Overdue int32 `json:"overdue"`
	// validating: in a run that is not over.
	Validating int32 `json:"validating"`
	// gated: carry the gate's taint.
	Gated int32 `json:"gated"`
	// stuck: gated for longer than gate.timeoutSeconds.
	Stuck int32 `json:"stuck"`
}

// NodeAttention is a node that somebody should look at, or wait for.
type NodeAttention struct {
	// name of the node.
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
	// reason: why it holds no valid pass, or what keeps its gate closed.
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`
	// message: what was found, and what happens next.
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message"`
	// since when.
	Since metav1.Time `json:"since"`
	// gated: the node carries the gate's taint.
	// +optional
	Gated bool `json:"gated,omitempty"`
	// overdue: for longer than overdueSeconds.
	// +optional
	Overdue bool `json:"overdue,omitempty"`
}

// PolicyRun is the newest run of a policy.
type PolicyRun struct {
	// name of the ValidationRun.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// reason why it was created.
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`
	// createdAt: when.
	CreatedAt metav1.Time `json:"createdAt"`
	// verdict so far.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
	// progress: nodes done of all.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Progress string `json:"progress,omitempty"`
}

// PolicySpending is what one run of a policy cost, or is expected to cost.
type PolicySpending struct {
	// run of the policy: it may be gone by now.
	// +kubebuilder:validation:MaxLength=63
	Run string `json:"run"`
	// time: when the run was over; until then, when it was created.
	Time metav1.Time `json:"time"`
	// gpuSeconds that it cost; of a run that goes on, those that it is expected to cost, or more where it has.
	GPUSeconds int64 `json:"gpuSeconds"`
	// seen: the run exists, or did. Unset: it is about to be created.
	// +optional
	Seen bool `json:"seen,omitempty"`
}

// PolicyBudget is what became of gpuSecondsPerDay.
type PolicyBudget struct {
	// spentGPUSeconds within the last 24 hours, with what runs that go on are expected to cost.
	SpentGPUSeconds int64 `json:"spentGPUSeconds"`
	// waiting: nodes that would be measured now, and wait for the budget.
	Waiting int32 `json:"waiting"`
	// nodes of these, at most 10, those that are due longest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=253
	Nodes []string `json:"nodes,omitempty"`
	// until: the first of them is not measured before that. Unset: none waits, or a run has to end first.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
	// spendings within the last 24 hours, by run, oldest first. They outlast the runs.
	// +optional
	// +listType=map
	// +listMapKey=run
	// +kubebuilder:validation:MaxItems=256
	Spendings []PolicySpending `json:"spendings,omitempty"`
}

// ValidateNow is a request by the annotation assay.dev/validate-now.
type ValidateNow struct {
	// value of the annotation.
	// +kubebuilder:validation:MaxLength=256
	Value string `json:"value"`
	// time at which it was seen: what was measured before does not count.
	Time metav1.Time `json:"time"`
}

// ValidationPolicyStatus says how much of the policy holds.
type ValidationPolicyStatus struct {
	// observedGeneration of the spec that this status is about; -1 until the controller has seen the policy.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration"`

	// valid nodes of those selected, for example 118/120.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Valid string `json:"valid,omitempty"`

	// nodes by state.
	// +optional
	Nodes *PolicyNodes `json:"nodes,omitempty"`

	// attention: nodes without a valid pass, at most 50, those that wait longest first.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=50
	Attention []NodeAttention `json:"attention,omitempty"`

	// lastRun: the newest run of this policy.
	// +optional
	LastRun *PolicyRun `json:"lastRun,omitempty"`

	// nextRunTime: when the next node becomes due and may be measured. Unset: nothing is to come.
	// +optional
	NextRunTime *metav1.Time `json:"nextRunTime,omitempty"`

	// budget: what was spent of spec.gpuSecondsPerDay, and who waits for it. Unset: there is no limit.
	// +optional
	Budget *PolicyBudget `json:"budget,omitempty"`

	// validateNow: the latest request to measure all nodes.
	// +optional
	ValidateNow *ValidateNow `json:"validateNow,omitempty"`

	// conditions: Ready, Satisfied, Reconciling, Stalled, Suspended.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=16
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
