package controllers

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta/testrestmapper"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/assay-dev/assay/internal/measure/dra"
)

// published are slices as the cache has them.
type published []resourcev1.ResourceSlice

func (p published) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	panic("nobody gets one")
}

func (p published) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if versions, is := list.(*metav1.PartialObjectMetadataList); is {
		for _, s := range p {
			versions.Items = append(versions.Items, metav1.PartialObjectMetadata{ObjectMeta: s.ObjectMeta})
		}
		return nil
	}
	list.(*resourcev1.ResourceSliceList).Items = append([]resourcev1.ResourceSlice(nil), p...)
	return nil
}

// gpusIn a slice of a node, as NVIDIA's driver publishes them and the cache keeps them.
func gpusIn(node string, gpus int) resourcev1.ResourceSlice {
	s := allOfGPUsIn(node, gpus)
	slim, err := slimOthers(&s)
	if err != nil {
		panic(err)
	}
	return *slim.(*resourcev1.ResourceSlice)
}

// allOfGPUsIn is the same with all that the driver publishes.
func allOfGPUsIn(node string, gpus int) resourcev1.ResourceSlice {
	s := resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node + "-gpu", ResourceVersion: "1"}}
	s.Spec.Driver, s.Spec.NodeName, s.Spec.Pool = "gpu.nvidia.com", &node, resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1}
	text := func(text string) resourcev1.DeviceAttribute { return resourcev1.DeviceAttribute{StringValue: &text} }
	for i := range gpus {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"type": text("gpu"), "uuid": text(fmt.Sprintf("GPU-%s-%d", node, i)),
				"productName": text("NVIDIA H200"), "brand": text("Nvidia"), "architecture": text("Hopper"), "cudaComputeCapability": text("9.0.0"),
				"driverVersion": text("580.65.6"), "cudaDriverVersion": text("13.0.0"), "resource.kubernetes.io/pciBusID": text("0000:0f:00.0")},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("143771Mi")}}})
	}
	return s
}

func nodeOf(name string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid", ResourceVersion: "1", Labels: map[string]string{"nvidia.com/gpu.product": "NVIDIA-H200"}}}
	n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("192"), "memory": resource.MustParse("2Ti"), "pods": resource.MustParse("110")}
	return n
}

func gpusOf(n *corev1.Node) int64 {
	q := n.Status.Allocatable["nvidia.com/gpu"]
	return q.Value()
}

// TestDevicesAreShown: a node is made anew only where it or its slices have changed.
func TestDevicesAreShown(t *testing.T) {
	p := published{gpusIn("a", 8)}
	d := &Devices{Reader: p}
	a, b := nodeOf("a"), nodeOf("b")
	show := func() *corev1.Node {
		t.Helper()
		shown, err := d.Show(t.Context(), []*corev1.Node{a, b})
		if err != nil || shown[1] != b {
			t.Fatalf("what has no slices is another: %v", err)
		}
		return shown[0]
	}
	first := show()
	if gpusOf(first) != 8 || show() != first {
		t.Errorf("%d GPUs, shown anew", gpusOf(first))
	}
	p[0] = gpusIn("a", 7)
	p[0].ResourceVersion = "2"
	if gpusOf(show()) != 7 {
		t.Errorf("%d GPUs after the slice has changed", gpusOf(show()))
	}
	a = nodeOf("a")
	a.ResourceVersion, a.Spec.Unschedulable = "2", true
	if !show().Spec.Unschedulable {
		t.Error("the node is the one before")
	}
	if shown, err := (*Devices)(nil).Show(t.Context(), []*corev1.Node{a}); err != nil || shown[0] != a || len((*Devices)(nil).Watches(nil)) != 2 {
		t.Errorf("without slices a node is another, or they are watched: %v", err)
	}
}

