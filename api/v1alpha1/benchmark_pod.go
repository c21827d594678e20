package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Needs says what a node must offer and what the pod asks for.
// +kubebuilder:validation:XValidation:rule="!has(self.minDevices) || has(self.deviceResource)",message="minDevices needs deviceResource: name the resource that is counted"
type Needs struct {
	// selector: labels a node must carry; a selected node without them is Skipped. A policy exempts nodes that carry such a label with another
	// value; nodes without it may get it yet, and wait. Unset: any node.
	// +optional
	// +kubebuilder:validation:XValidation:rule="(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)",message="a selector names labels, below matchLabels or matchExpressions, for example {matchLabels: {pool: h200}}. Leave it out where any node will do"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn', 'Exists', 'DoesNotExist'])",message="operator must be In, NotIn, Exists or DoesNotExist"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator in ['In', 'NotIn']) == (has(e.values) && size(e.values) > 0))",message="In and NotIn need values; Exists and DoesNotExist take none"
	Selector *metav1.LabelSelector `json:"selector,omitempty"`

	// deviceResource: the extended resource (for example nvidia.com/gpu) of which the pod requests all that the node
	// has, so that the scheduler itself keeps other pods off. Unset: no device.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	DeviceResource string `json:"deviceResource,omitempty"`

	// minDevices: a node with fewer devices is Skipped. A policy exempts nodes that have some, but fewer. Default 1 where deviceResource is set.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	MinDevices *int32 `json:"minDevices,omitempty"`

	// rdma: the nodes' fabric has an RDMA resource, of which each worker asks for some; a node without is Skipped. For scope Group. Default false.
	// +optional
	RDMA bool `json:"rdma,omitempty"`

	// requests of the pod beside the devices. Unset: none.
	// +optional
	Requests corev1.ResourceList `json:"requests,omitempty"`

	// limits of the pod beside the devices. Unset: none, so that the benchmark sees the whole node.
	// +optional
	Limits corev1.ResourceList `json:"limits,omitempty"`

	// sharedMemory: size of /dev/shm. Unset: the container runtime's default (64 MiB).
	// +optional
	SharedMemory *resource.Quantity `json:"sharedMemory,omitempty"`
}

// Privileges that a benchmark needs beyond an ordinary restricted container. Default: none of them.
type Privileges struct {
	// privileged runs the container privileged. Default false.
	// +optional
	Privileged bool `json:"privileged,omitempty"`

	// capabilities to add, for example IPC_LOCK. A program gets them only as root: set runAsRoot too.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=32
	// +kubebuilder:validation:items:Pattern=`^[A-Z][A-Z_]*$`
	Capabilities []string `json:"capabilities,omitempty"`

	// hostNetwork puts the pod on the node's network. Default false.
	// +optional
	HostNetwork bool `json:"hostNetwork,omitempty"`

	// hostIPC shares the node's IPC namespace. Default false.
	// +optional
	HostIPC bool `json:"hostIPC,omitempty"`

	// hostPaths: folders of the node that the program may read and write, at the same paths, for example the mount of a file system that is to
	// be measured. They must exist. Default: none.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:items:MaxLength=256
	// +kubebuilder:validation:items:Pattern=`^/[A-Za-z0-9_][A-Za-z0-9._/-]*$`
	// +kubebuilder:validation:items:XValidation:rule="!self.contains('..') && !self.contains('/.') && !self.contains('//') && !self.endsWith('/')",message="a host path is written without .., /., // and a / at its end"
	// +kubebuilder:validation:items:XValidation:rule="!self.matches('^/(tmp|assay|dev/shm)(/|$)')",message="/tmp, /assay and /dev/shm are the pod's own: name another folder"
	HostPaths []string `json:"hostPaths,omitempty"`

	// runAsRoot runs the program as user 0. Default false: user 65532.
	// +optional
	RunAsRoot bool `json:"runAsRoot,omitempty"`
}

// EnvVar is one environment variable with a fixed value.
type EnvVar struct {
	// name of the variable. LD_PRELOAD and other loader variables are refused.
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]*$`
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('LD_')",message="variables of the dynamic loader (LD_...) are refused: put the library into the image"
	Name string `json:"name"`

	// value, used as it is.
	// +kubebuilder:validation:MaxLength=1024
	Value string `json:"value"`
}

// ParameterType is the type of a benchmark's parameter.
// +kubebuilder:validation:Enum=Integer;Number;Boolean;Enum
type ParameterType string

// The parameter types. There is no free text: a parameter never carries anything that a program could interpret.
const (
	ParameterInteger ParameterType = "Integer"
	ParameterNumber  ParameterType = "Number"
	ParameterBoolean ParameterType = "Boolean"
	ParameterEnum    ParameterType = "Enum"
)

// ParameterSpec declares one parameter that a run may set.
// +kubebuilder:validation:XValidation:rule="self.type != 'Enum' || (has(self.values) && size(self.values) > 0)",message="a parameter of type Enum needs values: list the allowed ones"
// +kubebuilder:validation:XValidation:rule="self.type == 'Enum' || !has(self.values)",message="values is only for a parameter of type Enum: use minimum and maximum to bound a number"
// +kubebuilder:validation:XValidation:rule="self.type in ['Integer', 'Number'] || (!has(self.minimum) && !has(self.maximum))",message="minimum and maximum are only for a parameter of type Integer or Number"
// +kubebuilder:validation:XValidation:rule="self.type == 'Integer' ? self.default.matches('^-?[0-9]+$') : self.type == 'Number' ? self.default.matches('^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?$') : self.type == 'Boolean' ? self.default in ['true', 'false'] : (!has(self.values) || self.default in self.values)",message="default must be a value of the parameter's type: a whole number, a number, true or false, or one of values"
type ParameterSpec struct {
	// name, as written in command between $( and ).
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-zA-Z0-9]*$`
	Name string `json:"name"`

	// type: Integer, Number, Boolean or Enum.
	Type ParameterType `json:"type"`

	// default: the value when a run sets none.
	// +kubebuilder:validation:MaxLength=64
	Default string `json:"default"`

	// minimum, for Integer and Number, inclusive. Unset: no bound.
	// +optional
	Minimum Decimal `json:"minimum,omitempty"`

	// maximum, for Integer and Number, inclusive. Unset: no bound.
	// +optional
	Maximum Decimal `json:"maximum,omitempty"`

	// values: the allowed values of an Enum.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=64
	// +kubebuilder:validation:items:Pattern=`^[A-Za-z0-9][A-Za-z0-9._,:/=+-]*$`
	Values []string `json:"values,omitempty"`

	// description for the catalogue.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Description string `json:"description,omitempty"`
}
