package peak

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestDevicesOfTheMostSpecificProfile: where several profiles count a resource, the one with the most requirements counts, then the first by name.
func TestDevicesOfTheMostSpecificProfile(t *testing.T) {
	profile := func(name string, count int32, labels map[string]string) v1alpha1.HardwareProfile {
		p := v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: name}}
		p.Spec.Selector.MatchLabels = labels
		if count > 0 {
			p.Spec.Devices = []v1alpha1.DeviceCount{{Resource: "nvidia.com/gpu", Count: count}}
		}
		return p
	}
	node := map[string]string{"product": "H200", "type": "hgx", "rack": "7"}
	for sentence, c := range map[string]struct {
		profiles []v1alpha1.HardwareProfile
		want     int64
		by       string
	}{
		"none":                          {nil, 0, ""},
		"one that counts nothing":       {[]v1alpha1.HardwareProfile{profile("a", 0, map[string]string{"product": "H200"})}, 0, ""},
		"one for other nodes":           {[]v1alpha1.HardwareProfile{profile("a", 8, map[string]string{"product": "H100"})}, 0, ""},
		"the most specific":             {[]v1alpha1.HardwareProfile{profile("a", 8, map[string]string{"product": "H200"}), profile("b", 4, map[string]string{"product": "H200", "type": "hgx"})}, 4, "b"},
		"the first by name":             {[]v1alpha1.HardwareProfile{profile("b", 4, map[string]string{"type": "hgx"}), profile("a", 8, map[string]string{"product": "H200"})}, 8, "a"},
		"a less specific one, if alone": {[]v1alpha1.HardwareProfile{profile("a", 8, map[string]string{"product": "H200"}), profile("b", 0, map[string]string{"product": "H200", "type": "hgx"})}, 8, "a"},
	} {
		t.Run(sentence, func(t *testing.T) {
			profiles, err := ReadProfiles(c.profiles)
			if err != nil {
				t.Fatal(err)
			}
			peaks := profiles.Peaks(node)
			if got, by := peaks.Devices("nvidia.com/gpu"); got != c.want || by != c.by {
				t.Errorf("%d by %q, want %d by %q", got, by, c.want, c.by)
			}
			if got, by := peaks.Devices("rdma/hca"); got != 0 || by != "" {
				t.Errorf("of a resource that nobody counts: %d by %q", got, by)
			}
		})
	}
}
