package taint

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
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

// Says is what the node's condition and label are to say, once what the run found is on record: its word where the record goes by that, or what
// the record owes. What other runs failed is theirs to tell. ok is false where condition and label stay as they are.
func (j Judgement) Says(c Current) (w Word, ok bool) {
	if v := c.Validation; v == nil || j.Verdict != Recorded(v) || nodevalidation.Speaker(v) != j.Run.UID {
		w, ok = Owed(c)
		return w, ok && w.Verdict != v1alpha1.VerdictFail
	}
	w = j.Word()
	if j.Verdict == v1alpha1.VerdictFail {
		w.Message = c.withDevices(w.Message, j.Result)
	}
	return w, true
}

// withDevices says which devices are out of service, if not the whole node is.
func (c Current) withDevices(text string, r *v1alpha1.ValidationResult) string {
	if !c.Tainted() || !ofDevices(c.Validation.Quarantine) {
		return text
	}
	return message.Ending(text, "; "+OutOfService(c.Validation.Quarantine.Devices, r))
}

// follows: the node carries the taint that is on record, or none of ours where none is.
func (c Current) follows() bool {
	q := c.Validation.Quarantine
	return (q == nil || c.Tainted()) && !(Marked(c.Node) && IsStray(c.Node, q))
}

// says: the node says this verdict. Where there is none to tell, it only must not say that it failed.
func says(node *corev1.Node, v v1alpha1.Verdict) bool {
	said := Said(node)
	if v == v1alpha1.VerdictInconclusive {
		return !strings.HasPrefix(said, string(corev1.ConditionFalse)) && !strings.HasSuffix(said, verdictLabel[v1alpha1.VerdictFail])
	}
	return said == string(status(v))
}

func reasonOf(c v1alpha1.Conviction) string {
	if c.Rule == term.DataCheck {
		return v1alpha1.ReasonOfCheck(c.Metric)
	}
	return v1alpha1.ReasonBelowExpectation
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
