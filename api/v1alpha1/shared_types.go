package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Decimal is a number written as text ("0.88", "-3", "1.5e3"), so that every client reads the same value.
// +kubebuilder:validation:MaxLength=32
// +kubebuilder:validation:Pattern=`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`
type Decimal string

// Fraction is a Decimal from 0 to 1.
// +kubebuilder:validation:MaxLength=16
// +kubebuilder:validation:Pattern=`^(0(\.[0-9]+)?|1(\.0+)?)$`
type Fraction string

// Verdict says what was found about a part, a node or a run.
// +kubebuilder:validation:Enum=Pass;Fail;Error;Missing;Skipped;Inconclusive;Pending;Warning
type Verdict string

const (
	// VerdictPass: measured, its data verified, and no rule broken.
	VerdictPass Verdict = "Pass"
	// VerdictFail: measured, confirmed, and below what was expected, or its data was wrong. The only verdict that may taint.
	VerdictFail Verdict = "Fail"
	// VerdictError: could not be measured.
	VerdictError Verdict = "Error"
	// VerdictMissing: a measurement was expected and did not come.
	VerdictMissing Verdict = "Missing"
	// VerdictSkipped: no program was started, on purpose; the message says why.
	VerdictSkipped Verdict = "Skipped"
	// VerdictInconclusive: no proof either way: a run that ended without one, or a measurement that nothing could judge.
	VerdictInconclusive Verdict = "Inconclusive"
	// VerdictPending: not decided yet.
	VerdictPending Verdict = "Pending"
	// VerdictWarning (findings only): worth a look, but it fails nobody.
	VerdictWarning Verdict = "Warning"
)

// Direction says which way a metric is better.
// +kubebuilder:validation:Enum=Higher;Lower
type Direction string

// The two directions.
const (
	Higher Direction = "Higher"
	Lower  Direction = "Lower"
)

// Expectation says what a metric must reach. Rules that are set are combined: each must hold.
// With no rule set, the metric is recorded and never fails.
type Expectation struct {
	// minFractionOfPeak: the value must reach this fraction of the HardwareProfile's peak named by the metric.
	// For a metric that is better lower, the peak divided by the value must reach it. Unset: not judged against a peak.
	// +optional
	MinFractionOfPeak Fraction `json:"minFractionOfPeak,omitempty"`

	// minFractionOfReached: the value must reach this fraction of what healthy hardware of this kind reaches: `reached` of the
	// HardwareProfile's peak named by the metric. So a lone, new node that is slow as a whole is found. For a metric that is
	// better lower, reached divided by the value must reach it. Unset: not judged by it.
	// +optional
	MinFractionOfReached Fraction `json:"minFractionOfReached,omitempty"`

	// maxFleetDeviation: how far, as a fraction, a part may be worse than like parts, and a node worse than like nodes. Like parts
	// are those of the same node, and those of the fleet: this run's nodes and, as they last passed, all others of the cluster.
	// More is allowed where the noise of the metric explains it. "0" allows what the noise explains, and no more. Never applied
	// with fewer than 4 like parts. Unset: not judged against the fleet.
	// +optional
	MaxFleetDeviation Fraction `json:"maxFleetDeviation,omitempty"`

	// maxRegression: how far, as a fraction, a part may be worse than it was in its own earlier passing runs (at least 3), both
	// the first ones and the last ones. More is allowed where the noise of the metric explains it. Unset: not judged against history.
	// +optional
	MaxRegression Fraction `json:"maxRegression,omitempty"`

	// minEfficiency: at every size that was measured, the metric must reach this share of what it would reach if it grew with the size
	// from the smallest one on; see the metric's scaling. Unset: not judged by it.
	// +optional
	MinEfficiency Fraction `json:"minEfficiency,omitempty"`

	// min: the least value allowed, in the metric's unit. Unset: no lower bound.
	// +optional
	Min Decimal `json:"min,omitempty"`

	// max: the greatest value allowed, in the metric's unit. Unset: no upper bound.
	// +optional
	Max Decimal `json:"max,omitempty"`
}

// ByLabels is what the run selects by labels; nothing where it names its nodes.
func (s *ValidationRunSpec) ByLabels() (labels.Selector, error) {
	return byLabels(s.Selector, s.AllNodes)
}

// ByLabels is what the policy selects.
func (s *ValidationPolicySpec) ByLabels() (labels.Selector, error) {
	return byLabels(&s.Selector, s.AllNodes)
}

// ByLabels are the nodes that the profile is for.
func (s *HardwareProfileSpec) ByLabels() (labels.Selector, error) {
	return byLabels(&s.Selector, s.AllNodes)
}

// byLabels reads a selector. To Kubernetes an empty one means everything; here it selects nothing: labels that got lost on their way must not
// become every node.
func byLabels(selector *metav1.LabelSelector, allNodes bool) (labels.Selector, error) {
	switch {
	case allNodes:
		return labels.Everything(), nil
	case selector == nil || len(selector.MatchLabels)+len(selector.MatchExpressions) == 0:
		return labels.Nothing(), nil
	}
	return metav1.LabelSelectorAsSelector(selector)
}

// Cost is what measuring took of GPUs.
type Cost struct {
	// gpuSeconds: how long programs ran, times the GPUs that their pods held meanwhile.
	GPUSeconds int64 `json:"gpuSeconds"`
	// joules that these GPUs used: their power, as far as it was read, times how long the program ran. Unset: it was not read.
	// +optional
	Joules int64 `json:"joules,omitempty"`
}

// Add another cost; nil: none.
func (c *Cost) Add(other *Cost) {
	if other != nil {
		c.GPUSeconds, c.Joules = c.GPUSeconds+other.GPUSeconds, c.Joules+other.Joules
	}
}

// OrNone is nil where nothing was spent.
func (c Cost) OrNone() *Cost {
	if c == (Cost{}) {
		return nil
	}
	return &c
}

// Cost of all attempts in a result. What a node's result keeps of its groups costs nothing there: the groups' own results have it.
func (r *ValidationResult) Cost() (sum Cost) {
	if r == nil {
		return sum
	}
	for i := range r.Benchmarks {
		for j := range r.Benchmarks[i].Attempts {
			sum.Add(r.Benchmarks[i].Attempts[j].Cost)
		}
	}
	return sum
}
