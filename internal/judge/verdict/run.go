package verdict

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// RunFacts are what the verdict of a run depends on.
type RunFacts struct {
	// Summary counts the run's nodes.
	Summary v1alpha1.RunSummary
	// BreakerOpen: the breaker stopped tainting; BreakerMessage says why.
	BreakerOpen    bool
	BreakerMessage string
	// DeadlineExceeded: activeDeadlineSeconds passed while nodes were still to be measured. It stays true when those are
	// written off as Missing.
	DeadlineExceeded bool
	// Cut is what that deadline is.
	Cut message.Cut
	// Findings about links and sets of nodes, which no single node is to blame for; Finding is the first one's message.
	Findings int
	Finding  string
	// WorstNode and WorstMessage of the node with the worst verdict.
	WorstNode, WorstMessage string
}

// severity orders verdicts. What was skipped ranks below a pass, so that it never hides one.
var severity = map[v1alpha1.Verdict]int{
	v1alpha1.VerdictPending:      0,
	v1alpha1.VerdictSkipped:      1,
	v1alpha1.VerdictPass:         2,
	v1alpha1.VerdictInconclusive: 3,
	v1alpha1.VerdictMissing:      4,
	v1alpha1.VerdictError:        5,
	v1alpha1.VerdictFail:         6,
}

// Severity orders verdicts: the greater, the worse.
func Severity(v v1alpha1.Verdict) int { return severity[v] }

// Worst is the worst of some verdicts; Pending where there is none.
func Worst(verdicts ...v1alpha1.Verdict) v1alpha1.Verdict {
	worst := v1alpha1.VerdictPending
	for _, v := range verdicts {
		if Severity(v) > Severity(worst) {
			worst = v
		}
	}
	return worst
}

// Node combines the verdicts of a node's benchmarks: Pending until each is judged, then the worst of them. A node of
// which every benchmark was skipped is Skipped.
func Node(benchmarks []v1alpha1.BenchmarkResult) (v v1alpha1.Verdict, reason, text string) {
	var worst *v1alpha1.BenchmarkResult
	var open, skipped []string
	alike := 0
	for i := range benchmarks {
		b := &benchmarks[i]
		switch b.Verdict {
		case v1alpha1.VerdictPending, "":
			open = append(open, b.Name)
		case v1alpha1.VerdictSkipped:
			skipped = append(skipped, b.Name)
		}
		switch {
		case worst == nil || Severity(b.Verdict) > Severity(worst.Verdict):
			worst, alike = b, 1
		case b.Verdict == worst.Verdict:
			alike++
		}
	}
	switch {
	case worst == nil:
		return v1alpha1.VerdictPending, "", message.NoBenchmarkYet()
	case len(open) > 0:
		return v1alpha1.VerdictPending, v1alpha1.ReasonRunning, message.StillToJudge(open)
	case worst.Verdict == v1alpha1.VerdictPass && len(skipped) > 0:
		return worst.Verdict, v1alpha1.ReasonPassed, message.SomePassed(alike, len(benchmarks), skipped)
	case worst.Verdict == v1alpha1.VerdictPass && alike > 1:
		return worst.Verdict, v1alpha1.ReasonPassed, message.AllPassed(alike)
	}
	return worst.Verdict, worst.Reason, message.WorstBenchmark(worst.Name, worst.Message, worst.Verdict, alike, len(benchmarks))
}

// Run gives the verdict of a run. What stopped the tainting comes before what failed, and that before what could not be
// measured: no later line may hide an earlier one. A run that measured nothing never passes.
func Run(in RunFacts) (v v1alpha1.Verdict, reason, text string) {
	s := in.Summary
	unfinished := s.Pending + s.Running
	cutShort := in.DeadlineExceeded && unfinished+s.Errored > 0
	switch {
	case in.BreakerOpen:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonBreakerOpen, in.summary(in.BreakerMessage)
	case unfinished > 0 && !in.DeadlineExceeded:
		return v1alpha1.VerdictPending, v1alpha1.ReasonRunning, in.summary("")
	case s.Failed > 0 && cutShort:
		return v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, in.summary(message.DeadlineCutShort(in.Cut))
	case s.Failed > 0:
		return v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, in.summary("")
	case in.Findings > 0:
		return v1alpha1.VerdictFail, v1alpha1.ReasonGroupsFailed, in.summary(message.WithMore(in.Finding, in.Findings-1))
	case cutShort:
		return v1alpha1.VerdictInconclusive, CutReason(in.Cut), in.summary(message.DeadlinePassed(in.Cut))
	case s.Nodes == 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonNoMatchingNodes, message.NoNodeMatches()
	case s.Errored > 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonInconclusive, in.summary("")
	case s.NotJudged > 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged, in.summary("")
	case s.Passed == 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonInconclusive, in.summary(message.AllSkipped())
	default:
		return v1alpha1.VerdictPass, v1alpha1.ReasonPassed, in.summary("")
	}
}

// CutReason is why something was not measured before a run was cut short.
func CutReason(by message.Cut) string {
	if by == message.CutByUser {
		return v1alpha1.ReasonInterrupted
	}
	return v1alpha1.ReasonDeadlineExceeded
}

// summary names the worst node where its message explains the verdict.
func (in RunFacts) summary(cause string) string {
	node := ""
	if s := in.Summary; s.Failed+s.Errored+s.NotJudged > 0 || s.Skipped > 0 && s.Passed == 0 {
		node = in.WorstNode
	}
	return message.RunSummary(cause, in.Summary, node, in.WorstMessage)
}
