package controllers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
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
		l.publish(l.slice(short, 8))
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
func (l *lab) publish(s *resourcev1.ResourceSlice) {
	l.t.Helper()
	is := &resourcev1.ResourceSlice{ObjectMeta: s.ObjectMeta}
	if api.Get(l.t.Context(), client.ObjectKeyFromObject(is), is) != nil {
		l.must(api.Create(l.t.Context(), s))
		l.t.Cleanup(func() {
			_ = api.Delete(background, &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: s.Name}})
		})
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
	l.publish(sick)
	half := l.slice("b", 8)
	half.Spec.Pool.ResourceSliceCount = 2
	l.publish(half)
	begin := l.clock.Now()
	l.run(tainting)
	l.finish()
	if took := l.clock.Now().Sub(begin); took < 10*time.Minute || took > 11*time.Minute {
		t.Errorf("the nodes were waited for during %s", took)
	}
	for short, want := range map[string]string{"a": "the node offers 7 of 8 nvidia.com/gpu (8 by its ResourceSlices): its driver has tainted gpu-3 (GPU-" + l.node("a") + "-3): look for the cause in the kernel's log (Xid, PCIe) and the DRA driver's",
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

// templates of claims that are there for the run.
func (l *lab) templates() []resourcev1.ResourceClaimTemplate {
	l.t.Helper()
	var list resourcev1.ResourceClaimTemplateList
	l.must(api.List(l.t.Context(), &list, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunName: l.name}))
	return list.Items
}

// TestPublishedDevicesAreClaimed: each pod claims all devices of its node by the one template of the run, which goes with the last pod. What a device plugin
// offers beside counts for nothing.
func TestPublishedDevicesAreClaimed(t *testing.T) {
	t.Parallel()
	l := newDRALab(t, "a", "b", "c")
	n := l.getNode("b")
	n.Status.Allocatable["nvidia.com/gpu"] = resource.MustParse("4")
	l.must(api.Status().Update(t.Context(), n))
	l.run(func(r *v1alpha1.ValidationRun) { r.Spec.MaxConcurrentNodes = new(intstr.FromInt32(2)) })
	l.until("two pods", func() bool { return len(l.pods()) == 2 })
	templates := l.templates()
	if len(templates) != 1 || templates[0].Spec.Spec.Devices.Requests[0].Exactly.Count != 8 || !metav1.IsControlledBy(&templates[0], l.get()) {
		t.Fatalf("templates %+v", templates)
	}
	l.restart() // the next pod finds the template that is there
	for _, pod := range l.pods() {
		c := pod.Spec.ResourceClaims
		if len(c) != 1 || *c[0].ResourceClaimTemplateName != templates[0].Name || len(pod.Spec.Containers[0].Resources.Limits) != 0 {
			t.Errorf("pod %s claims %+v and limits %v", pod.Name, c, pod.Spec.Containers[0].Resources.Limits)
		}
	}
	same(t, "the conditions at the end", passed, state(l.finish()))
	if left := l.templates(); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
	// Ten seconds by the lab's clock, and no more than the pod was there by the API server's, which goes on meanwhile.
	if cost := l.result("a").Benchmarks[0].Attempts[0].Cost; cost == nil || cost.GPUSeconds < 8 || cost.GPUSeconds > 80 || cost.GPUSeconds%8 != 0 {
		t.Errorf("ten seconds of eight GPUs cost %+v", cost)
	}
}

// TestClaimedByOthers: what is allocated to the claim of another pod is held by it, and waited for; devices of other drivers are not.
func TestClaimedByOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		driver string
		busy   bool
	}{"a GPU": {"gpu.nvidia.com", true}, "another device": {"nic.example", false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newDRALab(t, "a")
			other := l.claims(c.driver)
			l.run()
			if !c.busy {
				same(t, "the conditions at the end", passed, state(l.finish()))
				return
			}
			l.until("it waits", func() bool {
				return l.get().Status.Nodes != nil && strings.Contains(l.get().Status.Nodes[0].Message, "holds")
			})
			if m := l.get().Status.Nodes[0].Message; !strings.Contains(m, "pod default/"+other.Name+" holds 1 nvidia.com/gpu") || len(l.pods()) != 0 {
				t.Errorf("the row of the node says %q, and there are %d pods", m, len(l.pods()))
			}
			l.must(api.Delete(t.Context(), other, client.GracePeriodSeconds(0)))
			same(t, "the conditions at the end", passed, state(l.finish()))
		})
	}
}

