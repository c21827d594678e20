package tracetest

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/assess"
	"github.com/assay-dev/assay/internal/nodestate"
	"github.com/assay-dev/assay/internal/taint"
)

// nodeWriter brings one judged node to the state that its verdict asks for.
type nodeWriter struct {
	*writer
	judgement nodestate.Judgement
	current   nodestate.Current
	note      string
}

func (w *writer) actOnNode(judged assess.JudgedNode) {
	n := &nodeWriter{writer: w, judgement: judged.Judge(w.validations[judged.Node.Name]), current: nodestate.Current{Node: judged.Node, Validation: w.validations[judged.Node.Name]}}
	n.judgement.Result = w.results[n.judgement.Result.Name]
	if n.judgement.Result == nil {
		w.t.Errorf("node %s is acted on, but its result is not stored", judged.Node.Name)
		return
	}
	switch next := n.judgement.Next(n.current); next.Action {
	case nodestate.Lift:
		n.lift()
	case nodestate.AddTaint:
		n.quarantine()
	default:
		n.carryOut(next)
	}
	n.note = n.judgement.Noted(n.note, n.current.Validation)
	tainted := n.current.Tainted()
	found := w.written.Nodes[n.name()]
	found.Note, found.Tainted = n.note, &tainted
	w.written.Nodes[n.name()] = found
}

func (n *nodeWriter) name() string { return n.current.Node.Name }

// refresh reads node and record anew: another run may have written them in the meantime.
func (n *nodeWriter) refresh() {
	n.current = nodestate.Current{Node: n.nodes[n.name()], Validation: n.validations[n.name()]}
}

func (n *nodeWriter) carryOut(next nodestate.Next) {
	n.note = next.Note
	n.record(next.Validation)
	if next.Action != nodestate.Record && n.judgement.Counts(next.Validation) {
		n.show(n.judgement.Word())
	}
}

func (n *nodeWriter) quarantine() {
	if !n.current.Tainted() && n.spent != "" {
		n.carryOut(n.judgement.Spent(n.current, n.spent))
		return
	}
	n.refresh()
	next := n.judgement.Quarantine(n.current, func(t corev1.Taint) bool { return n.policy.Refuses(t) == "" })
	if next.Action != nodestate.AddTaint {
		n.carryOut(next)
		return
	}
	if n.spent = n.overBudget(); n.spent != "" {
		n.note = n.spent
		n.record(n.judgement.Renounced(next.Validation, next.Standing))
		return
	}
	n.record(n.judgement.Announced(next))
	n.checkTaint(n.judgement)
	node := n.current.Node.DeepCopy()
	if taint.StateOf(node.Spec.Taints, *next.Taint, n.current.Validation.Quarantine) == taint.Absent {
		node.Spec.Taints = taint.With(node.Spec.Taints, *next.Taint)
		n.say("taint", n.name(), "%s", taintText(*next.Taint))
	}
	n.put(node)
	n.carryOut(nodestate.Next{Action: nodestate.Show, Validation: n.current.Validation, Note: n.note})
}

// overBudget says why no more nodes may be tainted.
func (n *nodeWriter) overBudget() string {
	all, ofRun := 0, 0
	for name, v := range n.validations {
		node := n.nodes[name]
		if name == n.name() || node == nil || v.Quarantine == nil || !taint.Carries(node.Spec.Taints, v.Quarantine) {
			continue
		}
		all++
		if n.out.Has(name) {
			ofRun++
		}
	}
	may, why := taint.MayTaint(n.out.Breaker.Input, ofRun)
	switch {
	case !may:
		return "not tainted: " + why
	case all >= n.policy.Cap(len(n.nodes)):
		return fmt.Sprintf("not tainted: the operator may quarantine %d of %d nodes", n.policy.Cap(len(n.nodes)), len(n.nodes))
	}
	return ""
}

