package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Peak is one theoretical limit of the hardware, with its source.
type Peak struct {
	// name, as Benchmark metrics refer to it, for example gpuMemoryBandwidth.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-zA-Z0-9]*$`
	Name string `json:"name"`

	// at: the kind of part this limit holds for: a part's name without its digits (gpu, gpu->gpu, socket, node).
	// Empty: every part that has no limit of its own.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=63
	At string `json:"at"`

	// value in unit.
	Value Decimal `json:"value"`

	// unit: GB/s, GFLOP/s, TFLOP/s, W ...
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit"`

	// reached: what healthy hardware of this kind reaches, in unit. Unset: not known.
	// +optional
	Reached Decimal `json:"reached,omitempty"`

	// clockMHz: the clock at which the hardware would reach value, in MHz. Messages then say what part of the peak a GPU that is held
	// below that clock reaches all the same. Unset: not known. Nothing is judged by it.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ClockMHz int32 `json:"clockMHz,omitempty"`

	// source of the value: a data sheet, a formula, a measurement. A limit without a source is refused.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Source string `json:"source"`
}

// DeviceCount is how many devices of one resource a node of this kind has.
type DeviceCount struct {
	// resource, for example nvidia.com/gpu.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	Resource string `json:"resource"`
	// count of devices.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	Count int32 `json:"count"`
}

// HardwareProfileSpec holds the peaks of one kind of node, and how many devices it has.
// +kubebuilder:validation:XValidation:rule="has(self.peaks) || has(self.devices) || has(self.fabric) || has(self.acceptedLosses)",message="a profile needs peaks, devices, fabric or acceptedLosses"
// +kubebuilder:validation:XValidation:rule="has(self.selector) != (has(self.allNodes) && self.allNodes)",message="set either selector or allNodes: true, for example selector: {matchLabels: {nvidia.com/gpu.product: NVIDIA-H200}}. There is no nodeSelector"
type HardwareProfileSpec struct {
	// selector: the labels of the nodes this profile is for. All profiles that match a node apply. Where
	// several give the same peak (name and at), the profile with the most requirements wins, then the first by name.
	// +optional
	// +kubebuilder:validation:XValidation:rule="(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)",message="a selector names labels, below matchLabels or matchExpressions, for example {matchLabels: {pool: h200}}. For every node, set allNodes: true instead"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn', 'Exists', 'DoesNotExist'])",message="operator must be In, NotIn, Exists or DoesNotExist"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator in ['In', 'NotIn']) == (has(e.values) && size(e.values) > 0))",message="In and NotIn need values; Exists and DoesNotExist take none"
	Selector metav1.LabelSelector `json:"selector,omitzero"`

	// allNodes: true is for every node, without a selector. Default false.
	// +optional
	AllNodes bool `json:"allNodes,omitempty"`

	// peaks of the hardware. Unset: the profile gives none.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +listMapKey=at
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	Peaks []Peak `json:"peaks,omitempty"`

	// devices that a node of this kind has. A node that offers fewer of a resource that its benchmarks need fails (DevicesMissing).
	// Where several profiles name a resource, the profile with the most requirements wins, then the first by name.
	// Unset: not known by the profile. The node's capacity and labels always tell; its own past and nodes of its kind only where no profile
	// names the resource.
	// +optional
	// +listType=map
	// +listMapKey=resource
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Devices []DeviceCount `json:"devices,omitempty"`

	// fabric: how benchmark pods on these nodes reach each other. Of several profiles that have one, the profile with the most requirements
	// wins, then the first by name. Unset: the pod network, and RDMA devices where the nodes show one resource of them.
	// +optional
	Fabric *Fabric `json:"fabric,omitempty"`

	// acceptedLosses: what these nodes reach less than they did, and may, for example since a new driver. Their own past alone is read
	// otherwise: other nodes and fixed bounds still find what is slow. Those of all profiles of a node count. Unset: none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	AcceptedLosses []AcceptedLoss `json:"acceptedLosses,omitempty"`
}

// AcceptedLoss is what healthy nodes reach less since a time. What they reached before is expected of them less that.
type AcceptedLoss struct {
	// benchmark, by its name.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Benchmark string `json:"benchmark"`

	// metric of the benchmark. Unset: each of its metrics.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric,omitempty"`

	// since when, for example 2026-11-20T00:00:00Z. What was measured before that is judged as ever.
	Since metav1.Time `json:"since"`

	// loss, as a fraction of what each part reached before: "0.02" is 2%. Of losses after each other, each counts for what was reached before
	// it. No part is excused for more than 10% in all.
	// +kubebuilder:validation:XValidation:rule="double(self) > 0.0 && double(self) <= 0.1",message="a loss is more than 0 and at most 0.1, for example \"0.02\". Nodes that lose more are to be looked at"
	Loss Fraction `json:"loss"`

	// reason that explains the loss to whoever reads a report.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason"`
}

