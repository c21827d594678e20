package tracetest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// nodeWriter brings one judged node to the state that its verdict asks for.
type nodeWriter struct {
	*writer
	judgement taint.Judgement
	current   taint.Current
	note      string
}

func (w *writer) actOnNode(judged assess.JudgedNode) {
	v, h := w.validations[judged.Node.Name], w.histories[judged.Node.Name]
	n := &nodeWriter{writer: w, judgement: judged.Judge(v, h), current: taint.Current{Node: judged.Node, Validation: v, History: h}}
	n.judgement.Result = w.results[n.judgement.Result.Name]
	if n.judgement.Result == nil {
		w.t.Errorf("node %s is acted on, but its result is not stored", judged.Node.Name)
		return
	}
	switch next := n.judgement.Next(n.current); next.Action {
	case taint.Lift:
		n.lift()
	case taint.AddTaint:
		n.quarantine()
	default:
		if n.judgement.Convicts(n.current, next) {
			if why := n.noRoom(); why != "" {
				next = n.judgement.Spent(n.current, "not called unfit: "+why)
			}
		}
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
	n.current = taint.Current{Node: n.nodes[n.name()], Validation: n.validations[n.name()], History: n.histories[n.name()]}
}

func (n *nodeWriter) carryOut(next taint.Next) {
	n.note = next.Note
	n.record(next.Validation, next.History)
	if word, ok := n.judgement.Says(n.current); ok {
		n.show(word)
	}
}

func (n *nodeWriter) quarantine() {
	if !n.current.Tainted() && n.spent != "" {
		n.carryOut(n.judgement.Spent(n.current, n.spent))
		return
	}
	n.refresh()
	next := n.judgement.Quarantine(n.current, func(t corev1.Taint) bool { return n.policy.Refuses(t) == "" })
	if next.Action != taint.AddTaint {
		n.carryOut(next)
		return
	}
	if n.spent = n.overBudget(); n.spent != "" {
		n.note = n.spent
		n.record(n.judgement.Renounced(next.Validation, next.Standing), next.History)
		return
	}
	n.record(n.judgement.Announced(next, types.UID(strconv.Itoa(n.versions))), next.History)
	n.checkTaint(n.judgement)
	node, changed := taint.Bind(n.current.Node, n.current.Validation.Quarantine)
	if changed {
		n.say("taint", n.name(), "%s", taintText(*next.Taint))
	}
	n.put(node)
	n.carryOut(taint.Next{Validation: n.current.Validation, Note: n.note})
}

// elsewhere is what other runs convicted.
func (r *run) elsewhere() []taint.Alike {
	var records []metav1.ObjectMeta
	for _, v := range r.validations {
		records = append(records, v.ObjectMeta)
	}
	return taint.AlikeElsewhere(records, r.nodes, r.object.UID, r.now, func(benchmark, instanceType string, since time.Time) map[string]bool {
		passed := map[string]bool{}
		for name, v := range r.validations {
			if n := r.nodes[name]; n != nil && taint.InstanceType(n) == instanceType && taint.PassedSince(v, benchmark, since) {
				passed[name] = true
			}
		}
		return passed
	})
}

// overBudget says why no more nodes may be tainted.
func (n *nodeWriter) overBudget() string {
	ofRun := 0
	for name, node := range n.nodes {
		if v := n.validations[name]; name != n.name() && v != nil && taint.Carries(node, v.Quarantine) && n.out.Has(name) {
			ofRun++
		}
	}
	if may, why := taint.MayTaint(n.out.Breaker.Input, ofRun); !may {
		return "not tainted: " + why
	}
	if why := n.noRoom(); why != "" {
		return "not tainted: " + why
	}
	return ""
}

// noRoom says why the operator may call no more nodes unfit.
func (n *nodeWriter) noRoom() string {
	budget := taint.NewBudget(n.policy, slices.Collect(maps.Values(n.nodes)), func(name string) bool {
		v := n.validations[name]
		return v != nil && (taint.Carries(n.nodes[name], v.Quarantine) || v.Quarantine == nil && len(v.Convictions) > 0)
	})
	return budget.Refuses(n.current.Node, n.judgement.Resources())
}

func (n *nodeWriter) lift() {
	n.refresh()
	next := n.judgement.Lifted(n.current)
	if next.Action != taint.Lift {
		n.carryOut(next)
		return
	}
	if next.Taint != nil {
		node, _ := taint.Free(n.current.Node, taint.MarkOf(n.current.Validation.Quarantine))
		if len(node.Spec.Taints) < len(n.current.Node.Spec.Taints) {
			n.say("lift", n.name(), "%s: holds what %s had convicted it of", taintText(*next.Taint), nodevalidation.Benchmarks(next.Refuted))
		}
		n.put(node)
	}
	n.carryOut(next)
}

// record stores what is known of the node, the history first.
func (n *nodeWriter) record(next *v1alpha1.NodeValidation, h *v1alpha1.NodeHistory) {
	before := n.current.Validation
	next = n.recordHistory(next.DeepCopy(), h)
	if before != nil && equality.Semantic.DeepEqual(before, next) {
		return
	}
	n.checkProofs(next)
	next = stored(n.t, taint.Labelled(next, n.name()))
	n.versions++
	next.ResourceVersion = strconv.Itoa(n.versions)
	n.validations[n.name()], n.current.Validation = next, next
	text, f := recordText(next, n.current.History), fold{into: "verdict", begin: string(n.judgement.Result.Verdict) + "/"}
	byThis := fmt.Sprintf("%s by %s", n.judgement.Result.Verdict, n.object.Name)
	if p := next.Proof; p == nil && text == "last verdict "+byThis {
		f.word = "recorded"
	} else if p != nil && text == fmt.Sprintf("last verdict %s; proof %s at %s", byThis, byThis, p.MeasuredAt.Sub(epoch)) {
		f.word = fmt.Sprintf("proof at %s", p.MeasuredAt.Sub(epoch))
	}
	n.sayUsual(f, "record", n.name(), "%s", text)
}

// recordHistory stores what was measured on the node. A new one has another UID than that of an earlier machine.
func (n *nodeWriter) recordHistory(v *v1alpha1.NodeValidation, h *v1alpha1.NodeHistory) *v1alpha1.NodeValidation {
	if before := n.current.History; h != nil && !equality.Semantic.DeepEqual(before, h) && (before != nil || len(h.Benchmarks) > 0) {
		h = stored(n.t, h)
		if h.UID == "" {
			h.UID = types.UID("history-" + n.name())
		}
		h.Generation++
		n.histories[n.name()], n.current.History = h, h
	}
	if h = n.current.History; h != nil {
		v.NodeHistory.UID, v.NodeHistory.Generation = h.UID, h.Generation
	}
	return v
}

func recordText(v *v1alpha1.NodeValidation, h *v1alpha1.NodeHistory) string {
	text := "last verdict " + string(v.Verdict) + " by " + v.LastRun.Name
	if p := v.Proof; p != nil {
		text += fmt.Sprintf("; proof %s by %s at %s", p.Verdict, p.Run.Name, p.MeasuredAt.Sub(epoch))
	}
	if v.OffenceCount > 0 {
		text += fmt.Sprintf("; offences %d", v.OffenceCount)
	}
	for _, b := range v.Benchmarks {
		past := h.Benchmark(b.Name)
		if past == nil || len(b.History) == 0 {
			continue
		}
		for _, u := range past.Unconfirmed {
			if u.RunUID == b.History[len(b.History)-1].RunUID {
				text += fmt.Sprintf("; not confirmed by %s: %s", b.Name, u.Parts)
			}
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
func (n *nodeWriter) show(word taint.Word) {
	condition, label, changed := taint.Shown(n.current.Node, word, n.now)
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
	f := fold{into: "record"}
	if text == usualShow(n.judgement.Result) {
		f.word = "shown"
	}
	n.sayUsual(f, "show", n.name(), "%s", text)
}

// usualShow is what a node shows of a result.
func usualShow(r *v1alpha1.ValidationResult) string {
	switch r.Verdict {
	case v1alpha1.VerdictPass:
		return `label "passed", condition True/` + r.Reason
	case v1alpha1.VerdictFail:
		return `label "failed", condition False/` + r.Reason
	}
	return ""
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