func (n *nodeWriter) lift() {
	n.refresh()
	next := n.judgement.Lifted(n.current)
	if next.Action != nodestate.Lift {
		n.carryOut(next)
		return
	}
	if next.Taint != nil {
		node := n.current.Node.DeepCopy()
		before := len(node.Spec.Taints)
		if node.Spec.Taints = taint.Without(node.Spec.Taints, *next.Taint); len(node.Spec.Taints) < before {
			n.say("lift", n.name(), "%s: holds what %s had convicted it of", taintText(*next.Taint), taint.Benchmarks(next.Refuted))
		}
		n.put(node)
	}
	if next.Silent && n.judgement.Verdict == v1alpha1.VerdictFail {
		n.record(next.Validation)
		return
	}
	if word, ok := n.judgement.Freed(next.Validation); ok {
		n.show(word)
	}
	n.carryOut(next)
}

// record stores what is known of the node.
func (n *nodeWriter) record(next *v1alpha1.NodeValidation) {
	before := n.current.Validation
	if before != nil && equality.Semantic.DeepEqual(before, next) {
		return
	}
	n.checkProofs(next)
	next = stored(n.t, nodestate.Labelled(next, n.name()))
	n.versions++
	next.ResourceVersion = strconv.Itoa(n.versions)
	n.validations[n.name()], n.current.Validation = next, next
	n.say("record", n.name(), "%s", recordText(next))
}

func recordText(v *v1alpha1.NodeValidation) string {
	text := "last verdict " + string(v.Verdict) + " by " + v.LastRun.Name
	if p := v.Proof; p != nil {
		text += fmt.Sprintf("; proof %s by %s at %s", p.Verdict, p.Run.Name, p.MeasuredAt.Sub(epoch))
	}
	if v.OffenceCount > 0 {
		text += fmt.Sprintf("; offences %d", v.OffenceCount)
	}
	for _, b := range v.Benchmarks {
		if n := len(b.History); n > 0 && len(b.History[n-1].Unconfirmed) > 0 {
			text += fmt.Sprintf("; not confirmed by %s: %s", b.Name, b.History[n-1].Unconfirmed)
		}
	}
	for _, c := range v.Convictions {
		text += fmt.Sprintf("; convicted by %s of %s/%s/%s", c.Run.Name, c.Benchmark, c.Metric, c.Rule)
		if c.Value != "" {
			text += fmt.Sprintf(" (%s, bound %s)", c.Value, c.Bound)
		}
	}
	for _, b := range v.Benchmarks {
		for _, w := range b.Warnings {
			text += fmt.Sprintf("; warned of %s/%s/%s at %s", b.Name, w.Metric, w.Rule, w.At)
		}
	}
	if q := v.Quarantine; q != nil {
		text += "; quarantined by " + q.Run.Name
	}
	return text
}

// show sets the node's condition and label.
func (n *nodeWriter) show(word nodestate.Word) {
	condition, label, changed := nodestate.Shown(n.current.Node, word, n.now)
	if !changed {
		return
	}
	node := n.current.Node.DeepCopy()
	setCondition(node, condition)
	node.Labels[v1alpha1.LabelVerdict] = label
	if label == "" {
		delete(node.Labels, v1alpha1.LabelVerdict)
	}
	n.put(node)
	text := fmt.Sprintf("label %q, condition %s/%s", label, condition.Status, condition.Reason)
	if condition.Message != n.judgement.Word().Message {
		text += ": " + condition.Message
	}
	n.say("show", n.name(), "%s", text)
}

func (n *nodeWriter) put(node *corev1.Node) {
	n.nodes[node.Name], n.current.Node = node, node
}

func setCondition(node *corev1.Node, c corev1.NodeCondition) {
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == c.Type {
			node.Status.Conditions[i] = c
			return
		}
	}
	node.Status.Conditions = append(node.Status.Conditions, c)
}

func taintText(t corev1.Taint) string {
	return strings.TrimSuffix(t.Key+"="+t.Value, "=") + ":" + string(t.Effect)
}
