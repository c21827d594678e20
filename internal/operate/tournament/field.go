package tournament

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

// field is the input, with what is looked up in it, and what has followed from it so far.
type field struct {
	Input
	Outcome
	nodes  map[string]*Node
	groups map[string]*Group
	// begun are the nodes that were measured with others, or are measured now.
	begun map[string]bool
	// away says why members cannot be measured any more; nil: they can.
	away map[string]*verdict.Decision
}

func newField(in Input) *field {
	f := &field{Input: in, nodes: make(map[string]*Node, len(in.Nodes)), groups: make(map[string]*Group, len(in.Groups)), begun: Begun(in.Groups),
		away: map[string]*verdict.Decision{}, Outcome: Outcome{Shown: make(map[string]Shown, len(in.Nodes))}}
	for _, n := range in.Nodes {
		f.nodes[n.Name] = n
	}
	for _, g := range in.Groups {
		f.groups[g.ID] = g
	}
	return f
}

// Begun are the nodes that some groups have measured, or measure now, by name.
func Begun(groups []*Group) map[string]bool {
	begun := map[string]bool{}
	for _, g := range groups {
		if len(g.Attempts) == 0 && !g.Running {
			continue
		}
		for _, ref := range g.Nodes {
			begun[ref.Name] = true
		}
	}
	return begun
}

// ID of a group: the same for the same run, benchmark and nodes, and never the name of a node's result.
func ID(run *v1alpha1.ValidationRun, benchmark string, nodes []v1alpha1.ObjectReference) string {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%s/%s", run.UID, benchmark)
	for _, n := range nodes {
		_, _ = fmt.Fprintf(sum, "/%s", n.UID)
	}
	name := run.Name + ".group." + benchmark
	return name[:min(len(name), 220)] + "." + hex.EncodeToString(sum.Sum(nil))[:16]
}

// group of some nodes; one that was never measured is made.
func (f *field) group(nodes []v1alpha1.ObjectReference) *Group {
	id := ID(f.Run, f.Benchmark.Name, nodes)
	if g := f.groups[id]; g != nil {
		return g
	}
	return &Group{ID: id, Nodes: nodes}
}

// groupOf some named nodes.
func (f *field) groupOf(names []string) *Group {
	return f.group(list.Map(slices.Sorted(slices.Values(names)), func(name string) v1alpha1.ObjectReference {
		ref := v1alpha1.ObjectReference{Name: name}
		if n := f.nodes[name]; n.Object != nil {
			ref.UID = n.Object.UID
		}
		return ref
	}))
}

// closed: no group is measured any more, and what was not measured stays so. A run that is suspended is not over.
func (f *field) closed() bool { return f.Overdue || f.Missing }

// paused: nothing is started just now, and everything stays open.
func (f *field) paused() bool { return f.Run.Spec.Suspend || f.Interrupted }

// start another attempt of a group, and say whether one will be made at all: where the run is paused, later.
func (f *field) start(g *Group, round int32, reason string) (made bool) {
	if len(g.Attempts) >= plan.MaxAttempts || f.closed() {
		return false
	}
	if !f.paused() {
		f.Due = append(f.Due, Due{ID: g.ID, Nodes: g.Nodes, Round: round, Reason: reason})
	}
	return true
}

// notMeasured is the decision about what was not measured with others when the run was over; waited says what for.
func (f *field) notMeasured(waited string) verdict.Decision {
	if f.Missing {
		return verdict.Decision{Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonMPIOperatorMissing,
			Message: fmt.Sprintf("benchmark %s needs the MPI Operator, but the cluster has no MPIJobs (mpijobs.kubeflow.org): install MPI "+
				"Operator v0.7.0 or later, then start another run", f.Benchmark.Name)}
	}
	return TooLate(f.Run, f.Cut, cmp.Or(waited, "its measurements with other nodes were incomplete"))
}

// TooLate is the decision about what was not measured when the run was cut off: first what it waited for, if that is known.
func TooLate(run *v1alpha1.ValidationRun, cut summary.Cut, waited string) verdict.Decision {
	return verdict.Decision{Verdict: v1alpha1.VerdictMissing, Reason: cut.Reason(),
		Message: quantity.Clip(notMeasuredInTime(cut, waited, *run.Spec.ActiveDeadlineSeconds), message.Longest)}
}

// WhyAgain says why another attempt follows these, where it is not to confirm them.
func WhyAgain(attempts []v1alpha1.Attempt) string {
	if n := len(attempts); n > 0 && attempt.Disturbed(&attempts[n-1]) {
		return AttemptCountsNot(int32(n), attempts[n-1].Reason)
	}
	return ""
}

// Nodes of a group.
type Nodes []v1alpha1.ObjectReference

// Names of the nodes.
func (n Nodes) Names() []string {
	return list.Map(n, func(o v1alpha1.ObjectReference) string { return o.Name })
}

// Others names the nodes but one, for that node's row.
func (n Nodes) Others(name string) string {
	return message.Nodes(slices.DeleteFunc(n.Names(), func(o string) bool { return o == name }))
}

func (n *Node) label(key string) string {
	if n.Object == nil {
		return ""
	}
	return n.Object.Labels[key]
}

// find something about some of the benchmark's nodes. Several slow pairs may tell of the same suspects.
func (f *field) find(kind, metric string, members []string, text string) {
	found := v1alpha1.FabricFinding{Kind: kind, Benchmark: f.Benchmark.Name, Metric: metric, Members: members, Message: text}
	if !slices.ContainsFunc(f.Findings, func(o v1alpha1.FabricFinding) bool { return equality.Semantic.DeepEqual(o, found) }) {
		f.Findings = append(f.Findings, found)
	}
}

func firstMetric(d verdict.Decision) string {
	if len(d.Findings) > 0 {
		return d.Findings[0].Metric
	}
	return ""
}
