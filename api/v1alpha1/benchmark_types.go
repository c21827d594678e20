package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Scope says how many nodes one measurement spans.
// +kubebuilder:validation:Enum=Node;Group
type Scope string

// The scopes.
const (
	// ScopeNode: one pod on one node.
	ScopeNode Scope = "Node"
	// ScopeGroup: one MPIJob over several nodes.
	ScopeGroup Scope = "Group"
)

// GroupSizeAll as group.size: all nodes of the run that passed so far, in one group.
const GroupSizeAll = "All"

// Values of group.slotsPerWorker beside a number.
const (
	// SlotsDevices: as many MPI ranks on each node as it has devices of needs.deviceResource.
	SlotsDevices = "Devices"
	// SlotsCores: as many MPI ranks on each node as it has allocatable CPUs.
	SlotsCores = "Cores"
)

// Scaling says what stays the same while more work together: the whole problem, or each one's share of it.
// +kubebuilder:validation:Enum=Strong;Weak
type Scaling string

// The two kinds of scaling.
const (
	// ScalingStrong: the whole problem stays the same, so that n times as many need 1/n of the time.
	ScalingStrong Scaling = "Strong"
	// ScalingWeak: each one's share stays the same, so that n times as many need the same time.
	ScalingWeak Scaling = "Weak"
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

// Needs says what a node must offer and what the pod asks for.
// +kubebuilder:validation:XValidation:rule="!has(self.minDevices) || has(self.deviceResource)",message="minDevices needs deviceResource: name the resource that is counted"
type Needs struct {
	// nodeSelector: labels a node must carry; a selected node without them is Skipped. Unset: any node.
	// +optional
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, e.operator in ['In', 'NotIn', 'Exists', 'DoesNotExist'])",message="operator must be In, NotIn, Exists or DoesNotExist"
	// +kubebuilder:validation:XValidation:rule="!has(self.matchExpressions) || self.matchExpressions.all(e, (e.operator in ['In', 'NotIn']) == (has(e.values) && size(e.values) > 0))",message="In and NotIn need values; Exists and DoesNotExist take none"
	NodeSelector *metav1.LabelSelector `json:"nodeSelector,omitempty"`

	// deviceResource: the extended resource (for example nvidia.com/gpu) of which the pod requests all that the node
	// has, so that the scheduler itself keeps other pods off. Unset: no device.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$`
	DeviceResource string `json:"deviceResource,omitempty"`

	// minDevices: a node with fewer devices is Skipped. Default 1 where deviceResource is set.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	MinDevices *int32 `json:"minDevices,omitempty"`

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

	// capabilities to add, for example IPC_LOCK.
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

// OutputFormat names the parser for a program's output.
// +kubebuilder:validation:Enum=Assay;HPL;STREAM;OSU;NVBandwidth;NCCLTests;BabelStream;GPUBurn;GROMACS;LAMMPS;NPB;HPCC;NAMD;PerfTest;WRF;Fluent;FIO;Regex
type OutputFormat string

// The output formats.
const (
	// FormatAssay: one JSON result document on stdout (schema assay.dev/result/v1).
	FormatAssay OutputFormat = "Assay"
	// FormatHPL: the report of netlib HPL, also inside the output of hpcc.
	FormatHPL OutputFormat = "HPL"
	// FormatSTREAM: the table of McCalpin's STREAM, or the STREAM lines of hpcc.
	FormatSTREAM OutputFormat = "STREAM"
	// FormatOSU: the tables of the OSU micro-benchmarks for MPI.
	FormatOSU OutputFormat = "OSU"
	// FormatNVBandwidth: the tables of NVIDIA's nvbandwidth, or its JSON (-j).
	FormatNVBandwidth OutputFormat = "NVBandwidth"
	// FormatNCCLTests: the tables of NVIDIA's nccl-tests.
	FormatNCCLTests OutputFormat = "NCCLTests"
	// FormatBabelStream: the table of BabelStream, or its CSV (--csv).
	FormatBabelStream OutputFormat = "BabelStream"
	// FormatGPUBurn: the progress lines of gpu-burn, and its verdict on each GPU.
	FormatGPUBurn OutputFormat = "GPUBurn"
	// FormatGROMACS: the log of GROMACS' mdrun, of 2018 and later.
	FormatGROMACS OutputFormat = "GROMACS"
	// FormatLAMMPS: what LAMMPS prints, or its log.
	FormatLAMMPS OutputFormat = "LAMMPS"
	// FormatNPB: the result of a NAS Parallel Benchmark, versions 2 and 3.
	FormatNPB OutputFormat = "NPB"
	// FormatHPCC: the summary of the HPC Challenge, hpccoutf.txt.
	FormatHPCC OutputFormat = "HPCC"
	// FormatNAMD: what NAMD 2 and 3 print.
	FormatNAMD OutputFormat = "NAMD"
	// FormatPerfTest: the tables of perftest (ib_write_bw and the like), of one RDMA device or several.
	FormatPerfTest OutputFormat = "PerfTest"
	// FormatWRF: the log of WRF's first rank, rsl.error.0000.
	FormatWRF OutputFormat = "WRF"
	// FormatFluent: the performance timer of ANSYS Fluent, or the rating of its benchmark script.
	FormatFluent OutputFormat = "Fluent"
	// FormatFIO: the JSON of fio (--output-format=json).
	FormatFIO OutputFormat = "FIO"
	// FormatRegex: one regular expression per metric.
	FormatRegex OutputFormat = "Regex"
)

// OutputPattern reads one metric by a regular expression (RE2). Each match in the output is one sample.
type OutputPattern struct {
	// metric the samples belong to; must be one of spec.metrics.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`

	// regexp with one group named value, and optionally one named at (the part).
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.contains('(?P<value>')",message="the regular expression needs a group (?P<value>...) that captures the number"
	Regexp string `json:"regexp"`
}

// Output says how the program's output is read.
// +kubebuilder:validation:XValidation:rule="(self.format == 'Regex') == has(self.patterns)",message="patterns belong to format Regex, and format Regex needs them"
type Output struct {
	// format of the program's output.
	Format OutputFormat `json:"format"`

	// patterns for format Regex.
	// +optional
	// +listType=map
	// +listMapKey=metric
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Patterns []OutputPattern `json:"patterns,omitempty"`
}

// Noise is how much a metric varies on healthy hardware: standard deviations, as fractions of the value. What a fleet shows
// itself counts as well, the more the larger it is.
type Noise struct {
	// run: of one part, from one measurement to the next. Default "0.01".
	// +optional
	Run Fraction `json:"run,omitempty"`

	// part: between like parts of one node. Default "0.01".
	// +optional
	Part Fraction `json:"part,omitempty"`

	// node: between like nodes. Default "0.01".
	// +optional
	Node Fraction `json:"node,omitempty"`
}

// Metric is one quantity that the benchmark measures.
// +kubebuilder:validation:XValidation:rule="!has(self.expectation) || !has(self.expectation.minFractionOfPeak) || has(self.peak)",message="minFractionOfPeak needs peak: name the HardwareProfile peak this metric is compared with"
// +kubebuilder:validation:XValidation:rule="!has(self.expectation) || !has(self.expectation.minFractionOfReached) || has(self.peak)",message="minFractionOfReached needs peak: name the HardwareProfile peak whose reached value this metric is compared with"
// +kubebuilder:validation:XValidation:rule="!has(self.expectation) || !has(self.expectation.minEfficiency) || has(self.scaling)",message="minEfficiency needs scaling: say whether the whole problem stays the same (Strong) or each one's share of it (Weak)"
type Metric struct {
	// name, as the result document has it: lowerCamelCase.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-zA-Z0-9]*$`
	Name string `json:"name"`

	// unit, as the result document has it: GB/s, GFLOP/s, us, W ...
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit"`

	// better: Higher or Lower. Default Higher.
	// +optional
	// +kubebuilder:default=Higher
	Better Direction `json:"better,omitempty"`

	// headline: shown in the run's status. The node's history keeps its values, as it does those of metrics with maxFleetDeviation or
	// maxRegression. Default false.
	// +optional
	Headline bool `json:"headline,omitempty"`

	// peak: name of the HardwareProfile peak this metric is a share of. Unset: no percent of peak.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Peak string `json:"peak,omitempty"`

	// scaling: the metric is measured at several sizes, and makes a curve. Its parts are named by them (1gpu, 2gpu, 4gpu; ranks, threads,
	// nodes), or the Benchmark has group.sizes. Strong or Weak. For a metric that is better higher, which must be the rate of all
	// together, the efficiency at size n is value(n) / (n/n0 x value(n0)), n0 being the smallest size. For one that is better lower, it
	// is value(n0) / (n/n0 x value(n)) with Strong, and value(n0) / value(n) with Weak. Unset: no curve.
	// +optional
	Scaling Scaling `json:"scaling,omitempty"`

	// noise: how much this metric varies on healthy hardware. Best measured on your own nodes; each default is "0.01".
	// +optional
	Noise Noise `json:"noise,omitzero"`

	// expectation: what this metric must reach. Unset: recorded only.
	// +optional
	Expectation *Expectation `json:"expectation,omitempty"`

	// dependsOn: another metric of this Benchmark, which counts what this one is measured on, such as links. Where the program
	// reports a count of 0 at every part, this metric may be absent, provided that HardwareProfiles describe these parts of the
	// node and none has a peak for this metric; otherwise something is there that should have been measured. An expectation
	// that a run sets always applies. The count itself passes without anything to compare it with where that is so, and where each
	// part counts all the other devices, and this metric was measured on each pair of them. Unset: an expected metric that is not reported is Missing.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	DependsOn string `json:"dependsOn,omitempty"`
}

// FactExpectation says what a fact must be, at every part that has it.
// +kubebuilder:validation:XValidation:rule="has(self.equal) || has(self.atLeast) || (has(self.uniform) && self.uniform)",message="a fact needs equal, atLeast or uniform: say what it must be, or leave it out (facts are kept in any case)"
type FactExpectation struct {
	// name of the fact, as the result document has it.
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z][a-zA-Z0-9]*$`
	Name string `json:"name"`

	// equal: the value it must have. Unset: any.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Equal string `json:"equal,omitempty"`

	// atLeast: the least value, for facts that are numbers. Unset: no bound.
	// +optional
	AtLeast Decimal `json:"atLeast,omitempty"`

	// uniform: the value must be that of the same part of most nodes of this kind in the run. Never applied with fewer than 3 nodes, nor
	// where no value holds on more than half of them. Default false.
	// +optional
	Uniform bool `json:"uniform,omitempty"`

	// verdict of a node that breaks it: Fail, or Warning where it fails nobody. Default Fail.
	// +optional
	// +kubebuilder:default=Fail
	// +kubebuilder:validation:Enum=Fail;Warning
	Verdict Verdict `json:"verdict,omitempty"`
}

// BenchmarkSpec is one measurement of the catalogue.
// +kubebuilder:validation:XValidation:rule="has(self.image) || has(self.siteImage)",message="image is missing: name the image that holds the program, or say in siteImage what the site has to provide"
// +kubebuilder:validation:XValidation:rule="(has(self.scope) && self.scope == 'Group') == has(self.group)",message="group belongs to scope Group, and scope Group needs it: say at least group.size"
// +kubebuilder:validation:XValidation:rule="!has(self.group) || type(self.group.slotsPerWorker) == int || self.group.slotsPerWorker != 'Devices' || (has(self.needs) && has(self.needs.deviceResource))",message="group.slotsPerWorker Devices needs needs.deviceResource: name the resource that is counted"
// +kubebuilder:validation:XValidation:rule="!has(self.group) || !has(self.group.rounds) || (type(self.group.size) == int && self.group.size == 2)",message="group.rounds is only for pairs: set group.size to 2, or leave rounds out"
// +kubebuilder:validation:XValidation:rule="!has(self.facts) || !has(self.scope) || self.scope != 'Group'",message="facts are only for scope Node: a fact is one node's, whatever group it is measured in"
// +kubebuilder:validation:XValidation:rule="!has(self.group) || !has(self.group.sizes) || self.metrics.exists(m, has(m.scaling))",message="group.sizes needs a metric with scaling: say which one is to grow with the number of nodes"
// +kubebuilder:validation:XValidation:rule="self.metrics.exists(m, has(m.headline) && m.headline)",message="at least one metric must have headline: true, so that the run's table has something to show"
// +kubebuilder:validation:XValidation:rule="self.metrics.all(m, !has(m.dependsOn) || self.metrics.exists(n, n.name == m.dependsOn && n.name != m.name))",message="dependsOn must name another metric of spec.metrics"
// +kubebuilder:validation:XValidation:rule="!has(self.output.patterns) || self.output.patterns.all(p, self.metrics.exists(m, m.name == p.metric))",message="every output pattern must name one of spec.metrics"
type BenchmarkSpec struct {
	// description: what is measured and how, in a sentence or two.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	Description string `json:"description"`

	// scope: Node (one pod on one node) or Group (one MPIJob over several nodes; needs the MPI Operator). Default Node.
	// +optional
	// +kubebuilder:default=Node
	Scope Scope `json:"scope,omitempty"`

	// group: the nodes of one measurement; for scope Group. The command is then the launcher's and starts with mpirun.
	// +optional
	Group *Group `json:"group,omitempty"`

	// suites this benchmark belongs to, for example quick, standard, acceptance.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=63
	// +kubebuilder:validation:items:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	Suites []string `json:"suites,omitempty"`

	// image that holds the program, best by digest. Unset: siteImage says what the site has to provide, and the benchmark is skipped with
	// reason ImageNotProvided until somebody sets it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$`
	Image string `json:"image,omitempty"`

	// siteImage: what an image of the site's own has to hold, for a program that nobody may give away or that each site builds for itself.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	SiteImage string `json:"siteImage,omitempty"`

	// command: the argument vector, run as it is (no shell). $(name) is replaced by the parameter of that name.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=512
	Command []string `json:"command"`

	// env: fixed environment variables of the program.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Env []EnvVar `json:"env,omitempty"`

	// parameters that a run may set.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=32
	Parameters []ParameterSpec `json:"parameters,omitempty"`

	// needs: what a node must offer and what the pod requests.
	// +optional
	Needs Needs `json:"needs,omitzero"`

	// privileges beyond an ordinary container. Default: none.
	// +optional
	Privileges Privileges `json:"privileges,omitzero"`

	// timeoutSeconds: the program is killed after this time. Default 600.
	// +optional
	// +kubebuilder:default=600
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	TimeoutSeconds int32 `json:"timeoutSeconds,omitempty"`

	// costSeconds: about how long it takes, of a Group one MPIJob of it; cheaper benchmarks of a run go first. Default 60.
	// +optional
	// +kubebuilder:default=60
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=86400
	CostSeconds int32 `json:"costSeconds,omitempty"`

	// atRest: it measures the node while nothing runs, so it goes before all others of a run. Default false.
	// +optional
	AtRest bool `json:"atRest,omitempty"`

	// output: how the program's output is read.
	Output Output `json:"output"`

	// metrics that the benchmark measures; a metric of the output that is not listed here is kept, never judged.
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	Metrics []Metric `json:"metrics"`

	// facts that are judged; all others are kept, never judged.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Facts []FactExpectation `json:"facts,omitempty"`
}

// Benchmark is one measurement of the catalogue. Only a cluster administrator writes it: it says which image and command run.
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Cluster,categories=assay
// +kubebuilder:printcolumn:name="Suites",type=string,JSONPath=`.spec.suites`
// +kubebuilder:printcolumn:name="Scope",type=string,JSONPath=`.spec.scope`
// +kubebuilder:printcolumn:name="Cost",type=integer,JSONPath=`.spec.costSeconds`,description="About how many seconds it takes"
// +kubebuilder:printcolumn:name="Privileged",type=boolean,JSONPath=`.spec.privileges.privileged`
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="the name of a Benchmark may have at most 40 characters: it becomes part of pod names"
type Benchmark struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BenchmarkSpec `json:"spec"`
}

// BenchmarkList is a list of Benchmarks.
// +kubebuilder:object:root=true
type BenchmarkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Benchmark `json:"items"`
}
