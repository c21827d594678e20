package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Conviction is a rule that the node broke in a confirmed measurement. It stands until a later measurement, judged by the same
// rule under the same terms, refutes it.
type Conviction struct {
	// benchmark that measured.
	// +kubebuilder:validation:MaxLength=63
	Benchmark string `json:"benchmark"`
	// metric that fell short, or the data check that failed.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Metric string `json:"metric,omitempty"`
	// rule that the metric broke, as in a Finding.
	// +kubebuilder:validation:MaxLength=32
	Rule string `json:"rule"`
	// at: the part that was worst. Empty: the whole node.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	At          string `json:"at,omitempty"`
	RuleNumbers `json:",inline"`
	// expected: the value that most nodes had, of a fact that differed from them.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Expected string `json:"expected,omitempty"`
	// configuration measured: hash of image, command and environment, and of the fabric of a group.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Configuration string `json:"configuration,omitempty"`
	// asCatalogued: what was broken is what the Benchmark asks, whatever else the run asked. Without it, only terms of the run's own were
	// broken: it stands for the sake of the run's taint, and goes with the next pass on the Benchmark's terms.
	// +optional
	AsCatalogued bool `json:"asCatalogued,omitempty"`
	// again: another run had convicted the node of the same before, and nothing had refuted that.
	// +optional
	Again bool `json:"again,omitempty"`
	// more rules of the benchmark that the node broke in that run, for which there is no room here.
	// +optional
	More int32 `json:"more,omitempty"`
	// run that convicted.
	Run ObjectReference `json:"run"`
	// measuredAt: when the API server created the pod or MPIJob of the measurement.
	MeasuredAt metav1.Time `json:"measuredAt"`
}

// Quarantine is the taint that Assay put on a node. It goes when no conviction stands any more.
type Quarantine struct {
	// key of the taint.
	// +kubebuilder:validation:MaxLength=316
	Key string `json:"key"`
	// value of the taint.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Value string `json:"value,omitempty"`
	// effect of the taint.
	Effect corev1.TaintEffect `json:"effect"`
	// run that put it there.
	Run ObjectReference `json:"run"`
	// since when.
	Since metav1.Time `json:"since"`
	// id of the quarantine, which no other has: the annotation assay.dev/quarantine of the node names the one that its taint rests on.
	// +optional
	ID types.UID `json:"id,omitempty"`
}
