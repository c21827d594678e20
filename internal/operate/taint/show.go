package taint

import (
	"cmp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/quantity"
)

// Recorded is the verdict that a record gives its node: Fail while something convicts it, or else that of its newest proof, if it passed. Inconclusive:
// neither; what a node failed without being convicted of it is not told.
func Recorded(v *v1alpha1.NodeValidation) v1alpha1.Verdict {
	switch {
	case len(v.Convictions) > 0:
		return v1alpha1.VerdictFail
	case v.Proof != nil && v.Proof.Verdict == v1alpha1.VerdictPass:
		return v1alpha1.VerdictPass
	}
	return v1alpha1.VerdictInconclusive
}

// Owed is what is to be said of a node that says the opposite of its record, or nothing: whoever wrote the record stopped before he said so, or
// somebody else has spoken since. ok is false where the node says what its record does, in whatever words, and while its taint does not follow the record:
// it was only announced, or is not lifted yet. A record of before there were proofs owes nothing if it passed.
func Owed(c Current) (w Word, ok bool) {
	v := c.Validation
	if v == nil || v.Fingerprint.NodeUID != c.Node.UID || v.Proof == nil && v.Verdict == v1alpha1.VerdictPass {
		return Word{}, false
	}
	if w.Verdict = Recorded(v); says(c.Node, w.Verdict) || !c.follows() {
		return Word{}, false
	}
	last := v.LastRun.UID == nodevalidation.Speaker(v) && v.Verdict == w.Verdict
	switch w.Verdict {
	case v1alpha1.VerdictFail:
		w.Reason, w.Message = reasonOf(nodevalidation.Newest(v.Convictions)), nodevalidation.Outstanding(v.Convictions, "nothing has refuted that")
		if last {
			w.Message = FailedInRun(v.LastRun.Name, v.Message)
		}
		w.Message = c.withDevices(w.Message, nil)
	case v1alpha1.VerdictPass:
		w.Reason, w.Message = v1alpha1.ReasonPassed, v.Message
		if !last {
			w.Message = "run " + v.Proof.Run.Name + " passed"
		}
	default:
		w.Reason = v1alpha1.ReasonInconclusive
		w.Message = "nothing convicts the node any more, and no run has passed it since. Run " + v.LastRun.Name + ": " + v.Message
	}
	return w, true
}

// Shown is the condition and label of a node that say a word; changed is false where it says so already: then the condition is as it was, too.
func Shown(node *corev1.Node, w Word, now time.Time) (c corev1.NodeCondition, label string, changed bool) {
	at, label := metav1.NewTime(now), verdictLabel[w.Verdict]
	c = corev1.NodeCondition{Type: v1alpha1.NodeConditionValidated, Status: status(w.Verdict), Reason: cmp.Or(w.Reason, string(w.Verdict)),
		Message: quantity.Clip(w.Message, message.Longest), LastHeartbeatTime: at, LastTransitionTime: at}
	previous := condition(node)
	if previous == nil || previous.Status != c.Status {
		return c, label, true
	}
	if previous.Reason == c.Reason && previous.Message == c.Message {
		return *previous, label, node.Labels[v1alpha1.LabelVerdict] != label
	}
	c.LastTransitionTime = previous.LastTransitionTime
	return c, label, true
}

// Said is what the node says of itself: the status of its condition, and its label, where that says something else, or nothing: somebody has stripped it. Empty: it has neither.
func Said(node *corev1.Node) string {
	said, label := corev1.ConditionStatus(""), node.Labels[v1alpha1.LabelVerdict]
	if c := condition(node); c != nil {
		said = c.Status
	}
	for _, v := range []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictFail} {
		if (label == verdictLabel[v]) != (said == status(v)) {
			return string(said) + "/" + label
		}
	}
	return string(said)
}

func condition(node *corev1.Node) *corev1.NodeCondition {
	return list.First(node.Status.Conditions, func(n *corev1.NodeCondition) bool { return n.Type == v1alpha1.NodeConditionValidated })
}

// verdictLabel is the value of the node's verdict label; any other verdict has no label.
var verdictLabel = map[v1alpha1.Verdict]string{v1alpha1.VerdictPass: "passed", v1alpha1.VerdictFail: "failed"}

func status(v v1alpha1.Verdict) corev1.ConditionStatus {
	switch v {
	case v1alpha1.VerdictPass:
		return corev1.ConditionTrue
	case v1alpha1.VerdictFail:
		return corev1.ConditionFalse
	}
	return corev1.ConditionUnknown
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

// Carried is all of a node that decides what follows for it: which machine it is, with which software, and what it says already. A kubelet
// writes much more, every few minutes.
type Carried struct {
	uid                     types.UID
	machine                 v1alpha1.Machine
	taints, mark, label     string
	status, reason, message string
}

// CarriedBy a node.
func CarriedBy(node *corev1.Node) Carried {
	c := Carried{uid: node.UID, machine: nodevalidation.MachineOf(node, "", ""), mark: MarkOn(node), label: node.Labels[v1alpha1.LabelVerdict],
		taints: strings.Join(list.Map(node.Spec.Taints, func(t corev1.Taint) string { return t.ToString() }), ",")}
	if said := condition(node); said != nil {
		c.status, c.reason, c.message = string(said.Status), said.Reason, said.Message
	}
	return c
}
