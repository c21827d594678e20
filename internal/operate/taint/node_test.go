package taint

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// at is a time some minutes after the start of a test's story.
func at(minutes int) metav1.Time {
	return metav1.NewTime(time.Date(2026, 1, 1, 0, minutes, 0, 0, time.UTC))
}

func TestVerdictLabel(t *testing.T) {
	for v, want := range map[v1alpha1.Verdict]string{v1alpha1.VerdictPass: "passed", v1alpha1.VerdictFail: "failed",
		v1alpha1.VerdictError: "", v1alpha1.VerdictMissing: "", v1alpha1.VerdictSkipped: "", v1alpha1.VerdictPending: ""} {
		if got := verdictLabel[v]; got != want {
			t.Errorf("%s: %q, want %q", v, got, want)
		}
	}
}

func TestCondition(t *testing.T) {
	condition := func(status corev1.ConditionStatus, reason, message string, beat, since int) corev1.NodeCondition {
		return corev1.NodeCondition{Type: "assay.dev/Validated", Status: status, Reason: reason, Message: message,
			LastHeartbeatTime: at(beat), LastTransitionTime: at(since)}
	}
	failed := condition(corev1.ConditionFalse, "BelowExpectation", "slow", 1, 1)
	tests := map[string]struct {
		verdict         v1alpha1.Verdict
		reason, message string
		previous        *corev1.NodeCondition
		want            corev1.NodeCondition
	}{
		"a pass is True":                           {v1alpha1.VerdictPass, "Passed", "fine", nil, condition(corev1.ConditionTrue, "Passed", "fine", 5, 5)},
		"a fail is False":                          {v1alpha1.VerdictFail, "WrongData", "wrong", nil, condition(corev1.ConditionFalse, "WrongData", "wrong", 5, 5)},
		"anything else is Unknown":                 {v1alpha1.VerdictError, "TimedOut", "killed", nil, condition(corev1.ConditionUnknown, "TimedOut", "killed", 5, 5)},
		"a reason is never empty":                  {v1alpha1.VerdictMissing, "", "", nil, condition(corev1.ConditionUnknown, "Missing", "", 5, 5)},
		"nothing changed, nothing is written":      {v1alpha1.VerdictFail, "BelowExpectation", "slow", &failed, failed},
		"another message is no transition":         {v1alpha1.VerdictFail, "BelowExpectation", "slower", &failed, condition(corev1.ConditionFalse, "BelowExpectation", "slower", 5, 1)},
		"another status is":                        {v1alpha1.VerdictPass, "Passed", "fine", &failed, condition(corev1.ConditionTrue, "Passed", "fine", 5, 5)},
		"a condition of another type is not taken": {v1alpha1.VerdictFail, "BelowExpectation", "slow", &corev1.NodeCondition{Type: "Ready", Status: corev1.ConditionFalse}, condition(corev1.ConditionFalse, "BelowExpectation", "slow", 5, 5)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{}
			if tt.previous != nil {
				node.Status.Conditions = []corev1.NodeCondition{*tt.previous}
			}
			got, _, _ := Shown(node, Word{tt.verdict, tt.reason, tt.message}, at(5).Time)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("condition (-want +got):\n%s", diff)
			}
		})
	}
	long, _, _ := Shown(&corev1.Node{}, Word{v1alpha1.VerdictFail, "BelowExpectation", strings.Repeat("ä", 2000)}, at(5).Time)
	if n := len(long.Message); n > 1024 || n < 1020 || !strings.HasSuffix(long.Message, "ä...") {
		t.Errorf("%d bytes, ends with %q", n, long.Message[n-6:])
	}
}
