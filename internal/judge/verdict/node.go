package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// bySeverity are the verdicts, the worst last. What was skipped ranks below a pass, so that it never hides one.
var bySeverity = []v1alpha1.Verdict{v1alpha1.VerdictPending, v1alpha1.VerdictSkipped, v1alpha1.VerdictPass, v1alpha1.VerdictInconclusive,
	v1alpha1.VerdictMissing, v1alpha1.VerdictError, v1alpha1.VerdictFail}

// Severity orders verdicts: the greater, the worse. One of findings only is like none.
func Severity(v v1alpha1.Verdict) int { return max(0, slices.Index(bySeverity, v)) }

// Worst is the worst of some verdicts; Pending where there is none.
func Worst(verdicts ...v1alpha1.Verdict) v1alpha1.Verdict {
	verdicts = append([]v1alpha1.Verdict{v1alpha1.VerdictPending}, verdicts...)
	return slices.MaxFunc(verdicts, func(a, b v1alpha1.Verdict) int { return Severity(a) - Severity(b) })
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
		return v1alpha1.VerdictPending, "", "no benchmark has been measured yet"
	case len(open) > 0:
		return v1alpha1.VerdictPending, v1alpha1.ReasonRunning, quantity.Clip("not judged yet: "+strings.Join(open, ", "), message.Longest)
	case worst.Verdict == v1alpha1.VerdictPass && len(skipped) > 0:
		return worst.Verdict, v1alpha1.ReasonPassed, quantity.Clip(fmt.Sprintf("%d of %d benchmarks passed; skipped: %s", alike, len(benchmarks),
			strings.Join(skipped, ", ")), message.Longest)
	case worst.Verdict == v1alpha1.VerdictPass && alike > 1:
		return worst.Verdict, v1alpha1.ReasonPassed, fmt.Sprintf("all %d benchmarks passed", alike)
	}
	return worst.Verdict, worst.Reason, worstBenchmark(worst.Name, worst.Message, worst.Verdict, alike, len(benchmarks))
}
