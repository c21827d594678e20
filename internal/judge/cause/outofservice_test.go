package cause_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
)

// TestOutOfService: which devices are, of how many, since when, by which run and why, as far as that is known.
func TestOutOfService(t *testing.T) {
	triad := v1alpha1.RuleNumbers{Value: "3610", Typical: "4370", Bound: "4326", Unit: "GB/s"}
	slow := func(at string, devices ...string) v1alpha1.Conviction {
		return v1alpha1.Conviction{Benchmark: "gpustream", Metric: "hbmTriad", Rule: "FleetDeviation", At: at, RuleNumbers: triad, Devices: devices}
	}
	wrong := v1alpha1.Conviction{Benchmark: "gemm", Metric: "checksum", Rule: "DataCheck", At: "gpu0", Devices: []string{"GPU-a"}}
	eight := []string{"GPU-a", "GPU-b", "GPU-c", "GPU-d"}
	seen := failed(v1alpha1.Attempt{Devices: []v1alpha1.Device{{Index: 1, UUID: "GPU-b"}, {Index: 5, UUID: "GPU-d"}}})
	const since = " out of service since 2026-03-01T12:10:00Z by run rack-9: "
	for name, c := range map[string]struct {
		convicted []v1alpha1.Conviction
		measured  []string
		result    *v1alpha1.ValidationResult
		out       []string
		want      string
		short     string
	}{
		"one": {[]v1alpha1.Conviction{slow("gpu3", "GPU-d")}, eight, nil, []string{"GPU-d"},
			"1 of 4 GPUs" + since + "gpu3 (GPU-d), because of gpustream hbmTriad: 3.61 TB/s, typical 4.37 TB/s, bound 4.326 TB/s", "1 of 4 GPUs: gpu3"},
		"the newest result calls it otherwise": {[]v1alpha1.Conviction{slow("gpu3", "GPU-d")}, nil, seen, []string{"GPU-d"},
			"1 of 2 GPUs" + since + "gpu5 (GPU-d), because of gpustream hbmTriad: 3.61 TB/s, typical 4.37 TB/s, bound 4.326 TB/s", "1 of 2 GPUs: gpu5"},
		"two by one rule, and the numbers are of one": {[]v1alpha1.Conviction{slow("gpu1", "GPU-b", "GPU-d")}, eight, seen, []string{"GPU-b", "GPU-d"},
			"2 of 4 GPUs" + since + "gpu1 (GPU-b), because of gpustream hbmTriad: 3.61 TB/s, typical 4.37 TB/s, bound 4.326 TB/s; " +
				"gpu5 (GPU-d), because of gpustream hbmTriad, as of gpu1: 3.61 TB/s, typical 4.37 TB/s, bound 4.326 TB/s", "2 of 4 GPUs: gpu1, gpu5"},
		"without a number":     {[]v1alpha1.Conviction{wrong}, eight, nil, []string{"GPU-a"}, "1 of 4 GPUs" + since + "gpu0 (GPU-a), because of gemm checksum: wrong data", "1 of 4 GPUs: gpu0"},
		"nothing tells why":    {nil, eight, nil, []string{"GPU-a"}, "1 of 4 GPUs" + since + "GPU-a", "1 of 4 GPUs: GPU-a"},
		"it has left the node": {nil, eight, nil, []string{"GPU-z"}, "1 GPU" + since + "GPU-z", "1 GPU: GPU-z"},
		"the node as a whole":  {[]v1alpha1.Conviction{slow("gpu3", "GPU-d")}, eight, nil, nil, "", ""},
	} {
		q := &v1alpha1.Quarantine{Run: v1alpha1.ObjectReference{Name: "rack-9"}, Since: metav1.NewTime(time.Date(2026, 3, 1, 12, 10, 0, 0, time.UTC)), Devices: c.out}
		is := cause.OutOfServiceOn(&v1alpha1.NodeValidation{Quarantine: q, Convictions: c.convicted, Fingerprint: v1alpha1.Fingerprint{DeviceUUIDs: c.measured}}, c.result)
		switch {
		case is == nil:
			if c.want != "" {
				t.Errorf("%s: nothing is said, want %s", name, c.want)
			}
		case is.Says() != c.want || is.Short() != c.short:
			t.Errorf("%s: got\n%s\n%s\nwant\n%s\n%s", name, is.Says(), is.Short(), c.want, c.short)
		}
	}
	if is := cause.OutOfServiceOn(&v1alpha1.NodeValidation{}, nil); is != nil || len(is.UUIDs()) > 0 || cause.OutOfServiceOn(nil, nil) != nil {
		t.Errorf("of a node that is not tainted: %+v", is)
	}
}
