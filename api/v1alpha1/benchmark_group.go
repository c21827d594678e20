package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// GroupSizeAll as group.size: all nodes of the run that passed so far, in one group.
const GroupSizeAll = "All"

// Values of group.slotsPerWorker beside a number.
const (
	// SlotsDevices: as many MPI ranks on each node as it has devices of needs.deviceResource.
	SlotsDevices = "Devices"
	// SlotsCores: as many MPI ranks on each node as it has allocatable CPUs.
	SlotsCores = "Cores"
)

// Group says which nodes one measurement spans, and how its MPIJob is made. With size 2 the pairs are drawn as a
// tournament, so that a slow node can be told from a slow link.
// +kubebuilder:validation:XValidation:rule="!(has(self.within) && has(self.across)) || self.within != self.across",message="within and across name the same label: the nodes of a group cannot share one value of it and differ in it"
// +kubebuilder:validation:XValidation:rule="!has(self.sizes) || type(self.size) != int || self.size > 2",message="group.sizes is not for pairs: set group.size to a greater number or to All, or leave sizes out"
// +kubebuilder:validation:XValidation:rule="!has(self.sizes) || type(self.size) != int || self.sizes.all(n, n < self.size)",message="each of group.sizes must be less than group.size, which is measured in any case"
type Group struct {
	// size: nodes of one group: 2, another number up to 1024, or All (in one group). Nodes left over from groups of a fixed
	// size are measured together with nodes of another group.
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 2 && self <= 1024 : self == 'All'",message="size must be a number from 2 to 1024, or All"
	Size intstr.IntOrString `json:"size"`

	// sizes: smaller numbers of nodes to measure as well, once the whole group is measured: 1, 2, 4 ... of its nodes, the first ones by
	// name, one MPIJob after the other. Sizes that the group does not exceed are left out. Metrics with scaling get a curve of them.
	// Unset: only the whole group is measured.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=11
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=1023
	Sizes []int32 `json:"sizes,omitempty"`

	// within: a node label, for example that of the rack; all nodes of a group have the same value of it. Unset: any nodes.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	Within string `json:"within,omitempty"`

	// across: a node label, for example that of the leaf switch; the nodes of a group have different values of it as far as
	// that can be (in pairs always). Unset: pairs near and far by within, or any.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	Across string `json:"across,omitempty"`

	// topology: a node label that tells near pairs from far ones, for example that of the leaf switch. The tournament draws
	// both, and a boundary between two values can be blamed. Unset: all pairs are alike.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	Topology string `json:"topology,omitempty"`

	// slotsPerWorker: MPI ranks on each node: a number, Devices (one for each device of needs.deviceResource) or Cores (one
	// for each allocatable CPU). Default 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 1 && self <= 1024 : self in ['Devices', 'Cores']",message="slotsPerWorker must be a number from 1 to 1024, Devices or Cores"
	SlotsPerWorker intstr.IntOrString `json:"slotsPerWorker,omitzero"`

	// rounds of the tournament of pairs before suspects are confirmed. Default 4. Only for size 2.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=32
	Rounds *int32 `json:"rounds,omitempty"`

	// workerCommand: the argument vector of the worker pods, which must listen for SSH at sshPort without being root.
	// Default: the SSH server of the bench images.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=256
	WorkerCommand []string `json:"workerCommand,omitempty"`

	// sshPort that workers listen at; the launcher starts once all do. Default 2222.
	// +optional
	// +kubebuilder:default=2222
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	SSHPort int32 `json:"sshPort,omitempty"`

	// sshAuthMountPath: where the image looks for the keys that the MPI Operator makes. Default /home/mpiuser/.ssh.
	// +optional
	// +kubebuilder:default="/home/mpiuser/.ssh"
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^/[A-Za-z0-9._/-]+$`
	SSHAuthMountPath string `json:"sshAuthMountPath,omitempty"`
}
