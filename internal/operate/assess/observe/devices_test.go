package observe

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// gpuNode offers some GPUs and, by its kubelet, has others.
func gpuNode(name string, offered, capacity int64) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid-1", Labels: map[string]string{
		corev1.LabelInstanceTypeStable: "hgx", v1alpha1.LabelGPUProduct: "NVIDIA-H200"}}}
	n.Status.Allocatable = corev1.ResourceList{workload.GPUResource: *resource.NewQuantity(offered, resource.DecimalSI), "cpu": resource.MustParse("190")}
	n.Status.Capacity = corev1.ResourceList{workload.GPUResource: *resource.NewQuantity(capacity, resource.DecimalSI)}
	return n
}

// TestExpectedDevices: the greatest of what the node itself says and of what can be guessed, but a profile goes before a guess.
func TestExpectedDevices(t *testing.T) {
	like := func(counts ...int64) (all []*corev1.Node) {
		for i, c := range counts {
			all = append(all, gpuNode(fmt.Sprint("n", i), c, c))
		}
		return all
	}
	of := func(devices int32) peak.Peaks {
		return peak.Of(&v1alpha1.HardwareProfile{ObjectMeta: metav1.ObjectMeta{Name: "hgx"},
			Spec: v1alpha1.HardwareProfileSpec{AllNodes: true, Devices: []v1alpha1.DeviceCount{{Resource: workload.GPUResource, Count: devices}}}})
	}
	for sentence, c := range map[string]struct {
		capacity int64
		labels   map[string]string
		peaks    peak.Peaks
		past     string
		pastUID  string
		failed   bool // since
		others   []*corev1.Node
		want     int64
		by       string
		guessed  bool
	}{
		"nothing is known":                               {want: 0},
		"the kubelet knows":                              {capacity: 8, want: 8, by: "its status.capacity"},
		"feature discovery knows":                        {labels: map[string]string{v1alpha1.LabelGPUCount: "8"}, capacity: 7, want: 8, by: "its label nvidia.com/gpu.count"},
		"feature discovery alone":                        {labels: map[string]string{v1alpha1.LabelGPUCount: "8"}, want: 0},
		"feature discovery, and a profile with fewer":    {labels: map[string]string{v1alpha1.LabelGPUCount: "8"}, peaks: of(4), want: 8, by: "its label nvidia.com/gpu.count"},
		"a label that is no number":                      {labels: map[string]string{v1alpha1.LabelGPUCount: "many"}, want: 0},
		"its profile":                                    {peaks: of(8), capacity: 7, want: 8, by: "HardwareProfile hgx"},
		"its past":                                       {past: "8 x NVIDIA-H200", want: 8, by: "its last pass of rate at 2026-01-01T00:00:00Z", guessed: true},
		"its past before it failed":                      {past: "8 x NVIDIA-H200", failed: true, want: 8, by: "its last pass of rate at 2026-01-01T00:00:00Z", guessed: true},
		"a predecessor of its name":                      {past: "8 x NVIDIA-H200", pastUID: "uid-0", want: 0},
		"it was another product then":                    {past: "8 x NVIDIA-H100", want: 0},
		"most of its kind":                               {others: like(8, 8, 4), want: 8, by: "2 of 3 nodes with instance type hgx and product NVIDIA-H200", guessed: true},
		"no majority":                                    {others: like(8, 8, 4, 4), want: 0},
		"too few of its kind":                            {others: like(8, 8), want: 0},
		"the greatest of past and kind":                  {past: "4 x NVIDIA-H200", others: like(8, 8, 8), want: 8, by: "3 of 3 nodes with instance type hgx and product NVIDIA-H200", guessed: true},
		"a profile with fewer goes before past and kind": {peaks: of(4), past: "8 x NVIDIA-H200", others: like(8, 8, 8), want: 4, by: "HardwareProfile hgx"},
		"but not before what the node itself says":       {peaks: of(4), capacity: 8, want: 8, by: "its status.capacity"},
	} {
		t.Run(sentence, func(t *testing.T) {
			n := &ObservedNode{Name: "n", Node: gpuNode("n", 0, c.capacity), Peaks: c.peaks, Memory: &nodeMemory{}}
			for key, value := range c.labels {
				n.Node.Labels[key] = value
			}
			if c.past != "" {
				n.Validation = passedWith(c.past, c.failed)
				if c.pastUID != "" {
					n.Validation.Fingerprint.NodeUID = "uid-0"
				}
			}
			b := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "rate"}}
			b.Spec.Needs.DeviceResource = workload.GPUResource
			s := &Observed{Input: Input{Tasks: []Task{{Benchmark: b}}}, kinds: kinds{cluster: c.others}}
			got := s.expectedOf(n, workload.GPUResource)
			if got.Count != c.want || got.by != c.by || got.guessed != c.guessed {
				t.Errorf("%d by %q (guessed %v), want %d by %q (guessed %v)", got.Count, got.by, got.guessed, c.want, c.by, c.guessed)
			}
		})
	}
}

