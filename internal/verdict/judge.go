package verdict

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// NodeFacts are what a node brings to the judgement beside its measurements.
type NodeFacts struct {
	// Peaks of the node's hardware.
	Peaks Peaks
	// History of this benchmark in the same configuration on this node, in any order.
	History []v1alpha1.HistoryEntry
	// RunUID of the run that measured: entries of its own are not history, so that judging again gives the same.
	RunUID types.UID
}

// AttemptJudgement is what the rules said about one attempt.
type AttemptJudgement struct {
	// Verdict of the attempt; Pending where it still runs, or where only the fleet rule is still to come.
	Verdict  v1alpha1.Verdict
	Reason   string
	Message  string
	Headline []v1alpha1.HeadlineValue
	// Findings, worst first.
	Findings []v1alpha1.Finding
	// FleetPending: it passed everything that can be judged now; the fleet rule waits for the other nodes.
	FleetPending bool

	attempt *v1alpha1.Attempt
}

// Judge applies the rules to one attempt.
func (f *Fleet) Judge(a *v1alpha1.Attempt, facts NodeFacts) AttemptJudgement {
	return AttemptJudgement{Verdict: v1alpha1.VerdictPending}
}

// EffectiveMetrics are a benchmark's metrics with the expectations that a run overrides. The error is meant for the
// run's condition: it says which metric or number is wrong.
func EffectiveMetrics(b *v1alpha1.Benchmark, overrides []v1alpha1.ExpectationOverride) ([]v1alpha1.Metric, error) {
	return b.Spec.Metrics, nil
}
