package assess

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// Judged is what was collected, with what follows from it for each node and group.
type Judged struct {
	*Collected
	nodes  []*judgedNode
	groups map[string]*judgedGroup
	// fleets by task; nil of those that measure groups.
	fleets []*verdict.Fleet
	// findings about links and sets of nodes.
	findings []v1alpha1.FabricFinding
	recheck  time.Time
}

// judgedNode is a node with its verdict.
type judgedNode struct {
	*collectedNode
	record
	// digests and decisions by task. remembered: the decisions are those of its memory.
	digests    []*verdict.Digest
	decisions  []verdict.Decision
	remembered bool
	// changes by task since the node passed before; nil: nothing is known.
	changes []*changed
	// grouped are the attempts of group benchmarks, made from those of the groups.
	grouped [][]v1alpha1.Attempt

	verdict         v1alpha1.Verdict
	reason, message string
	// postponed: the verdict is stored by a later pass.
	postponed bool
}

// judgedGroup is a group with what its result is to say.
type judgedGroup struct {
	*collectedGroup
	record
	// due: an attempt is, in this round of the tournament (0: none).
	due    bool
	round  int32
	reason string
}

// Planned is what was judged, with what is to be done about it.
type Planned struct {
	*Judged
	plan    plan.Plan
	breaker Breaker
	recheck time.Time
}

// Concluded is what was planned, with what the writes found out.
type Concluded struct {
	*Planned
	nodes   []*concludedNode
	plan    plan.Plan
	recheck time.Time
}

// concludedNode is a node as it is once the writes are done.
type concludedNode struct {
	*judgedNode
	verdict         v1alpha1.Verdict
	reason, message string
	// note is what was, or was not, done about the verdict, and what the node still owes; for its row.
	note string
	// carriesTaint: the node carries Assay's taint.
	carriesTaint bool
}
