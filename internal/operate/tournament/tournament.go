// Package tournament judges nodes by what they measured together, and says which groups are to be measured next. Pairs are drawn in rounds until it
// is known which node or link is slow; larger groups are measured once, and halved where they are slow. It is pure: values in, values out. What becomes
// of a group that is due, of its MPIJob and of its result, is for others to say.
package tournament

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/past"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/judge/verdict"
)

// Input is all that nodes are judged by in one benchmark of groups.
type Input struct {
	Run       *v1alpha1.ValidationRun
	Benchmark *v1alpha1.Benchmark
	// Metrics of the benchmark, with what the run expects of them.
	Metrics []v1alpha1.Metric
	// Now by the API server's clock. Started is when the run started, or went on after it was suspended.
	Now, Started time.Time
	// Overdue: nothing is started any more, as Cut has passed. Missing: the cluster does not know MPIJobs. Interrupted: it did a moment ago, and may again.
	Overdue, Missing, Interrupted bool
	Cut                           summary.Cut
	// Nodes of the run, by name, and the Groups of the benchmark that were measured or have MPIJobs, by ID.
	Nodes  []*Node
	Groups []*Group
	// Fleets that the nodes were compared with by themselves: they tell by which facts a slow node differs.
	Fleets []*verdict.Judge
}

// Node is one node of the run, as far as groups are about it.
type Node struct {
	Name string
	// Object is nil where there is no node of this name any more. Recreated: it is another machine than was measured.
	Object    *corev1.Node
	Recreated bool
	// Fabric by which it reaches others; empty: it is gone, or the pod network is all.
	Fabric string
	// Class of DRA by which the benchmark claims its devices; empty: it claims none.
	Class string
	Peaks peak.Peaks
	// Ports as the run's inventory shows them; only of nodes that were measured with others.
	Ports peak.Ports
	// Past is what it reached before. LacksPast: rules are about that, and it has still to be read.
	Past      past.Past
	LacksPast bool
	// Gone says why it cannot be measured now, nor soon, and Out why it takes no part whatever becomes of it; nil: it can, and does.
	Gone, Out *verdict.Decision
	// Held: somebody else is on it, or an earlier measurement has still to go.
	Held bool
	// Waited says what it waited for when the run was over; empty: nothing that is known.
	Waited string
	// Stored is its row, once it has its verdict.
	Stored *v1alpha1.BenchmarkResult
}

// Group is some nodes, and what was measured of them together.
type Group struct {
	// ID is the name of its result.
	ID string
	Nodes
	Attempts []v1alpha1.Attempt
	// Verdict that its result has; Changed: it does not have all attempts yet.
	Verdict v1alpha1.Verdict
	Changed bool
	// Running: an MPIJob measures the next attempt, in Round.
	Running bool
	Round   int32
	// Fabric that its nodes share, as they are now.
	Fabric *v1alpha1.Fabric
}

// Outcome is what follows from an Input.
type Outcome struct {
	// Shown of each node, by its name.
	Shown map[string]Shown
	// Due are the groups to be measured now. Of several that are the same, the last one counts, as it does for Concluded.
	Due       []Due
	Concluded []Concluded
	// Findings about links and sets of nodes.
	Findings []v1alpha1.FabricFinding
	// Recheck is when the same input may come to something else; zero: never.
	Recheck time.Time
}

// Shown is what a benchmark of groups shows of one node: its verdict, and the attempt that its result keeps of all groups.
type Shown struct {
	verdict.Decision
	Attempts []v1alpha1.Attempt
}

// Due is a group to be measured, and why.
type Due struct {
	ID     string
	Nodes  []v1alpha1.ObjectReference
	Round  int32
	Reason string
}

// Concluded is what the result of a group is to say.
type Concluded struct {
	ID       string
	Decision verdict.Decision
}

// Judge every node by the groups that it was in, and draw the next ones.
func Judge(in Input) Outcome {
	f := newField(in)
	members := f.members()
	if size := in.Benchmark.Spec.Group.Size; size.Type == intstr.Int && size.IntVal == 2 {
		f.judgePairs(members)
	} else {
		f.judgeSets(members)
	}
	for _, n := range in.Nodes {
		f.Shown[n.Name] = Keep(n.Stored, f.Shown[n.Name])
	}
	return f.Outcome
}

// Keep a node's stored verdict as it is, whatever became of the node since: a taint may rest on it. Nil: there is none.
func Keep(stored *v1alpha1.BenchmarkResult, now Shown) Shown {
	if stored == nil {
		return now
	}
	kept := Shown{Decision: Told(stored), Attempts: stored.Attempts}
	if now.Verdict == stored.Verdict {
		kept.Terms = now.Terms
	} else {
		kept.Terms.Broken = term.BrokenBy(stored.Findings)
	}
	return kept
}

// Told is the decision that a stored row tells of: all of it but its terms and what was cleared.
func Told(b *v1alpha1.BenchmarkResult) verdict.Decision {
	return verdict.Decision{Verdict: b.Verdict, Reason: b.Reason, Message: b.Message, Headline: b.Headline, Curves: b.Curves, Findings: b.Findings}
}
