package taint

import (
	"fmt"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// maxConditionMessage keeps a node's condition short: every watcher of nodes receives it.
const maxConditionMessage = 1024

// VerdictLabel is the value of the node's verdict label: passed or failed; empty (no label) for anything else.
func VerdictLabel(v v1alpha1.Verdict) string {
	switch v {
	case v1alpha1.VerdictPass:
		return "passed"
	case v1alpha1.VerdictFail:
		return "failed"
	default:
		return ""
	}
}

// Condition is the node's assay.dev/Validated condition. previous is the one the node has, nil for none: where nothing
// changed it is returned as it is, so that a settled node is not written again.
func Condition(v v1alpha1.Verdict, reason, message string, now metav1.Time, previous *corev1.NodeCondition) corev1.NodeCondition {
	next := corev1.NodeCondition{
		Type: v1alpha1.NodeConditionValidated, Status: status(v), Reason: reason,
		Message: clip(message, maxConditionMessage), LastHeartbeatTime: now, LastTransitionTime: now,
	}
	if next.Reason == "" {
		next.Reason = string(v)
	}
	if previous == nil || previous.Type != next.Type || previous.Status != next.Status {
		return next
	}
	if previous.Reason == next.Reason && previous.Message == next.Message {
		return *previous
	}
	next.LastTransitionTime = previous.LastTransitionTime
	return next
}

func status(v v1alpha1.Verdict) corev1.ConditionStatus {
	switch v {
	case v1alpha1.VerdictPass:
		return corev1.ConditionTrue
	case v1alpha1.VerdictFail:
		return corev1.ConditionFalse
	default:
		return corev1.ConditionUnknown
	}
}

// Recovered says whether a quarantine is lifted by a later run, by the benchmarks that passed in it; and why, or what
// is still owed. Each benchmark that failed must pass in that one run. A quarantine that names none is never lifted:
// then nothing would prove the node fit.
func Recovered(q *v1alpha1.Quarantine, passed map[string]bool) (bool, string) {
	if q == nil {
		return false, ""
	}
	if len(q.Benchmarks) == 0 {
		return false, "the quarantine names no benchmark that could lift it: remove the taint and the NodeValidation by hand"
	}
	var owed []string
	for _, b := range q.Benchmarks {
		if !passed[b] {
			owed = append(owed, b)
		}
	}
	if len(owed) > 0 {
		return false, fmt.Sprintf("stays tainted: a run must still pass %s, which failed in run %s", strings.Join(owed, ", "), q.Run.Name)
	}
	return true, fmt.Sprintf("passed %s, which failed in run %s", strings.Join(q.Benchmarks, ", "), q.Run.Name)
}

// clip cuts a text to at most limit bytes, at a character's boundary, and shows that it did.
func clip(text string, limit int) string {
	const mark = "..."
	if len(text) <= limit {
		return text
	}
	cut := limit - len(mark)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + mark
}
