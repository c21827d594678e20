package judge

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// Judged is what was collected, with what follows from it for each node and group.
type Judged struct {
	*collect.Collected
	Nodes  []*JudgedNode
	Groups map[string]*JudgedGroup
	// fleets by task; nil of those that measure groups.
	fleets []*verdict.Judge
	// Findings about links and sets of nodes.
	Findings []v1alpha1.FabricFinding
	Recheck  time.Time
}

// JudgedNode is a node with its verdict.
type JudgedNode struct {
	*collect.CollectedNode
	collect.Record
	// digests and decisions by task. remembered: the decisions are those of its memory.
	digests    []*fleet.Digest
	Decisions  []verdict.Decision
	Remembered bool
	// changes by task since the node passed before; nil: nothing is known.
	changes []*observe.Changed
	// Grouped are the attempts of group benchmarks, made from those of the groups.
	Grouped [][]v1alpha1.Attempt

	Verdict         v1alpha1.Verdict
	Reason, Message string
	// Postponed: the verdict is stored by a later pass.
	Postponed bool
}

// JudgedGroup is a group with what its result is to say.
type JudgedGroup struct {
	*collect.CollectedGroup
	collect.Record
	// Due: an attempt is, in this round of the tournament (0: none).
	Due    bool
	Round  int32
	Reason string
}

// Final: there is a verdict and nothing more to measure.
func (n *JudgedNode) Final() bool { return n.Verdict != v1alpha1.VerdictPending }

// Actionable: the node was measured and judged, and is still the one that was measured.
func (n *JudgedNode) Actionable() bool {
	return n.Final() && !n.Postponed && n.Node != nil && n.Result != nil && n.Node.DeletionTimestamp.IsZero() && n.Result.Node.UID == n.Node.UID &&
		n.Verdict != v1alpha1.VerdictSkipped
}