// passedWith is what the cache holds of a node that passed with these devices, and may have failed since.
func passedWith(devices string, failed bool) *v1alpha1.NodeValidation {
	v := &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: "uid-1"}}
	at := metav1.Time{Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	history := []v1alpha1.HistoryEntry{{RunUID: "1", Time: at, Verdict: v1alpha1.VerdictPass, Machine: &v1alpha1.Machine{Devices: devices}}}
	if failed {
		history = append(history, v1alpha1.HistoryEntry{RunUID: "2", Time: at, Verdict: v1alpha1.VerdictFail, Machine: &v1alpha1.Machine{Devices: "1 x NVIDIA-H200"}})
	}
	v.Benchmarks = []v1alpha1.BenchmarkState{{Name: "rate", History: history}}
	return v
}

// TestPastDevicesFollowTheNode, and what is known of it.
func TestPastDevicesFollowTheNode(t *testing.T) {
	b := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "rate"}}
	b.Spec.Needs.DeviceResource = workload.GPUResource
	s := &Observed{Input: Input{Tasks: []Task{{Benchmark: b}}}}
	memory := &nodeMemory{}
	expect := func(when string, n *corev1.Node, v *v1alpha1.NodeValidation, want int64) {
		t.Helper()
		m := &Memory{}
		one := &ObservedNode{Name: "n", Node: n, Validation: v, Memory: memory, Peaks: m.peaksOf(memory, n, peak.Profiles{})}
		if got := s.expectedOf(one, workload.GPUResource); got.Count != want {
			t.Errorf("%s: %d devices are expected, want %d", when, got.Count, want)
		}
	}
	node, eight, four := gpuNode("n", 0, 0), passedWith("8 x NVIDIA-H200", false), passedWith("4 x NVIDIA-H200", false)
	eight.ResourceVersion, four.ResourceVersion = "1", "2"
	expect("it passed with 8", node, eight, 8)
	expect("as before", node, eight, 8)
	expect("it has passed with 4 since", node, four, 4)
	other := gpuNode("n", 0, 0)
	other.Labels[v1alpha1.LabelGPUProduct] = "NVIDIA-B200"
	expect("it is another product now", other, four, 0)
}

// TestAKindKeepsBackAlmostTheSame: how much of a CPU a kubelet keeps for itself makes no other kind; nor is a node less of its kind for what it lacks.
func TestAKindKeepsBackAlmostTheSame(t *testing.T) {
	for cpus, want := range map[string]int64{"190": 8, "189500m": 8, "190499m": 8, "189499m": 0, "190500m": 0} {
		var cluster []*corev1.Node
		for i := range 3 {
			n := gpuNode(fmt.Sprint("n", i), 8, 8)
			n.Status.Allocatable["cpu"] = resource.MustParse(cpus)
			cluster = append(cluster, n)
		}
		cluster[0].Status.Capacity = nil // it offers them all the same
		k := kinds{cluster: cluster}
		if got := k.of(gpuNode("n", 7, 7), workload.GPUResource); got.most != want {
			t.Errorf("three nodes with %s CPUs: most of the kind have %d GPUs, want %d", cpus, got.most, want)
		}
	}
}

// TestKindsOfNodes: other types, products, numbers of CPUs, slices, and nodes that are going, are another kind, or none.
func TestKindsOfNodes(t *testing.T) {
	for sentence, change := range map[string]func(n *corev1.Node){
		"another type":     func(n *corev1.Node) { n.Labels[corev1.LabelInstanceTypeStable] = "pcie" },
		"another product":  func(n *corev1.Node) { n.Labels[v1alpha1.LabelGPUProduct] = "NVIDIA-L40S" },
		"no type":          func(n *corev1.Node) { delete(n.Labels, corev1.LabelInstanceTypeStable) },
		"other CPUs":       func(n *corev1.Node) { n.Status.Allocatable["cpu"] = resource.MustParse("64") },
		"slices":           func(n *corev1.Node) { n.Labels["nvidia.com/gpu.replicas"] = "2" },
		"on their way out": func(n *corev1.Node) { n.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} },
	} {
		t.Run(sentence, func(t *testing.T) {
			var cluster []*corev1.Node
			for i := range 4 {
				n := gpuNode(fmt.Sprint("n", i), 8, 8)
				if i > 1 {
					change(n)
				}
				cluster = append(cluster, n)
			}
			k := kinds{cluster: cluster}
			if got := k.of(gpuNode("n", 7, 7), workload.GPUResource); got.most != 0 {
				t.Errorf("%d of %d nodes have %d GPUs; two alike tell nothing", got.alike, got.nodes, got.most)
			}
		})
	}
}

// TestDistributionsAreNoKind: k3s and RKE2 give all nodes one instance type, which makes no two of them alike.
func TestDistributionsAreNoKind(t *testing.T) {
	for _, instanceType := range []string{"k3s", "rke2"} {
		var cluster []*corev1.Node
		for i := range 4 {
			n := gpuNode(fmt.Sprint("n", i), 8, 8)
			n.Labels[corev1.LabelInstanceTypeStable] = instanceType
			cluster = append(cluster, n)
		}
		k := kinds{cluster: cluster}
		if got := k.of(cluster[0], workload.GPUResource); got.most != 0 {
			t.Errorf("%s: most of a kind have %d GPUs, want no kind", instanceType, got.most)
		}
	}
}
