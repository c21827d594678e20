package verdict

import "github.com/assay-dev/assay/api/v1alpha1"

// RunFacts are what the verdict of a run depends on.
type RunFacts struct {
	// Summary counts the run's nodes.
	Summary v1alpha1.RunSummary
	// BreakerOpen: the breaker stopped tainting; BreakerMessage says why.
	BreakerOpen    bool
	BreakerMessage string
	// DeadlineExceeded: activeDeadlineSeconds are over.
	DeadlineExceeded bool
	// WorstNode and WorstMessage of the node with the worst verdict.
	WorstNode, WorstMessage string
}

// Severity orders verdicts: the greater, the worse. Pending ranks below Pass: nothing is known yet.
func Severity(v v1alpha1.Verdict) int { return 0 }

// Worst is the worst of some verdicts; Pending where there is none.
func Worst(verdicts ...v1alpha1.Verdict) v1alpha1.Verdict { return v1alpha1.VerdictPending }

// Node combines the verdicts of a node's benchmarks.
func Node(benchmarks []v1alpha1.BenchmarkResult) (v v1alpha1.Verdict, reason, message string) {
	return v1alpha1.VerdictPending, "", ""
}

// Run gives the verdict of a run.
func Run(in RunFacts) (v v1alpha1.Verdict, reason, message string) {
	return v1alpha1.VerdictPending, v1alpha1.ReasonRunning, ""
}
