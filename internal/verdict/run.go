package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
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
func Node(benchmarks []v1alpha1.BenchmarkResult) (v v1alpha1.Verdict, reason, message string) {
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
		return v1alpha1.VerdictPending, "", "no benchmark was measured yet"
	case len(open) > 0:
		return v1alpha1.VerdictPending, v1alpha1.ReasonRunning, Clip("still to be judged: "+strings.Join(open, ", "), maxMessage)
	case worst.Verdict == v1alpha1.VerdictPass && len(skipped) > 0:
		return worst.Verdict, v1alpha1.ReasonPassed, Clip(fmt.Sprintf("%d of %d benchmarks passed; skipped: %s",
			alike, len(benchmarks), strings.Join(skipped, ", ")), maxMessage)
	case worst.Verdict == v1alpha1.VerdictPass && alike > 1:
		return worst.Verdict, v1alpha1.ReasonPassed, fmt.Sprintf("all %d benchmarks passed", alike)
	}
	message = worst.Name + colon(Clip(worst.Message, maxMessage-256))
	if alike > 1 {
		message += fmt.Sprintf("; %d benchmarks of %d: %s", alike, len(benchmarks), strings.ToLower(string(worst.Verdict)))
	}
	return worst.Verdict, worst.Reason, Clip(message, maxMessage)
}

// Run gives the verdict of a run. What stopped the tainting comes before what failed, and that before what could not be
// measured: no later line may hide an earlier one. A run that measured nothing never passes.
func Run(in RunFacts) (v v1alpha1.Verdict, reason, message string) {
	s := in.Summary
	unfinished := s.Pending + s.Running
	cutShort := in.DeadlineExceeded && unfinished+s.Errored > 0
	switch {
	case in.BreakerOpen:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonBreakerOpen, in.tell(in.BreakerMessage)
	case unfinished > 0 && !in.DeadlineExceeded:
		return v1alpha1.VerdictPending, v1alpha1.ReasonRunning, in.tell("")
	case s.Failed > 0 && cutShort:
		return v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, in.tell("the deadline passed before every node was measured")
	case s.Failed > 0:
		return v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, in.tell("")
	case in.Findings > 0:
		return v1alpha1.VerdictFail, v1alpha1.ReasonGroupsFailed, in.tell(andMore(in.Finding, in.Findings-1))
	case cutShort:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonDeadlineExceeded,
			in.tell("activeDeadlineSeconds passed before every node was measured: raise it, or see what held the nodes up")
	case s.Nodes == 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonNoMatchingNodes, "no node matches: check nodeSelector or nodeNames"
	case s.Errored > 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonInconclusive, in.tell("")
	case s.Passed == 0:
		return v1alpha1.VerdictInconclusive, v1alpha1.ReasonInconclusive, in.tell("every node was skipped, so nothing is proved")
	default:
		return v1alpha1.VerdictPass, v1alpha1.ReasonPassed, in.tell("")
	}
}

// tell joins a cause, the counts that are not zero, and the worst node.
func (in RunFacts) tell(cause string) string {
	s := in.Summary
	counts := []string{}
	for _, c := range []struct {
		n    int32
		word string
	}{
		{s.Failed, "failed"}, {s.Errored, "could not be measured"}, {s.Skipped, "skipped"}, {s.Passed, "passed"},
		{s.Running, "running"}, {s.Pending, "pending"}, {s.Tainted, "tainted"},
	} {
		if c.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	text := fmt.Sprintf("%d nodes", s.Nodes) + colon(strings.Join(counts, ", "))
	if s.Nodes == 1 {
		text = "1 node" + colon(strings.Join(counts, ", "))
	}
	if cause != "" {
		text = cause + "; " + text
	}
	if in.WorstNode != "" && s.Failed+s.Errored+s.Skipped > 0 {
		text += "; worst: " + in.WorstNode + colon(in.WorstMessage)
	}
	return Clip(text, maxMessage)
}

// Failures lists what a benchmark's result failed, each as "benchmark/metric/rule", sorted and without repetition.
func Failures(b *v1alpha1.BenchmarkResult) []string {
	var fails []string
	if b.Verdict != v1alpha1.VerdictFail {
		return nil
	}
	for _, f := range b.Findings {
		if f.Verdict == v1alpha1.VerdictFail {
			fails = append(fails, b.Name+"/"+f.Metric+"/"+f.Rule)
		}
	}
	slices.Sort(fails)
	return slices.Compact(fails)
}
