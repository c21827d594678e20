package taint

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
)

// enoughMeasured is how many nodes must be measured before a fail says more about a node than about the baseline.
const enoughMeasured = 4

// JudgedNode is one node of a run as the breaker sees it.
type JudgedNode struct {
	Name    string
	Verdict v1alpha1.Verdict
	// Failures of the node, each "benchmark/metric/rule".
	Failures []string
	// Parts that failed, each "benchmark/metric/rule/part".
	Parts []string
	// InstanceType of the node; empty where nobody says.
	InstanceType string
	// Tainted: the node carries Assay's taint now, from this run or an earlier one.
	Tainted bool
}

// BreakerInput is what the breaker looks at.
type BreakerInput struct {
	// Nodes of the run.
	Nodes int
	// Judged nodes, in any order. A node that is not judged yet but carries the taint belongs here, too, as Pending.
	Judged []JudgedNode
	// Limit of nodes that may carry the taint; NoTaint where the run taints nobody, so that only the second reason of Breaker remains.
	Limit int
	// Elsewhere is what other runs convicted lately.
	Elsewhere []Alike
}

// NoTaint is the limit of a run that taints nobody.
const NoTaint = -1

// Breaker says whether the run must stop calling nodes unfit, and why: more nodes would carry the taint than may, and that each has a fault of its own
// is not likely; or most of those measured fail alike, or what fails was failed alike in other runs. Where nothing failed nothing stops: an older taint alone says nothing about this run. It depends on the
// verdicts only, so it opens at the same point whether or not a taint was written.
func Breaker(in BreakerInput) (open bool, why string) {
	c := count(in)
	if in.Limit != NoTaint && c.failed > 0 && c.failed+c.carried > in.Limit && !c.eachItsOwn(in.Limit) {
		return true, tooManyFailed(c, in.Nodes, in.Limit)
	}
	if open, why := elsewhere(in); open {
		return true, why
	}
	name, n := commonest(c.failures)
	switch {
	case c.measured < enoughMeasured || 2*n <= c.measured:
		return false, ""
	case in.Limit == NoTaint:
		return true, fmt.Sprintf("%d of %d measured nodes failed alike (%s), so none of them is called unfit: the Benchmark's expectations, the "+
			"HardwareProfile or what was last updated (driver, image) is more likely at fault than %d nodes at once; correct it, then start another "+
			"ValidationRun",
			n, c.measured, name, n)
	}
	return true, fmt.Sprintf("%d of %d measured nodes failed alike (%s); %s", n, c.measured, name, suspect(name))
}

// Early says whether too few nodes are measured to tell a bad node from a wrong baseline.
func (in BreakerInput) Early() bool {
	c := count(in)
	return c.measured < c.needed(in.Nodes)
}

// MayTaint says whether one more node may be tainted now, and why not. carry is how many other nodes of the run carry Assay's taint,
// whichever run put it there: counted at that moment, for the nodes in the input are as old as the pass.
func MayTaint(in BreakerInput, carry int) (bool, string) {
	if open, why := Breaker(in); open {
		return false, why
	}
	c := count(in)
	if needed := c.needed(in.Nodes); c.measured < needed {
		return false, fmt.Sprintf("%d of %s measured; the first taint waits for %d, so that a wrong baseline taints nobody", c.measured,
			message.Several(in.Nodes, "node"), needed)
	}
	if in.Limit <= carry {
		return false, fmt.Sprintf("nodes of this run that carry the taint: %d, allowed: %d (maxTaintedNodes)", carry, max(0, in.Limit))
	}
	return true, ""
}

// counts of the judged nodes.
type counts struct {
	measured   int // pass or fail
	unmeasured int // error, missing, skipped, inconclusive: over without a verdict on the node
	failed     int
	carried    int // not measured, and keep a taint that no pass of this run will lift
	failures   map[string]int
	parts      map[string]int
}

// eachItsOwn: the nodes that failed are no more than twice as many as may be tainted, and most of them have no part in common. Then as many as may be
// are tainted, the worst first.
func (c counts) eachItsOwn(limit int) bool {
	_, alike := commonest(c.parts)
	return c.failed <= 2*limit && 2*alike <= c.failed
}

// needed is how many nodes must be measured before one is called unfit. Those that cannot be measured any more are not waited for.
func (c counts) needed(nodes int) int { return min(enoughMeasured, nodes-c.unmeasured) }

func count(in BreakerInput) counts {
	c := counts{failures: map[string]int{}, parts: map[string]int{}}
	for _, n := range in.Judged {
		switch n.Verdict {
		case v1alpha1.VerdictPass:
			c.measured++
		case v1alpha1.VerdictFail:
			c.measured++
			c.failed++
			countEach(c.failures, n.Failures)
			if countEach(c.parts, n.Parts); len(n.Parts) == 0 {
				c.parts[""]++ // nothing tells it from others
			}
		case v1alpha1.VerdictError, v1alpha1.VerdictMissing, v1alpha1.VerdictSkipped, v1alpha1.VerdictInconclusive:
			c.unmeasured++
			if n.Tainted {
				c.carried++
			}
		}
	}
	return c
}

// countEach counts what a node has, each once.
func countEach(count map[string]int, has []string) {
	for _, f := range slices.Compact(slices.Sorted(slices.Values(has))) {
		count[f]++
	}
}

// commonest of what nodes have; of equally common ones the first by name.
func commonest(count map[string]int) (name string, n int) {
	for f, k := range count {
		if k > n || k == n && f < name {
			name, n = f, k
		}
	}
	return name, n
}
