package report

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// LeaveOutPassed leaves nodes that did not pass or are tainted, groups that did not pass, and everything about the run as a whole.
func (r *Report) LeaveOutPassed() {
	r.Nodes = slices.DeleteFunc(r.Nodes, func(n Node) bool { return n.Verdict == v1alpha1.VerdictPass && !n.Tainted })
	r.Groups = slices.DeleteFunc(r.Groups, func(g Group) bool { return g.Verdict == v1alpha1.VerdictPass })
}
