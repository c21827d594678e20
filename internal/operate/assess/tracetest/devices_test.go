package tracetest

import (
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// setProfile gives nodes with these labels so many devices, for runs that start from now on.
func (w *world) setProfile(name string, labels map[string]string, devices int32) {
	p := v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: name, Generation: 1}}
	p.Spec.Selector = metav1.LabelSelector{MatchLabels: labels}
	p.Spec.Devices = []v1alpha1.DeviceCount{{Resource: workload.GPUResource, Count: devices}}
	w.addProfile(p)
}

// accept from now on that all nodes lose so much, in runs that start then.
func (w *world) accept(benchmark, loss string) {
	p := v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: "accepting", Generation: 1}}
	p.Spec.AllNodes = true
	p.Spec.AcceptedLosses = []v1alpha1.AcceptedLoss{{Benchmark: benchmark, Loss: v1alpha1.Fraction(loss), Since: metav1.NewTime(w.now), Reason: "new driver"}}
	w.addProfile(p)
}

func (w *world) addProfile(p v1alpha1.HardwareProfile) {
	w.profiles = append(slices.DeleteFunc(slices.Clone(w.profiles), func(o v1alpha1.HardwareProfile) bool { return o.Name == p.Name }), p)
}

// checkDevices: nothing is ever started on a node that offers slices, or fewer devices than it says itself that it has.
func (w *writer) checkDevices(t *observe.Task, nodes ...string) {
	for _, name := range nodes {
		n, needs := w.nodes[name], t.Benchmark.Spec.Needs
		if needs.DeviceResource == "" {
			continue
		}
		offered, has := workload.Devices(t.Benchmark, n), n.Status.Capacity[workload.GPUResource]
		labelled, _ := strconv.ParseInt(n.Labels[v1alpha1.LabelGPUCount], 10, 64)
		if how := workload.Shared(needs.DeviceResource, n); how != "" || offered.Value() < max(int64(*needs.MinDevices), has.Value(), labelled) {
			w.wrong("%s is launched on node %s, which offers %s devices, has %s and is labelled with %d; %s", t.Name(), name, &offered, &has, labelled, how)
		}
	}
}