// TestANodeIsSeenAlikeLiveAndCached: a leader that asks whether a node is still as it saw it must not be told otherwise by what the cache leaves out.
func TestANodeIsSeenAlikeLiveAndCached(t *testing.T) {
	for what, slices := range map[string][]resourcev1.ResourceSlice{"a device plugin": nil, "a DRA driver": {allOfGPUsIn("a", 7)}} {
		live := nodeOf("a")
		live.Labels = map[string]string{"example.com/rack": "7"} // no feature discovery: the slices tell product, memory and driver
		live.Annotations = map[string]string{"volumes.kubernetes.io/controller-managed-attach-detach": "true"}
		live.Status.Allocatable["nvidia.com/gpu"] = resource.MustParse("7")
		live.Status.Capacity = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8"), "cpu": resource.MustParse("200")}
		node := live.DeepCopy()
		slimNode(node)
		var cached published
		for _, s := range slices {
			slim, err := slimOthers(s.DeepCopy())
			if err != nil {
				t.Fatal(err)
			}
			cached = append(cached, *slim.(*resourcev1.ResourceSlice))
		}
		seen, err := (&Devices{Reader: cached}).Show(t.Context(), []*corev1.Node{node})
		if err != nil {
			t.Fatal(err)
		}
		is, err := (&Devices{Live: published(slices)}).ShowLive(t.Context(), live)
		if err != nil {
			t.Fatal(err)
		}
		if NodeChanged(AsCached(seen[0]), AsCached(is)) {
			t.Errorf("%s: seen as %+v, and is %+v", what, seen[0].Status, is.Status)
		}
	}
}

func TestTheCacheHasAllSlicesAsTheyAre(t *testing.T) {
	newer := gpusIn("a", 7)
	newer.ResourceVersion = "2"
	a, b := gpusIn("a", 8), gpusIn("b", 8)
	for what, c := range map[string]struct {
		cached, live published
		current      bool
	}{
		"none":       {nil, nil, true},
		"the same":   {published{a, b}, published{b, a}, true},
		"a new one":  {published{a}, published{a, b}, false},
		"one less":   {published{a, b}, published{b}, false},
		"a newer":    {published{a, b}, published{newer, b}, false},
		"other ones": {published{a}, published{b}, false},
	} {
		if current, err := (&Devices{Reader: c.cached, Live: c.live}).Current(t.Context()); err != nil || current != c.current {
			t.Errorf("%s: current %t, %v", what, current, err)
		}
	}
}

func TestServesSlices(t *testing.T) {
	old := k8sruntime.NewScheme()
	if err := corev1.AddToScheme(old); err != nil {
		t.Fatal(err)
	}
	for want, scheme := range map[bool]*k8sruntime.Scheme{true: clientgoscheme.Scheme, false: old} {
		mapper := testrestmapper.TestOnlyStaticRESTMapper(scheme)
		if is, err := ServesSlices(mapper); is != want || err != nil {
			t.Errorf("slices are served: %t, %v", is, err)
		}
		if is, err := ServesRules(mapper); is != want || err != nil {
			t.Errorf("rules are served: %t, %v", is, err)
		}
	}
}

func TestCanTaint(t *testing.T) {
	if (*Devices)(nil).CanTaint() || (&Devices{}).CanTaint() || !(&Devices{Rules: true}).CanTaint() {
		t.Error("devices are tainted where there are no rules, or not where there are")
	}
}

// BenchmarkShow10000: what a pass takes longer in a cluster of 10,000 nodes whose devices a DRA driver publishes, and what the cache holds for it.
func BenchmarkShow10000(b *testing.B) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p, nodes := make(published, 10_000), make([]*corev1.Node, 10_000)
	for i := range p {
		p[i] = gpusIn(fmt.Sprintf("gpu-node-%05d", i), 8)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	cached := after.HeapAlloc - before.HeapAlloc
	for i := range nodes {
		nodes[i] = nodeOf(fmt.Sprintf("gpu-node-%05d", i))
	}
	d := &Devices{Reader: p}
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, _ = d.Show(b.Context(), nodes)
	runtime.GC()
	runtime.ReadMemStats(&after)
	for b.Loop() {
		_, _ = d.Show(b.Context(), nodes)
	}
	b.ReportMetric(float64(cached)/1e6, "MB-cached")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-shown")
	runtime.KeepAlive(p)
}

// TestAForgedOfferCountsForNothing: whoever may write a node's annotations, as its kubelet may, says nothing of its devices by them, also where no slices
// are read.
func TestAForgedOfferCountsForNothing(t *testing.T) {
	n := nodeOf("a")
	n.Annotations = map[string]string{"dra.assay.dev/offer": `{"driver":"x","class":"mine","resource":"nvidia.com/gpu","offers":8,"has":8}`}
	var none *Devices
	live, err := none.ShowLive(t.Context(), n)
	if err != nil || dra.Shown(live) != nil {
		t.Errorf("live, it shows %+v, %v", dra.Shown(live), err)
	}
	shown, err := none.Show(t.Context(), []*corev1.Node{n})
	if err != nil || dra.Shown(shown[0]) != nil {
		t.Errorf("it shows %+v, %v", dra.Shown(shown[0]), err)
	}
}
