package taint

import "github.com/assay-dev/assay/api/v1alpha1"

// JudgedNode is one node of a run as the breaker sees it.
type JudgedNode struct {
	Name    string
	Verdict v1alpha1.Verdict
	// Failures of the node, each "benchmark/metric/rule".
	Failures []string
	// Tainted: the node carries Assay's taint now, from this run or an earlier one.
	Tainted bool
}

// BreakerInput is what the breaker looks at.
type BreakerInput struct {
	// Nodes of the run.
	Nodes int
	// Judged nodes, in any order. A node that is not judged yet but carries the taint belongs here, too, as Pending.
	Judged []JudgedNode
	// Limit of nodes that may carry the taint; negative where the run taints nothing.
	Limit int
}

// Breaker says whether the run must stop tainting and why.
func Breaker(in BreakerInput) (open bool, message string) { return false, "" }

// MayTaint says whether one more node may be tainted now, and why not. Call it again after each taint, with the node
// marked as Tainted.
func MayTaint(in BreakerInput) (bool, string) { return false, "" }