// HardwareProfile holds the theoretical peaks of one kind of node, each with its source.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,shortName=hwp
// +kubebuilder:printcolumn:name="Product",type=string,JSONPath=`.spec.selector.matchExpressions[?(@.key=="nvidia.com/gpu.product")].values[0]`,description="The first GPU that it is for, where it selects nodes by that"
// +kubebuilder:printcolumn:name="Labels",type=string,JSONPath=`.spec.selector.matchLabels`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type HardwareProfile struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec HardwareProfileSpec `json:"spec"`
}

// HardwareProfileList is a list of HardwareProfiles.
// +kubebuilder:object:root=true
type HardwareProfileList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []HardwareProfile `json:"items"`
}

// Fabric says how the pods of group benchmarks reach the network between nodes.
// +kubebuilder:validation:XValidation:rule="has(self.resource) || (has(self.hostNetwork) && self.hostNetwork) || has(self.networks) || has(self.interface) || has(self.env)",message="a fabric needs resource, hostNetwork, networks, interface or env"
// +kubebuilder:validation:XValidation:rule="!(has(self.hostNetwork) && self.hostNetwork && has(self.networks))",message="a pod on the host network has no others: set either hostNetwork or networks"
// +kubebuilder:validation:XValidation:rule="!(has(self.hostNetwork) && self.hostNetwork) || has(self.interface)",message="hostNetwork needs interface: on the node's network there is no eth0 of the pod's own"
// +kubebuilder:validation:XValidation:rule="has(self.resource) || !(has(self.count) || has(self.gidIndex) || (has(self.lockMemoryAsRoot) && self.lockMemoryAsRoot))",message="count, gidIndex and lockMemoryAsRoot are about RDMA: set resource"
type Fabric struct {
	// resource: the extended resource of the RDMA devices, for example rdma/hca. Unset: what the nodes offer where its name tells that it is
	// RDMA, else none.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	Resource string `json:"resource,omitempty"`

	// count of resource that a worker asks for. Default: all that every node of the group offers, or 1 where nodes offer more than 16, because
	// pods share them.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Count *int32 `json:"count,omitempty"`

	// hostNetwork puts workers and launcher on the node's network. Default false.
	// +optional
	HostNetwork bool `json:"hostNetwork,omitempty"`

	// networks that Multus attaches to workers and launcher: the value of the annotation k8s.v1.cni.cncf.io/networks, as a list of names.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9./@,]*[a-z0-9])?$`
	Networks string `json:"networks,omitempty"`

	// interface by which the ranks find each other over TCP, in place of eth0.
	// +optional
	// +kubebuilder:validation:MaxLength=15
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9][-A-Za-z0-9_.]*$`
	Interface string `json:"interface,omitempty"`

	// gidIndex of the ports, which RoCE needs: often 3. For NCCL, UCX and perftest. Unset: their own choice.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=255
	GIDIndex *int32 `json:"gidIndex,omitempty"`

	// lockMemoryAsRoot runs the ranks as root with the capability IPC_LOCK, for nodes whose limit of locked memory cannot be raised. Default
	// false: no privilege at all.
	// +optional
	LockMemoryAsRoot bool `json:"lockMemoryAsRoot,omitempty"`

	// env of the ranks: variables of NCCL and UCX, for example NCCL_IB_HCA. They win over the Benchmark's.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Env []FabricVar `json:"env,omitempty"`
}

// FabricVar is a variable of NCCL or UCX.
type FabricVar struct {
	// name of the variable.
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^(NCCL|UCX)_[A-Z0-9_]+$`
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('NCCL_DEBUG') && !self.endsWith('_PLUGIN') && !self.endsWith('_FILE')",message="Assay reads NCCL's log itself, and libraries and files belong into the image. Leave out NCCL_DEBUG, ..._PLUGIN and ..._FILE"
	Name string `json:"name"`

	// value, used as it is.
	// +kubebuilder:validation:MaxLength=256
	Value string `json:"value"`
}

// Labels that GPU feature discovery puts on nodes.
const (
	// LabelGPUProduct is the product of a node's GPUs.
	LabelGPUProduct = "nvidia.com/gpu.product"
	// LabelGPUCount is how many GPUs a node has.
	LabelGPUCount = "nvidia.com/gpu.count"
)
