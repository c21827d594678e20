package v1alpha1

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
