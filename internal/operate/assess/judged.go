package assess

import (
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/verdict"
)

// Judged is what was collected, with what follows from it for each node and group.
type Judged struct {
	*Collected
	nodes  []*judgedNode
	groups map[string]*judgedGroup
	// fleets by task; nil of those that measure groups.
	fleets []*verdict.Judge
	// findings about links and sets of nodes.
	findings []v1alpha1.FabricFinding
	recheck  time.Time
}

// judgedNode is a node with its verdict.
type judgedNode struct {
	*collectedNode
	record
	// digests and decisions by task. remembered: the decisions are those of its memory.
	digests    []*fleet.Digest
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

// final: there is a verdict and nothing more to measure.
func (n *judgedNode) final() bool { return n.verdict != v1alpha1.VerdictPending }
