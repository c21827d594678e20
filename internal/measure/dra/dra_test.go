package dra

import (
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const gpus = "gpu.nvidia.com"

func nodeA() *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "uid-a"}}
}

// slice of node a, of generation 1 of a pool of one slice.
func slice(devices ...resourcev1.Device) *resourcev1.ResourceSlice {
	node := "a"
	return &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: "a-" + gpus, OwnerReferences: []metav1.OwnerReference{{Kind: "Node", Name: "a", UID: "uid-a"}}},
		Spec: resourcev1.ResourceSliceSpec{Driver: gpus, NodeName: &node, Devices: devices,
			Pool: resourcev1.ResourcePool{Name: "a", Generation: 1, ResourceSliceCount: 1}}}
}

func with(s *resourcev1.ResourceSlice, edit func(*resourcev1.ResourceSliceSpec)) *resourcev1.ResourceSlice {
	edit(&s.Spec)
	return s
}

func text(s string) resourcev1.DeviceAttribute { return resourcev1.DeviceAttribute{StringValue: &s} }

func version(s string) resourcev1.DeviceAttribute {
	return resourcev1.DeviceAttribute{VersionValue: &s}
}

func gpu(i int) resourcev1.Device {
	return resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
		"type": text("gpu"), "uuid": text(fmt.Sprintf("GPU-%d", i)), "productName": text("NVIDIA H200"), "driverVersion": version("580.65.6")},
		Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("143771Mi")}}}
}

func gpuSet(n int) (all []resourcev1.Device) {
	for i := range n {
		all = append(all, gpu(i))
	}
	return all
}

func mig(parent, i int) resourcev1.Device {
	return resourcev1.Device{Name: fmt.Sprintf("gpu-%d-mig-%d", parent, i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
		"type": text("mig"), "uuid": text(fmt.Sprintf("MIG-%d-%d", parent, i)), "parentUUID": text(fmt.Sprintf("GPU-%d", parent)),
		"profile": text("1g.18gb+me"), "productName": text("NVIDIA H200")}}
}

func edited(d resourcev1.Device, edit func(*resourcev1.Device)) resourcev1.Device {
	edit(&d)
	return d
}

func tainted(effect resourcev1.DeviceTaintEffect) resourcev1.Device {
	return edited(gpu(7), func(d *resourcev1.Device) {
		d.Taints = []resourcev1.DeviceTaint{{Key: "gpu.nvidia.com/xid", Effect: effect}}
	})
}

// whole is what eight GPUs of one kind are shown as.
var whole = Offer{Driver: gpus, Class: gpus, Resource: "nvidia.com/gpu", Has: 8, Offers: 8, Product: "NVIDIA-H200", DriverVersion: "580.65.6", Memory: 143771}

func but(o Offer, edit func(*Offer)) Offer {
	edit(&o)
	return o
}

