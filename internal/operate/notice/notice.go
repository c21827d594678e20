// Package notice is what the operator tells a webhook: that a run has ended, that a node was tainted, and that its taint was lifted. It is pure.
// Causes are for whoever reads a notice; nothing is decided by them.
package notice

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// schema of a Notice. Fields may be added without another one.
const schema = "assay.dev/notice/v1"

// What happened.
const (
	RunFinished  = "RunFinished"
	TaintAdded   = v1alpha1.ReasonTaintAdded
	TaintRemoved = v1alpha1.ReasonTaintRemoved
)

// Many notices may wait for a receiver, so each is small.
const (
	mostNodes   = 20
	mostFaults  = 8
	longestText = 1000
	longestNode = 300
)

// Notice is one thing that happened.
type Notice struct {
	Schema string `json:"schema"`
	// ID is the same each time the same thing is told.
	ID    string    `json:"id"`
	Event string    `json:"event"`
	Time  time.Time `json:"time"`
	// Cluster as the operator's options name it.
	Cluster string `json:"cluster,omitempty"`
	// Text says it in one line.
	Text string `json:"text"`
	// Run that it is about, or that brought it about.
	Run *Run `json:"run,omitempty"`
	// Node that was tainted, or whose taint was lifted.
	Node *Node `json:"node,omitempty"`
}

// Run is a ValidationRun. Of one that did no more than taint a node only the name is known.
type Run struct {
	Name    string               `json:"name"`
	UID     types.UID            `json:"uid"`
	Policy  string               `json:"policy,omitempty"`
	Verdict v1alpha1.Verdict     `json:"verdict,omitempty"`
	Reason  string               `json:"reason,omitempty"`
	Message string               `json:"message,omitempty"`
	Summary *v1alpha1.RunSummary `json:"summary,omitempty"`
	// Nodes that did not pass, worst first, at most 20: Summary counts all.
	Nodes []Row `json:"nodes,omitempty"`
}

// Row is how a node ended.
type Row struct {
	Name    string           `json:"name"`
	Verdict v1alpha1.Verdict `json:"verdict"`
	Reason  string           `json:"reason,omitempty"`
	Message string           `json:"message,omitempty"`
	Tainted bool             `json:"tainted,omitempty"`
}

// Node with its taint, key=value:effect.
type Node struct {
	Name  string    `json:"name"`
	UID   types.UID `json:"uid"`
	Taint string    `json:"taint"`
	// Devices that have, or had, the taint in place of the node, by UUID. Absent: it is the node's.
	Devices []string `json:"devices,omitempty"`
	Message string   `json:"message,omitempty"`
	// Faults of a node that was tainted, as the report has them.
	Faults []cause.Told `json:"faults,omitempty"`
}

// OfRun that ended with this status.
func OfRun(run *v1alpha1.ValidationRun, status *v1alpha1.ValidationRunStatus) Notice {
	r := Run{Name: run.Name, UID: run.UID, Policy: run.Labels[v1alpha1.LabelPolicy], Verdict: status.Verdict, Summary: status.Summary}
	n := Notice{Schema: schema, ID: RunFinished + "/" + string(run.UID), Event: RunFinished}
	if c := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionFinished); c != nil {
		r.Reason, r.Message, n.Time = c.Reason, c.Message, c.LastTransitionTime.UTC()
	}
	for i := range status.Nodes {
		if s := &status.Nodes[i]; s.Verdict != v1alpha1.VerdictPass && len(r.Nodes) < mostNodes {
			r.Nodes = append(r.Nodes, Row{s.Name, s.Verdict, s.Reason, quantity.Clip(s.Message, longestNode), s.Tainted})
		}
	}
	n.Run, n.Text = &r, line(fmt.Sprintf("Run %s: %s: %s", r.Name, r.Verdict, r.Message))
	return n
}

// OfTaint that a quarantine put on a node; r is the node's result in the run that did, nil where it is not known.
func OfTaint(node v1alpha1.ObjectReference, q *v1alpha1.Quarantine, r *v1alpha1.ValidationResult) Notice {
	about := Node{Name: node.Name, UID: node.UID, Taint: (&corev1.Taint{Key: q.Key, Value: q.Value, Effect: q.Effect}).ToString(), Devices: q.Devices}
	said, why := fmt.Sprintf("Node %s was tainted with %s by run %s", node.Name, about.Taint, q.Run.Name), ""
	others := ""
	if o := cause.OutOfServiceOn(&v1alpha1.NodeValidation{Quarantine: q}, r); o != nil {
		said, others = fmt.Sprintf("Node %s: %s", node.Name, o.Says()), ". The node's other devices may be used"
	}
	if r != nil {
		about.Message = r.Message
		about.Faults = faultsOf(r)
		why = r.Message
	}
	says := list.Map(about.Faults, func(f cause.Told) string { return f.Message + ". " + f.Action })
	if len(says) > 0 {
		why = strings.Join(says, "; ")
	}
	return Notice{Schema: schema, ID: TaintAdded + "/" + string(q.ID), Event: TaintAdded, Time: q.Since.UTC(), Run: &Run{Name: q.Run.Name, UID: q.Run.UID}, Node: &about,
		Text: line(message.Because(said, why) + others)}
}

// OfLift of the taint of a quarantine, of which its id, taint and devices are known, and why; run is nil where none brought it about.
func OfLift(node v1alpha1.ObjectReference, q *v1alpha1.Quarantine, run *Run, why string) Notice {
	t := corev1.Taint{Key: q.Key, Value: q.Value, Effect: q.Effect}
	return Notice{Schema: schema, ID: TaintRemoved + "/" + string(q.ID), Event: TaintRemoved, Run: run,
		Node: &Node{Name: node.Name, UID: node.UID, Taint: t.ToString(), Devices: q.Devices, Message: why}, Text: line(fmt.Sprintf("Node %s: %s", node.Name, why))}
}

func faultsOf(r *v1alpha1.ValidationResult) []cause.Told {
	faults := cause.Of(r)
	return list.Map(faults[:min(len(faults), mostFaults)], func(f cause.Fault) cause.Told { return f.Told(r.Node.Name) })
}

// line of text without anything that a terminal or a log obeys.
func line(text string) string {
	return quantity.Clip(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text), longestText)
}
