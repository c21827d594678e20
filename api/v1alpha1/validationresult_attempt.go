package v1alpha1

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// PartValue is the value of one part: a GPU, a link, a socket, a message size.
type PartValue struct {
	// at: name of the part, for example gpu0->gpu1 or socket0.
	// +kubebuilder:validation:MaxLength=128
	At string `json:"at"`
	// value in the measurement's unit.
	Value Decimal `json:"value"`
	// samples behind the value. Zero: unknown.
	// +optional
	Samples int32 `json:"samples,omitempty"`
	// spread of the samples, as a fraction of the value. Unset: unknown.
	// +optional
	Spread Decimal `json:"spread,omitempty"`
}

// Measurement is one quantity, part by part.
type Measurement struct {
	// name, lowerCamelCase.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// unit of the values.
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit"`
	// better: Higher or Lower.
	// +optional
	Better Direction `json:"better,omitempty"`
	// parts measured.
	// +listType=map
	// +listMapKey=at
	// +kubebuilder:validation:MaxItems=1024
	Parts []PartValue `json:"parts"`
}

// Check is what a program says about its own data: right or wrong.
type Check struct {
	// name, lowerCamelCase.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// ok: false means wrong data, which always fails the node.
	OK bool `json:"ok"`
	// message: what was wrong.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

// Device is one accelerator that took part.
type Device struct {
	// index the program used.
	Index int32 `json:"index"`
	// uuid of the device.
	// +optional
	// +kubebuilder:validation:MaxLength=96
	UUID string `json:"uuid,omitempty"`
	// product name.
	// +optional
	// +kubebuilder:validation:MaxLength=96
	Product string `json:"product,omitempty"`
}

// Fact is something that does not change while a program runs: a version, a setting, a count.
type Fact struct {
	// name, lowerCamelCase.
	// +kubebuilder:validation:MaxLength=63
	Name string `json:"name"`
	// at: the part. Unset: the whole node.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	At string `json:"at,omitempty"`
	// value as text: true and false, numbers in their unit, versions as they are written.
	// +kubebuilder:validation:MaxLength=128
	Value string `json:"value"`
}

// Attempt is one pod or MPIJob, and what came of it.
type Attempt struct {
	// number of the attempt, from 1; from 2 on it measures a suspect again.
	Number int32 `json:"number"`
	// round of the tournament, from 1; of a group that is one size of a curve, from 2. Zero: none.
	// +optional
	Round int32 `json:"round,omitempty"`
	// verdict: Pass (measured), Fail (wrong data), Error or Skipped. How fast it was is judged on the benchmark.
	Verdict Verdict `json:"verdict"`
	// reason: one of the documented reasons.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason,omitempty"`
	// message: what happened and what to do.
	// +optional
	// +kubebuilder:validation:MaxLength=2048
	Message string `json:"message,omitempty"`
	// pod that measured; of a group, its MPIJob. Empty in what a node's result keeps of its groups.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Pod string `json:"pod,omitempty"`
	// podUID of that pod or MPIJob.
	// +optional
	PodUID types.UID `json:"podUID,omitempty"`
	// launchTime: when the API server created that pod or MPIJob. Attempts of all runs on a node are ordered by this one clock.
	// +optional
	LaunchTime *metav1.Time `json:"launchTime,omitempty"`
	// configuration: hash of the image that ran, the command and the environment, and of the fabric of a group. Only attempts of one configuration are compared.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Configuration string `json:"configuration,omitempty"`
	// imageID that ran: the digest the container runtime resolved.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	ImageID string `json:"imageID,omitempty"`
	// startTime of the program.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`
	// endTime of the program.
	// +optional
	EndTime *metav1.Time `json:"endTime,omitempty"`
	// cost of the attempt while its program ran. Unset: it held no GPU, started no program, or is of an earlier version.
	// +optional
	Cost *Cost `json:"cost,omitempty"`
	// machine that was measured: the node as it was from when the pod was created until its result was read. Unset: it changed meanwhile,
	// or in the result of a group.
	// +optional
	Machine *Machine `json:"machine,omitempty"`
	// machines of a group's nodes, in their order, when the MPIJob was created: 8 hexadecimal digits stand for each.
	// +optional
	// +kubebuilder:validation:MaxLength=8192
	Machines string `json:"machines,omitempty"`
	// version of the program.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Version string `json:"version,omitempty"`
	// measurements of the program.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Measurements []Measurement `json:"measurements,omitempty"`
	// telemetry: what the runner sampled beside the program: temperature, power, clocks, throttling.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Telemetry []Measurement `json:"telemetry,omitempty"`
	// checks of the program's data.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Checks []Check `json:"checks,omitempty"`
	// notes the program left.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=512
	Notes []string `json:"notes,omitempty"`
	// devices that took part.
	// +optional
	// +listType=map
	// +listMapKey=index
	// +kubebuilder:validation:MaxItems=128
	Devices []Device `json:"devices,omitempty"`
	// facts that the program found about the node.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	Facts []Fact `json:"facts,omitempty"`
}

// Names of checks that programs share. They are about the measurement, not about data: a measurement that only they refuse says nothing
// of the node, so that it is neither Pass nor Fail.
const (
	// CheckUndisturbed is false where something else used the device while it was measured.
	CheckUndisturbed = "undisturbed"
	// CheckComparable is false where the program measured something smaller than it was asked to.
	CheckComparable = "comparable"
	// CheckFinished is false where a signal stopped the program before it had measured everything.
	CheckFinished = "finished"
	// CheckCompleted is false where an error kept the program from measuring everything, such as an option that does not fit the node.
	CheckCompleted = "completed"
	// CheckMeasured is false where the program ended without any value.
	CheckMeasured = "measured"
)

// CheckDevicesUsable is false where the program was given devices and can use none: that fails the node, as wrong data does.
const CheckDevicesUsable = "devicesUsable"

// ReasonOfCheck is why a node fails of which this check about it is false.
func ReasonOfCheck(name string) string {
	if name == CheckDevicesUsable {
		return ReasonDevicesUnusable
	}
	return ReasonWrongData
}

// Interrupted says whether checks are those of a program that was stopped. Such a program proves nothing: it may have had no time for the
// first sample, or have been stopped in the middle of a comparison.
func Interrupted(checks []Check) bool {
	return slices.ContainsFunc(checks, func(c Check) bool { return c.Name == CheckFinished && !c.OK })
}

// IsDataCheck says whether a check of this name is about data.
func IsDataCheck(name string) bool {
	switch name {
	case CheckUndisturbed, CheckComparable, CheckFinished, CheckCompleted, CheckMeasured:
		return false
	}
	return true
}

// FactTransport is how NCCL went from node to node: NET/IB, NET/Socket ...; several, where ranks differ.
const FactTransport = "ncclTransport"