func TestOffer(t *testing.T) {
	for name, c := range map[string]struct {
		slices []*resourcev1.ResourceSlice
		want   Offer
		none   bool
	}{
		"eight GPUs":               {[]*resourcev1.ResourceSlice{slice(gpuSet(8)...)}, whole, false},
		"nothing published":        {nil, Offer{}, true},
		"a driver without devices": {[]*resourcev1.ResourceSlice{slice()}, Offer{Driver: gpus, Class: gpus, Resource: "nvidia.com/gpu"}, true},
		"of another node":          {[]*resourcev1.ResourceSlice{with(slice(gpuSet(8)...), func(s *resourcev1.ResourceSliceSpec) { s.NodeName = new("b") })}, Offer{}, true},
		"of no node":               {[]*resourcev1.ResourceSlice{with(slice(gpuSet(8)...), func(s *resourcev1.ResourceSliceSpec) { s.NodeName, s.AllNodes = nil, new(true) })}, Offer{}, true},
		"of a driver that is not known": {[]*resourcev1.ResourceSlice{slice(gpuSet(8)...),
			with(slice(gpuSet(9)...), func(s *resourcev1.ResourceSliceSpec) { s.Driver = "compute-domain.nvidia.com" })}, whole, false},
		"of a node that had the name before": {[]*resourcev1.ResourceSlice{func() *resourcev1.ResourceSlice {
			s := slice(gpuSet(8)...)
			s.OwnerReferences[0].UID = "uid-before"
			return s
		}()}, Offer{}, true},
		"an older generation": {[]*resourcev1.ResourceSlice{with(slice(gpuSet(9)...), func(s *resourcev1.ResourceSliceSpec) { s.Pool.Generation = 0 }),
			slice(gpuSet(8)...)}, whole, false},
		"two slices": {[]*resourcev1.ResourceSlice{
			with(slice(gpuSet(8)[:4]...), func(s *resourcev1.ResourceSliceSpec) { s.Pool.ResourceSliceCount = 2 }),
			with(slice(gpuSet(8)[4:]...), func(s *resourcev1.ResourceSliceSpec) { s.Pool.ResourceSliceCount = 2 })}, whole, false},
		"one of two slices of the newest generation": {[]*resourcev1.ResourceSlice{slice(gpuSet(8)...),
			with(slice(gpuSet(4)...), func(s *resourcev1.ResourceSliceSpec) { s.Pool.ResourceSliceCount, s.Pool.Generation = 2, 2 })},
			but(whole, func(o *Offer) {
				o.Has, o.Offers, o.Broken = 4, 0, "pool a of driver gpu.nvidia.com has 1 of 2 ResourceSlices of generation 2"
			}), false},
		"a device twice": {[]*resourcev1.ResourceSlice{slice(append(gpuSet(8), gpu(0))...)}, but(whole, func(o *Offer) {
			o.Offers, o.Broken = 0, "pool a of driver gpu.nvidia.com has device gpu-0 twice"
		}), false},
		"tainted by its driver":  {[]*resourcev1.ResourceSlice{slice(append(gpuSet(7), tainted("NoSchedule"))...)}, but(whole, func(o *Offer) { o.Offers, o.Tainted = 7, "gpu-7 (GPU-7)" }), false},
		"tainted, and evicted":   {[]*resourcev1.ResourceSlice{slice(append(gpuSet(7), tainted("NoExecute"))...)}, but(whole, func(o *Offer) { o.Offers, o.Tainted = 7, "gpu-7 (GPU-7)" }), false},
		"tainted without effect": {[]*resourcev1.ResourceSlice{slice(append(gpuSet(7), tainted("None"))...)}, whole, false},
		"to be shared":           {[]*resourcev1.ResourceSlice{slice(append(gpuSet(7), edited(gpu(7), func(d *resourcev1.Device) { d.AllowMultipleAllocations = new(true) }))...)}, but(whole, func(o *Offer) { o.Shareable = 1 }), false},
		"two products":           {[]*resourcev1.ResourceSlice{slice(append(gpuSet(7), edited(gpu(7), func(d *resourcev1.Device) { d.Attributes["productName"] = text("NVIDIA L4") }))...)}, but(whole, func(o *Offer) { o.Product = "" }), false},
		"a product that is no label": {[]*resourcev1.ResourceSlice{slice(edited(gpu(0), func(d *resourcev1.Device) { d.Attributes["productName"] = text("<b>H200</b>") }))},
			but(whole, func(o *Offer) { o.Has, o.Offers, o.Product = 1, 1, "" }), false},
		"attributes of a domain": {[]*resourcev1.ResourceSlice{slice(edited(gpu(0), func(d *resourcev1.Device) {
			d.Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"gpu.nvidia.com/type": text("gpu"), "other.example/productName": text("x")}
		}))}, Offer{Driver: gpus, Class: gpus, Resource: "nvidia.com/gpu", Has: 1, Offers: 1, Memory: 143771}, false},
		"no type":              {[]*resourcev1.ResourceSlice{slice(edited(gpu(0), func(d *resourcev1.Device) { d.Attributes = nil }))}, Offer{Driver: gpus, Class: gpus, Resource: "nvidia.com/gpu", Others: true}, true},
		"parts only":           {[]*resourcev1.ResourceSlice{slice(mig(0, 0), mig(0, 1))}, Offer{Driver: gpus, Class: gpus, Resource: "nvidia.com/gpu", Part: "nvidia.com/mig-1g.18gb.me", Parts: 2}, false},
		"parts of one GPU":     {[]*resourcev1.ResourceSlice{slice(append(gpuSet(8)[1:], mig(0, 0))...)}, but(whole, func(o *Offer) { o.Has, o.Offers, o.Part, o.Parts = 7, 7, "nvidia.com/mig-1g.18gb.me", 1 }), false},
		"parts if anyone asks": {[]*resourcev1.ResourceSlice{slice(append(gpuSet(8), mig(0, 0), mig(0, 1))...)}, whole, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, slim := range []bool{false, true} { // as they are published, and as the cache has them
				if slim {
					for _, s := range c.slices {
						Slim(s)
						Slim(s)
					}
				}
				is, offered := OfferOf(nodeA(), c.slices)
				if offered == c.none {
					t.Errorf("offered: %t, slim: %t", offered, slim)
				}
				if is.UUIDs = ""; is != c.want { // TestUUIDs has these
					t.Errorf("slim: %t\n is   %+v\n want %+v", slim, is, c.want)
				}
			}
		})
	}
}

