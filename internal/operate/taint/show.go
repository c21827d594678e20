package taint

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// Word is what a node's condition and label say.
type Word struct {
	Verdict         v1alpha1.Verdict
	Reason, Message string
}

// Word of the run. A failure names the run, as the event that does so is gone after an hour; a pass does not, or each renewal would write the node.
func (j Judgement) Word() Word {
	w := Word{j.Verdict, j.Reason, j.Message}
	if j.Verdict == v1alpha1.VerdictFail {
		w.Message = FailedInRun(j.Run.Name, j.Message)
	}
	return w
}

// Says is the word of the run about a node as it is now: of a failure, which devices are out of service, and that the others are not.
func (j Judgement) Says(c Current) Word {
	w := j.Word()
	if j.Verdict == v1alpha1.VerdictFail && c.Tainted() && ofDevices(c.Validation.Quarantine) {
		w.Message = message.Ending(w.Message, "; "+OutOfService(c.Validation.Quarantine.Devices, j.Result))
	}
	return w
}

// Changed is what is said of a node that still is unfit, of which other devices are out of service now, or the node as a whole, by the newest run that
// has nothing else to say of it.
func (j Judgement) Changed(c Current) Word {
	w := Word{Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonBelowExpectation}
	if said := condition(c.Node); said != nil && said.Reason != "" {
		w.Reason = said.Reason
	}
	is := "the node as a whole is out of service"
	if q := c.Validation.Quarantine; ofDevices(q) {
		is = OutOfService(q.Devices, j.Result)
	}
	w.Message = nodevalidation.Outstanding(c.Validation.Convictions, is)
	return w
}

// Counts: the run's word counts, as the newest proof of the node, or its conviction, is the run's. Where that stands although the run cannot tell any more
// that the node failed, it is left at what was said.
func (j Judgement) Counts(next *v1alpha1.NodeValidation) bool {
	return nodevalidation.Speaker(next) == j.Run.UID && (j.Verdict == v1alpha1.VerdictFail || len(next.Convictions) == 0)
}

// Freed is what is said of a node once its last conviction is refuted: condition and label still say what is refuted, and the run of the
// newest proof may be over and silent. Where this run failed the node, and a later measurement has superseded that, the
// newest proof speaks.
func (j Judgement) Freed(next *v1alpha1.NodeValidation) (w Word, ok bool) {
	p := next.Proof
	switch {
	case j.Verdict != v1alpha1.VerdictFail:
		return j.Word(), true
	case p == nil || p.Verdict != v1alpha1.VerdictPass:
		return Word{}, false
	case next.LastRun.UID == p.Run.UID:
		return Word{p.Verdict, v1alpha1.ReasonPassed, next.Message}, true
	}
	return Word{p.Verdict, v1alpha1.ReasonPassed, "run " + p.Run.Name + " passed"}, true
}

// Late is what is still to be said of a node that nothing convicts any more, and that this run failed: the taint was lifted, and the operator
// stopped before it said so.
func (j Judgement) Late(c Current) (w Word, ok bool) {
	if j.Verdict != v1alpha1.VerdictFail || j.BreakerOpen || c.Validation == nil || len(c.Validation.Convictions) > 0 ||
		c.Node.Labels[v1alpha1.LabelVerdict] != verdictLabel(v1alpha1.VerdictFail) {
		return Word{}, false
	}
	return j.Freed(c.Validation)
}

// Shown is the condition and label of a node that say a word; changed is false where it says so already.
func Shown(node *corev1.Node, w Word, now time.Time) (c corev1.NodeCondition, label string, changed bool) {
	previous := condition(node)
	c = newCondition(w.Verdict, w.Reason, w.Message, metav1.NewTime(now), previous)
	label = verdictLabel(w.Verdict)
	changed = previous == nil || previous.Status != c.Status || previous.Reason != c.Reason || previous.Message != c.Message ||
		node.Labels[v1alpha1.LabelVerdict] != label
	return c, label, changed
}

// Contradicts says whether a condition is the opposite of what a node says.
func Contradicts(node *corev1.Node, c corev1.NodeCondition) bool {
	said := condition(node)
	return said != nil && said.Status != c.Status
}

func condition(node *corev1.Node) *corev1.NodeCondition {
	return list.First(node.Status.Conditions, func(n *corev1.NodeCondition) bool { return n.Type == v1alpha1.NodeConditionValidated })
}

// Labelled gives a NodeValidation its node's name, and what tells by its metadata alone whether the node is convicted, and by which quarantine
// tainted.
func Labelled(v *v1alpha1.NodeValidation, node string) *v1alpha1.NodeValidation {
	v = v.DeepCopy()
	v.Name = node
	delete(v.Labels, v1alpha1.LabelQuarantined)
	delete(v.Labels, v1alpha1.LabelConvicted)
	delete(v.Annotations, v1alpha1.AnnotationQuarantine)
	delete(v.Annotations, v1alpha1.AnnotationConvictions)
	if v.Quarantine != nil {
		metav1.SetMetaDataLabel(&v.ObjectMeta, v1alpha1.LabelQuarantined, "true")
		metav1.SetMetaDataAnnotation(&v.ObjectMeta, v1alpha1.AnnotationQuarantine, MarkOf(v.Quarantine))
	}
	if text := convictedOf(v); text != "" {
		metav1.SetMetaDataAnnotation(&v.ObjectMeta, v1alpha1.AnnotationConvictions, text)
	}
	if v.Quarantine != nil || len(v.Convictions) > 0 {
		metav1.SetMetaDataLabel(&v.ObjectMeta, v1alpha1.LabelConvicted, "true")
	}
	return v
}
