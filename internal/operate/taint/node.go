package taint

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/quantity"
)

// maxConditionMessage keeps a node's condition short: every watcher of nodes receives it.
const maxConditionMessage = 1024

// verdictLabel is the value of the node's verdict label: passed or failed; empty (no label) for anything else.
func verdictLabel(v v1alpha1.Verdict) string {
	switch v {
	case v1alpha1.VerdictPass:
		return "passed"
	case v1alpha1.VerdictFail:
		return "failed"
	default:
		return ""
	}
}

// newCondition is the node's assay.dev/Validated condition. previous is the one the node has, nil for none: where nothing
// changed it is returned as it is, so that a settled node is not written again.
func newCondition(v v1alpha1.Verdict, reason, text string, now metav1.Time, previous *corev1.NodeCondition) corev1.NodeCondition {
	next := corev1.NodeCondition{
		Type: v1alpha1.NodeConditionValidated, Status: status(v), Reason: reason,
		Message: quantity.Clip(text, maxConditionMessage), LastHeartbeatTime: now, LastTransitionTime: now,
	}
	next.Reason = cmp.Or(next.Reason, string(v))
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
