package observe

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// TestWhatABenchmarkNeeds: what a node lacks for it, in the order in which it is looked for.
func TestWhatABenchmarkNeeds(t *testing.T) {
	eight := v1alpha1.Needs{DeviceResource: workload.GPUResource}
	of := func(f *v1alpha1.Fabric) func(*ObservedNode) {
		return func(n *ObservedNode) {
			n.Peaks = peak.Of(&v1alpha1.HardwareProfile{Spec: v1alpha1.HardwareProfileSpec{Fabric: f}})
		}
	}
	offers := func(name corev1.ResourceName, count string) func(*ObservedNode) {
		return func(n *ObservedNode) { n.Node.Status.Allocatable[name] = resource.MustParse(count) }
	}
	for sentence, c := range map[string]struct {
		needs  v1alpha1.Needs
		change func(*ObservedNode)
		reason string // empty: it lacks nothing
		says   string
	}{
		"nothing":                         {},
		"a label that it has":             {needs: v1alpha1.Needs{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelInstanceTypeStable: "hgx"}}}},
		"a label that it has not":         {v1alpha1.Needs{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"x": "y"}}}, nil, v1alpha1.ReasonNeedsNotMet, "x=y"},
		"RDMA, and it has none":           {v1alpha1.Needs{RDMA: true}, nil, v1alpha1.ReasonNeedsNotMet, "needs RDMA"},
		"RDMA that a profile names":       {needs: v1alpha1.Needs{RDMA: true}, change: of(&v1alpha1.Fabric{Resource: "rdma/hca"})},
		"RDMA, and a profile names none":  {v1alpha1.Needs{RDMA: true}, of(&v1alpha1.Fabric{HostNetwork: true}), v1alpha1.ReasonNeedsNotMet, "needs RDMA"},
		"RDMA that it shows":              {needs: v1alpha1.Needs{RDMA: true}, change: offers("rdma/hca", "1")},
		"RDMA, of which it shows nothing": {v1alpha1.Needs{RDMA: true}, offers("rdma/hca", "0"), v1alpha1.ReasonNeedsNotMet, "needs RDMA"},
		"GPUs":                            {needs: eight},
		"GPUs, and it has none":           {eight, func(n *ObservedNode) { n.Node = gpuNode("n", 0, 0) }, v1alpha1.ReasonNeedsNotMet, "nvidia.com/gpu"},
		"GPUs, and one is missing":        {eight, func(n *ObservedNode) { n.Node = gpuNode("n", 7, 8) }, v1alpha1.ReasonDevicesMissing, "7 of 8"},
		"GPUs whose slices do not fit yet": {eight, func(n *ObservedNode) {
			n.Node = dra.Show(gpuNode("n", 0, 0), dra.Offer{Resource: workload.GPUResource, Broken: "half a pool"}, true)
		}, v1alpha1.ReasonNeedsNotMet, "waiting until 0001-01-01T00:02:00Z for its devices: it offers no nvidia.com/gpu, but half a pool"},
		"GPUs that several pods share": {eight, func(n *ObservedNode) { n.Node.Labels["nvidia.com/gpu.replicas"] = "2" }, v1alpha1.ReasonSharedDevices, "nvidia.com/gpu.replicas"},
	} {
		n := &ObservedNode{Name: "n", Node: gpuNode("n", 8, 8), Memory: &nodeMemory{}, Facts: plan.Facts{Exists: true, Ready: true}}
		if c.change != nil {
			c.change(n)
		}
		b := &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Image: "image", Needs: c.needs}}
		b.Name = "hbm"
		task := Task{Benchmark: b}
		o := &observation{expected: map[string]expected{}, Observed: &Observed{Input: Input{Run: &v1alpha1.ValidationRun{}, Tasks: []Task{task}}, Short: map[Short]time.Time{}}}
		l, err := o.lackOf(n, &task)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case l == nil && c.reason != "":
			t.Errorf("%s: it lacks nothing", sentence)
		case l != nil && (l.Reason != c.reason || !strings.Contains(l.Message, c.says)):
			t.Errorf("%s: %s: %s; want %s: %s", sentence, l.Reason, l.Message, c.reason, c.says)
		}
	}
}
