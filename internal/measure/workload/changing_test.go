package workload

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestChanging: what is under way excuses missing GPUs; what has ended, failed or not begun does not.
func TestChanging(t *testing.T) {
	for sentence, c := range map[string]struct {
		resource, label, value string
		want                   bool
	}{
		"no label":                        {},
		"pods of the driver are replaced": {label: labelUpgrade, value: "pod-restart-required", want: true},
		"the new driver is validated":     {label: labelUpgrade, value: "validation-required", want: true},
		"an upgrade is due some day":      {label: labelUpgrade, value: "upgrade-required"},
		"it is done":                      {label: labelUpgrade, value: "upgrade-done"},
		"it failed":                       {label: labelUpgrade, value: "upgrade-failed"},
		"the plugin waits for the driver": {label: labelPlugin, value: "paused-for-driver-upgrade", want: true},
		"the plugin waits for MIG":        {label: labelPlugin, value: "paused-for-mig-change", want: true},
		"the plugin runs":                 {label: labelPlugin, value: "true"},
		"MIG is about to be changed":      {label: labelMIGState, value: "pending", want: true},
		"the node reboots for MIG":        {label: labelMIGState, value: "rebooting", want: true},
		"MIG was changed":                 {label: labelMIGState, value: "success"},
		"MIG could not be changed":        {label: labelMIGState, value: "failed"},
		"devices of another manufacturer": {resource: "amd.com/gpu", label: labelUpgrade, value: "pod-restart-required"},
	} {
		t.Run(sentence, func(t *testing.T) {
			if c.resource == "" {
				c.resource = GPUResource
			}
			n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{c.label: c.value}}}
			want := ""
			if c.want {
				want = c.label
			}
			if got := Changing(c.resource, n); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
