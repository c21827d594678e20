package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// PassingRun is a run in which a benchmark passed on the node.
type PassingRun struct {
	// runUID of the run.
	RunUID types.UID `json:"runUID"`
	// time of the measurement.
	Time metav1.Time `json:"time"`
	// driver version of the accelerator at that time. Empty: as in the run before; in the oldest run, not known.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Driver string `json:"driver,omitempty"`
	// kernel version at that time. Empty: as in the run before; in the oldest run, not known.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Kernel string `json:"kernel,omitempty"`
}

// PassingValues are Decimals with a space between them, one per passing run, "-" where a run did not measure the part. One text for
// all of them takes a fraction of the room: there are thousands of nodes with hundreds of parts.
// +kubebuilder:validation:MaxLength=256
// +kubebuilder:validation:Pattern=`^[-+0-9.eE ]*$`
type PassingValues string

// PartHistory is what one part reached in passing runs. A GPU that was replaced starts afresh.
type PartHistory struct {
	// at: name of the part in the newest of these runs that measured it.
	// +kubebuilder:validation:MaxLength=128
	At string `json:"at"`
	// identity of a part that the newest run did not measure, for when it comes back: its name with the UUIDs of its GPUs. Unset: the
	// newest run measured it, and devices identify it.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Identity string `json:"identity,omitempty"`
	// baseline: median of its first passing values, at most 5 of them. Once it has that many, no later run changes it, and values are
	// compared with it.
	Baseline Decimal `json:"baseline"`
	// passes: how many passing runs measured it. Until there are 5, those that left the ring do not count.
	Passes int32 `json:"passes"`
	// since: time of the first of them. Unset: as the history's.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
	// recent: what it reached in the runs of the ring, at most 10, the last one in the newest run; runs before its first value are left out.
	// +optional
	Recent PassingValues `json:"recent,omitempty"`
}

// MetricHistory is what the parts of a node reached of one metric.
type MetricHistory struct {
	// metric.
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric"`
	// unit of the values.
	// +kubebuilder:validation:MaxLength=32
	Unit string `json:"unit"`
	// parts.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	Parts []PartHistory `json:"parts"`
}

// PassHistory is what a benchmark measured in one configuration whenever it passed on the node. What failed never enters.
type PassHistory struct {
	// configuration: hash of image, command and environment, and of the fabric of a group.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Configuration string `json:"configuration,omitempty"`
	// runs: the ring, oldest first.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	Runs []PassingRun `json:"runs"`
	// since: time of the first pass of any part.
	// +optional
	Since metav1.Time `json:"since,omitzero"`
	// devices of the newest of them: they identify the parts.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Devices []Device `json:"devices,omitempty"`
	// metrics that have an expectation of the fleet or of history, or are headlines.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Metrics []MetricHistory `json:"metrics,omitempty"`
}