func TestShow(t *testing.T) {
	node := nodeA()
	node.Labels = map[string]string{"rack": "1"}
	node.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("8"), "nvidia.com/gpu": resource.MustParse("4")}
	before := node.DeepCopy()
	shown := Show(node, but(whole, func(o *Offer) { o.Offers = 7 }), true)
	if is, _ := json.Marshal(node); string(is) != func() string { b, _ := json.Marshal(before); return string(b) }() {
		t.Errorf("the node that was read has changed: %s", is)
	}
	has, offers, cpu := shown.Status.Capacity["nvidia.com/gpu"], shown.Status.Allocatable["nvidia.com/gpu"], shown.Status.Allocatable["cpu"]
	if has.Value() != 8 || offers.Value() != 7 || cpu.Value() != 8 {
		t.Errorf("it offers %s of %s, and %s CPUs", offers.String(), has.String(), cpu.String())
	}
	if l := shown.Labels; l["rack"] != "1" || l[labelProduct] != "NVIDIA-H200" || l[labelMemory] != "143771" || l[labelDriver] != "580.65.6" {
		t.Errorf("labels %v", l)
	}
	if o := Shown(shown); o == nil || o.Offers != 7 || By(shown) != "DRA driver" || Shown(node) != nil || By(node) != "device plugin" {
		t.Errorf("shown as %+v by %s", o, By(shown))
	}
	labels := map[string]string{labelProduct: "NVIDIA-H200-SHARED", labelDriver: "580.65.06"}
	node.Labels = labels
	if l := Show(node, whole, true).Labels; len(l) != 2 || l[labelProduct] != "NVIDIA-H200-SHARED" {
		t.Errorf("what feature discovery says was overwritten: %v", l)
	}
	shown.Annotations["x"] = "y"
	again := Show(shown, Offer{}, false)
	if Shown(again) != nil || again.Annotations["x"] != "y" || Shown(shown) == nil {
		t.Errorf("what a node says of its slices itself counts: %v", again.Annotations)
	}
	if Version(Show(node, whole, true)) == Version(shown) || Version(node) != "" {
		t.Error("other devices have the same version")
	}
}

func TestAllocated(t *testing.T) {
	given := resourcev1.DeviceRequestAllocationResult{Driver: gpus, Pool: "a", Device: "gpu-0"}
	looks, other := given, given
	looks.AdminAccess, other.Driver = new(true), "nic.example"
	c := &resourcev1.ResourceClaim{}
	if n := Allocated(c, "nvidia.com/gpu"); n != 0 {
		t.Errorf("%d of a claim that got nothing yet", n)
	}
	c.Status.Allocation = &resourcev1.AllocationResult{}
	c.Status.Allocation.Devices.Results = []resourcev1.DeviceRequestAllocationResult{given, given, looks, other}
	if n, none := Allocated(c, "nvidia.com/gpu"), Allocated(c, "amd.com/gpu"); n != 2 || none != 0 {
		t.Errorf("%d, and %d of a resource that no driver offers", n, none)
	}
}

// TestABrokenPoolHasNoDeviceTwice: slices that a driver left behind say again what its new ones say, by the same names or others.
func TestABrokenPoolHasNoDeviceTwice(t *testing.T) {
	renamed := gpuSet(8)
	for i := range renamed {
		renamed[i].Name = fmt.Sprintf("gpu-%d-by-uuid", i)
	}
	for name, left := range map[string][]resourcev1.Device{"same names": gpuSet(8), "other names": renamed} {
		o, offered := OfferOf(nodeA(), []*resourcev1.ResourceSlice{slice(gpuSet(8)...), slice(left...)})
		if !offered || o.Broken == "" || o.Offers != 0 || o.Has != 8 {
			t.Errorf("%s: it offers %d of %d: %s", name, o.Offers, o.Has, o.Broken)
		}
	}
}

// TestUUIDs of whole devices are told, also of those that their driver has tainted, and that a device plugin hands the same devices out.
func TestUUIDs(t *testing.T) {
	unnamed := edited(gpu(1), func(d *resourcev1.Device) { delete(d.Attributes, "uuid") })
	for want, devices := range map[string][]resourcev1.Device{
		"GPU-0 GPU-1 GPU-2": gpuSet(3),
		"GPU-0 GPU-7":       {gpu(0), tainted("NoSchedule"), mig(0, 0)},
		"GPU-0":             {gpu(0), unnamed},
	} {
		if o, _ := OfferOf(nodeA(), []*resourcev1.ResourceSlice{slice(devices...)}); o.UUIDs != want || o.Plugin {
			t.Errorf("%q, by a plugin %t; want %q", o.UUIDs, o.Plugin, want)
		}
	}
	node := nodeA()
	if Shown(Show(node, whole, true)).Plugin || ByPlugin(node) {
		t.Error("a plugin hands out what only slices show")
	}
	node.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
	if !Shown(Show(node, whole, true)).Plugin || !ByPlugin(node) {
		t.Error("no plugin hands out what the node itself says")
	}
}
