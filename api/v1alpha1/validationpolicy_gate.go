package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
)

// OnTimeout says what becomes of a gate that its node could not be measured in time for.
// +kubebuilder:validation:Enum=Keep;Open
type OnTimeout string

// The two ways. A node that failed, or that nothing could judge, is never let in.
const (
	// OnTimeoutKeep: the gate stays closed.
	OnTimeoutKeep OnTimeout = "Keep"
	// OnTimeoutOpen: the node is let in unproved.
	OnTimeoutOpen OnTimeout = "Open"
)

// GateTaint is the taint that a new node carries until it has passed.
type GateTaint struct {
	// key. Default assay.dev/unvalidated. An administrator must allow keys outside assay.dev.
	// +optional
	// +kubebuilder:default="assay.dev/unvalidated"
	// +kubebuilder:validation:MaxLength=316
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('node.kubernetes.io/') && !self.startsWith('node-role.kubernetes.io/') && !self.startsWith('node.cloudprovider.kubernetes.io/')",message="taints below node.kubernetes.io/, node-role.kubernetes.io/ and node.cloudprovider.kubernetes.io/ belong to Kubernetes: choose a key of your own"
	// +kubebuilder:validation:XValidation:rule="self != 'assay.dev/unfit'",message="assay.dev/unfit is the taint of nodes that failed: choose another key for the gate, for example assay.dev/unvalidated"
	Key string `json:"key,omitempty"`

	// value that whoever makes the nodes gives the taint. A taint with this key and effect and any other value is the gate, too. Default pending.
	// +optional
	// +kubebuilder:default="pending"
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$`
	Value string `json:"value,omitempty"`

	// effect: NoSchedule, the only one: a new node has nothing to evict, and NoExecute would evict what it needs to become ready. Default NoSchedule.
	// +optional
	// +kubebuilder:default=NoSchedule
	// +kubebuilder:validation:Enum=NoSchedule
	Effect corev1.TaintEffect `json:"effect,omitempty"`
}

// Gate keeps work off new nodes until they have passed. Assay never closes a gate: whoever makes the node gives it the taint.
type Gate struct {
	// taint that new nodes carry. Assay lifts it when the node holds a valid pass.
	// +optional
	// +kubebuilder:default={}
	Taint GateTaint `json:"taint,omitzero"`

	// timeoutSeconds: a node that is gated for longer is stuck: that is said in status, event and metric. Default 3600.
	// +optional
	// +kubebuilder:default=3600
	// +kubebuilder:validation:Minimum=60
	// +kubebuilder:validation:Maximum=2592000
	TimeoutSeconds int64 `json:"timeoutSeconds,omitempty"`

	// onTimeout: Keep the gate closed, or Open it for a node that could not be measured until then. A node that failed, or that nothing
	// could judge, is never let in. Default Keep.
	// +optional
	// +kubebuilder:default=Keep
	OnTimeout OnTimeout `json:"onTimeout,omitempty"`
}
