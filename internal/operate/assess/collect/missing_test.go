package collect

import (
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestMissedDevices: only Assay itself says that devices are missing, and it makes no pod for that.
func TestMissedDevices(t *testing.T) {
	a := v1alpha1.Attempt{Verdict: v1alpha1.VerdictFail, Reason: v1alpha1.ReasonDevicesMissing}
	if MissedDevices([]v1alpha1.Attempt{a}) == nil {
		t.Error("an attempt without a pod is not taken for one that found devices missing")
	}
	if a.Pod = "rate-1"; MissedDevices([]v1alpha1.Attempt{a}) != nil {
		t.Error("what a pod says is taken for what the node offers")
	}
}