// claims a device of node a by a pod of somebody else's.
func (l *lab) claims(driver string) *corev1.Pod {
	l.t.Helper()
	name := l.name + "-train"
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: driver}}}
	result := resourcev1.DeviceRequestAllocationResult{Request: "gpu", Driver: driver, Pool: l.node("a"), Device: "gpu-0"}
	l.create(claim)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Spec: corev1.PodSpec{NodeName: l.node("a"),
		Containers:     []corev1.Container{{Name: "train", Image: "x", Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "gpu"}}}}},
		ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: new("theirs")}}}}
	l.create(pod)
	pod.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: &name}}
	l.must(api.Status().Update(l.t.Context(), pod))
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{result}}}
	l.must(api.Status().Update(l.t.Context(), claim))
	l.t.Cleanup(func() {
		_ = api.Delete(background, pod, client.GracePeriodSeconds(0))
		_ = api.Delete(background, claim)
	})
	return pod
}

// TestUnallocatedClaim: a pod whose claim gets no device waits as one does whose request is not met, until the run's deadline, and says what the scheduler said.
func TestUnallocatedClaim(t *testing.T) {
	t.Parallel()
	l := newDRALab(t, "a")
	const said = "0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, preemption: 0/1 nodes are available"
	l.plays = on("a", program{status: &corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: said}}}})
	begin := l.clock.Now()
	l.run(func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = new(int64(1800)) })
	l.until("it waits", func() bool {
		return len(l.get().Status.Nodes) > 0 && strings.Contains(l.get().Status.Nodes[0].Message, said)
	})
	l.finish()
	if took := l.clock.Now().Sub(begin); took < 30*time.Minute {
		t.Errorf("it was given up after %s", took)
	}
	if n := l.get().Status.Nodes[0]; n.Verdict == v1alpha1.VerdictPass || !strings.Contains(n.Message, "cannot allocate all claims") {
		t.Errorf("%s/%s: %s", n.Verdict, n.Reason, n.Message)
	}
	if left := l.templates(); len(left) != 0 || len(l.pods()) != 0 {
		t.Errorf("left: %+v", left)
	}
}

// TestTemplateOfAnother: a template of the same name that the run did not make is not used.
func TestTemplateOfAnother(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(*resourcev1.ResourceClaimTemplate){
		"of nobody":         func(c *resourcev1.ResourceClaimTemplate) { c.OwnerReferences = nil },
		"of something else": func(c *resourcev1.ResourceClaimTemplate) { c.Spec.Spec.Devices.Requests[0].Exactly.Count = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newDRALab(t, "a")
			run := l.run()
			forged := (&workload.Claim{Run: run, Class: "gpu.nvidia.com", Count: 8, Keys: []string{v1alpha1.DefaultTaintKey}}).Template(settings)
			forge(forged)
			l.create(forged)
			t.Cleanup(func() { _ = api.Delete(background, forged) })
			told := ""
			l.tolerate = func(err error) bool { told = err.Error(); return true }
			l.until("it is refused", func() bool { return told != "" })
			if !strings.Contains(told, "already has one of this name that Assay did not create") || len(l.pods()) != 0 {
				t.Errorf("%d pods, and the operator says %s", len(l.pods()), told)
			}
			l.must(api.Delete(t.Context(), forged))
			same(t, "the conditions at the end", passed, state(l.finish()))
		})
	}
}

// TestManagerSeesSlices: with its caches, and slices slimmed there, the operator sees devices come, and starts at once.
func TestManagerSeesSlices(t *testing.T) {
	l := newDRALab(t, "a")
	l.publish(l.slice("a", 0))
	l.plays = func(string, string, int) program { return program{takes: 1100 * time.Millisecond} } // it ends in another second than it began
	l.editNode("a", func(n *corev1.Node) { n.Labels["nvidia.com/gpu.present"] = "true" })
	l.manage()
	l.run()
	l.see("it waits for devices", func() bool {
		return len(l.get().Status.Nodes) > 0 && strings.Contains(l.get().Status.Nodes[0].Message, "offers no nvidia.com/gpu")
	})
	began := time.Now()
	l.publish(l.slice("a", 8))
	l.see("it is over", l.finished)
	if took := time.Since(began); took > unawaited {
		t.Errorf("nothing woke it: it took %s", took)
	}
	same(t, "the conditions at the end", passed, state(l.get()))
	if m := l.result("a").Benchmarks[0].Attempts[0].Machine; m == nil || m.Devices != "8 x NVIDIA-H200" {
		t.Errorf("measured on %+v", m)
	}
	if cost := l.result("a").Benchmarks[0].Attempts[0].Cost; cost == nil {
		t.Error("it cost nothing")
	}
}
