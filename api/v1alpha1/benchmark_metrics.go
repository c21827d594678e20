package v1alpha1

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

	// headlineAt: the part that the headline shows where no part fails, for example the size 1MiB of several. Unset: the node as a whole
	// where that is measured, else the worst part; of several sizes of messages the largest, or the smallest for a metric that is better
	// lower.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	HeadlineAt string `json:"headlineAt,omitempty"`

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
	// reports a count of 0 at every part, this metric may be absent, provided that it measured a single device, which has no other to
	// be linked with, or that HardwareProfiles describe these parts of the node and none has a peak for this metric; otherwise
	// something is there that should have been measured. An expectation that a run sets always applies. The count itself passes without anything to compare it with where that is so, and where each
	// part counts all the other devices, and this metric was measured on each pair of them. Unset: an expected metric that is not reported is Missing.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	DependsOn string `json:"dependsOn,omitempty"`

	// quietHost: what spec.quietHost says, of this metric alone: an attempt counts as disturbed if a metric that is slow in it has it. Default
	// false.
	// +optional
	QuietHost bool `json:"quietHost,omitempty"`
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
