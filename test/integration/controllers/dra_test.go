package controllers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// newDRALab has nodes of which a DRA driver publishes the eight GPUs, and no device plugin offers any.
func newDRALab(t *testing.T, nodes ...string) *lab {
	t.Helper()
	l := newLab(t, 0)
	l.slices = true
	l.restart()
	for _, short := range nodes {
		l.addNode(short)
		l.withoutPlugin(short)
		l.publish(short, l.slice(short, 8))
	}
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(t.Context(), keyOf(l.name), b))
	b.Spec.Needs.DeviceResource = "nvidia.com/gpu"
	l.must(api.Update(t.Context(), b))
	return l
}

func (l *lab) withoutPlugin(short string) {
	n := l.getNode(short)
	delete(n.Status.Allocatable, "nvidia.com/gpu")
	delete(n.Status.Capacity, "nvidia.com/gpu")
	l.must(api.Status().Update(l.t.Context(), n))
}

// slice is all of the node's pool.
func (l *lab) slice(short string, gpus int) *resourcev1.ResourceSlice {
	node := l.getNode(short)
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node.Name + "-gpu.nvidia.com",
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}}}
	s.Spec.Driver, s.Spec.NodeName = "gpu.nvidia.com", &node.Name
	s.Spec.Pool = resourcev1.ResourcePool{Name: node.Name, Generation: 1, ResourceSliceCount: 1}
	for i := range gpus {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"type": {StringValue: new("gpu")}, "uuid": {StringValue: new(fmt.Sprintf("GPU-%s-%d", node.Name, i))},
			"productName": {StringValue: new("NVIDIA H200")}, "driverVersion": {VersionValue: new("580.65.6")}}})
	}
	return s
}

// publish a slice in the place of the one before, as its driver does.
func (l *lab) publish(short string, s *resourcev1.ResourceSlice) {
	l.t.Helper()
	is := &resourcev1.ResourceSlice{ObjectMeta: s.ObjectMeta}
	if api.Get(l.t.Context(), client.ObjectKeyFromObject(is), is) != nil {
		l.must(api.Create(l.t.Context(), s))
		l.t.Cleanup(func() { _ = api.Delete(background, &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: s.Name}}) })
		return
	}
	s.Spec.Pool.Generation = is.Spec.Pool.Generation + 1
	is.Spec = s.Spec
	l.must(api.Update(l.t.Context(), is))
}

// TestPublishedDevicesAreMissing: what a DRA driver has tainted is as missing as what a device plugin calls unhealthy, and a pool that is not whole offers
// nothing.
func TestPublishedDevicesAreMissing(t *testing.T) {
	t.Parallel()
	l := newDRALab(t, "a", "b", "c", "d", "e", "f")
	sick := l.slice("a", 8)
	sick.Spec.Devices[3].Taints = []resourcev1.DeviceTaint{{Key: "gpu.nvidia.com/xid", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
	l.publish("a", sick)
	half := l.slice("b", 8)
	half.Spec.Pool.ResourceSliceCount = 2
	l.publish("b", half)
	begin := l.clock.Now()
	l.run(tainting)
	l.finish()
	if took := l.clock.Now().Sub(begin); took < 10*time.Minute || took > 11*time.Minute {
		t.Errorf("the nodes were waited for during %s", took)
	}
	for short, want := range map[string]string{"a": "the node offers 7 of 8 nvidia.com/gpu (8 by its ResourceSlices): look for the cause in the kernel's log (Xid, PCIe) and the DRA driver's",
		"b": "the node offers 0 of 8 nvidia.com/gpu (8 by its ResourceSlices): pool " + l.node("b") + " of driver gpu.nvidia.com has 1 of 2 ResourceSlices of generation 2"} {
		if r := l.result(short); r.Verdict != v1alpha1.VerdictFail || r.Reason != v1alpha1.ReasonDevicesMissing || !strings.Contains(r.Benchmarks[0].Message, want) {
			t.Errorf("node %s: %s/%s: %s", short, r.Verdict, r.Reason, r.Benchmarks[0].Message)
		}
	}
	if n := l.taintedOf("a"); n != 1 { // one of six is all that a run may taint
		t.Errorf("node a has %d taints, want that of the run", n)
	}
	pass := l.result("c")
	if m := pass.Benchmarks[0].Attempts[0].Machine; pass.Verdict != v1alpha1.VerdictPass || m == nil || m.Devices != "8 x NVIDIA-H200" || m.Driver != "580.65.6" {
		t.Errorf("node c: %s on %+v", pass.Verdict, m)
	}
	if n := l.getNode("a"); n.Labels["nvidia.com/gpu.product"] != "" || len(n.Annotations) > 1 {
		t.Errorf("what slices say was written to the node: %v %v", n.Labels, n.Annotations)
	}
}
