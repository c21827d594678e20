package controllers_test

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// profile creates a HardwareProfile for nodes with a label of the lab. It goes with the test.
func (l *lab) profile(suffix, label, value string, peaks ...v1alpha1.Peak) {
	l.t.Helper()
	p := &v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: l.name + suffix}}
	p.Spec.Selector.MatchLabels = map[string]string{label: value}
	p.Spec.Peaks = peaks
	l.create(p)
	l.t.Cleanup(func() { _ = api.Delete(background, p) })
}

// TestProfiles: all profiles that match a node hold together, and one that cannot be read does not keep runs from starting. It
// is not parallel: profiles are for all runs.
func TestProfiles(t *testing.T) {
	l := newLab(t, 1)
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(t.Context(), keyOf(l.name), b))
	b.Spec.Metrics[0].Peak, b.Spec.Metrics[0].Expectation = "gpuRate", &v1alpha1.Expectation{MinFractionOfPeak: "0.9"}
	l.must(api.Update(t.Context(), b))
	l.profile("-cpu", "kubernetes.io/hostname", l.node("a"), v1alpha1.Peak{Name: "cpuRate", Value: "1", Unit: "GB/s", Source: "the test"})
	l.profile("-gpu", "lab", l.name, v1alpha1.Peak{Name: "gpuRate", Value: "200", Unit: "GB/s", Source: "the test"})
	l.profile("-broken", "cpu", "AMD EPYC 9654", v1alpha1.Peak{Name: "gpuRate", Value: "100", Unit: "GB/s", Source: "the test"})
	l.run()
	run := l.finish()
	same(t, "the conditions", failed, state(run))
	same(t, "the percent of the peak of the second profile", "50", string(run.Status.Nodes[0].Metrics[0].PercentOfPeak))

	told := slices.DeleteFunc(slices.Clone(l.events.told), func(e string) bool { return !strings.HasPrefix(e, v1alpha1.ReasonProfileUnreadable) })
	if len(told) != 1 || !strings.Contains(told[0], "HardwareProfile "+l.name+"-broken is left out") {
		t.Errorf("told of the profile that cannot be read: %q", told)
	}
}
