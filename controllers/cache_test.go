package controllers

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// TestTheCacheKnowsWhoOpenedTheGate: and no other annotation of a node.
func TestTheCacheKnowsWhoOpenedTheGate(t *testing.T) {
	n := &corev1.Node{}
	n.Annotations = map[string]string{v1alpha1.AnnotationGate: `{"by":"assay"}`, "node.alpha.kubernetes.io/ttl": "0"}
	slimNode(n)
	if diff := cmp.Diff(map[string]string{v1alpha1.AnnotationGate: `{"by":"assay"}`}, n.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

// TestTenThousandNodesFitIntoTheCache: what a policy needs to know of each is there at any time. NodeValidations are cached as they are, and
// NodeHistories are not.
func TestTenThousandNodesFitIntoTheCache(t *testing.T) {
	const nodes, benchmarks, most = 400, 12, 18 << 10
	cache := make([]any, nodes)
	before, size := heapInUse(), 0
	for i := range cache {
		text, err := json.Marshal(provedNode(i, benchmarks))
		if err != nil {
			t.Fatal(err)
		}
		size += len(text) / nodes
		decoded := &v1alpha1.NodeValidation{}
		if err := json.Unmarshal(text, decoded); err != nil {
			t.Fatal(err)
		}
		cache[i] = decoded
	}
	each := (heapInUse() - before) / nodes
	runtime.KeepAlive(cache)
	t.Logf("%d bytes a node with %d benchmarks, %d as JSON", each, benchmarks, size)
	if each > most {
		t.Errorf("the cache keeps %d bytes of a node with %d benchmarks, want at most %d", each, benchmarks, most)
	}
	for kind := range CacheOptions("bench").ByObject {
		switch kind.(type) {
		case *v1alpha1.NodeValidation, *v1alpha1.NodeHistory:
			t.Errorf("the cache has options for %T", kind)
		}
	}
}

// provedNode is what the API server has of a node of eight GPUs that passed all benchmarks.
func provedNode(i, benchmarks int) *v1alpha1.NodeValidation {
	v := &v1alpha1.NodeValidation{Verdict: v1alpha1.VerdictPass, Message: strings.Repeat("passed ", 20), LastRun: v1alpha1.ObjectReference{Name: "nightly-renewal-00000009", UID: uidOf("run", 9)},
		NodeHistory: &v1alpha1.HistoryReference{UID: uidOf("history", i), Generation: 10}}
	v.Name, v.UID, v.ResourceVersion, v.Fingerprint.NodeUID = fmt.Sprintf("node-%05d", i), uidOf("nval", i), fmt.Sprint(100000+i), uidOf("node", i)
	v.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: v.Name, UID: v.Fingerprint.NodeUID}}
	v.Fingerprint.BootID, v.Fingerprint.Kernel, v.Fingerprint.Driver = string(uidOf("boot", i)), "6.8.0-60-generic", "580.95.05"
	for gpu := range 8 {
		v.Fingerprint.DeviceUUIDs = append(v.Fingerprint.DeviceUUIDs, fmt.Sprintf("GPU-%s", uidOf("gpu", 8*i+gpu)))
	}
	v.Proof = &v1alpha1.Proof{Verdict: v.Verdict, Run: v.LastRun}
	for b := range benchmarks {
		newest := v1alpha1.HistoryEntry{Run: v.LastRun.Name, RunUID: v.LastRun.UID, Verdict: v.Verdict, Asked: fmt.Sprintf("%016x", b),
			Time: metav1.NewTime(time.Unix(1_700_000_009, 0)), Configuration: "0123456789abcdef",
			Machine: &v1alpha1.Machine{BootID: string(uidOf("boot", i)), Kernel: "6.8.0-60-generic", Driver: "580.95.05"},
			Values:  []v1alpha1.HistoryValue{{Metric: "readBandwidth", Unit: "GB/s", Value: "4370.12"}}}
		if b%2 == 0 {
			newest.Machine.Devices = "8 x NVIDIA-H200"
		}
		v.Benchmarks = append(v.Benchmarks, v1alpha1.BenchmarkState{Name: fmt.Sprintf("benchmark-%02d", b), Verdict: v.Verdict,
			Message: strings.Repeat("passed ", 20), History: []v1alpha1.HistoryEntry{newest}})
	}
	return v
}

func uidOf(what string, i int) types.UID {
	return types.UID(fmt.Sprintf("%-8.8s-0a1b-2c3d-4e5f-%012d", what, i))
}

func heapInUse() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// TestTheCacheKnowsWhatANodeWithholds: a device that its plugin has marked unhealthy is in the capacity, and no more among what is offered.
func TestTheCacheKnowsWhatANodeWithholds(t *testing.T) {
	const gpu = corev1.ResourceName("nvidia.com/gpu")
	n := &corev1.Node{}
	n.Status.Capacity = corev1.ResourceList{"cpu": resource.MustParse("192"), gpu: resource.MustParse("8"), "rdma/hca": resource.MustParse("8")}
	n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("190"), gpu: resource.MustParse("7"), "rdma/hca": resource.MustParse("8")}
	before := n.DeepCopy()
	slimNode(n)
	if diff := cmp.Diff(corev1.ResourceList{gpu: resource.MustParse("8")}, n.Status.Capacity); diff != "" {
		t.Errorf("capacity (-want +got):\n%s", diff)
	}
	slimNode(n)
	if len(n.Status.Capacity) != 1 {
		t.Errorf("the cache meets it twice, and then keeps %v", n.Status.Capacity)
	}
	before.Status.Allocatable[gpu] = resource.MustParse("8")
	slimNode(before)
	if before.Status.Capacity != nil || !NodeChanged(before, n) {
		t.Errorf("a node that offers all: capacity %v, and that it lost one changes it: %v", before.Status.Capacity, NodeChanged(before, n))
	}
}

// TestAPodIsKeptWithItsNodeUntilItIsPlaced: a webhook may take its annotations away, and nobody its affinity.
func TestAPodIsKeptWithItsNodeUntilItIsPlaced(t *testing.T) {
	node, run := &corev1.Node{}, &v1alpha1.ValidationRun{}
	node.Name = "n"
	pod := workload.Pod(workload.Launch{Run: run, Node: node, Benchmark: &v1alpha1.Benchmark{}, Attempt: 1}, workload.Settings{})
	if pod.Spec = SlimSpec(pod.Spec); workload.MadeFor(pod) != "n" || pod.Spec.Containers != nil {
		t.Errorf("it is made for %q, and %d containers are kept", workload.MadeFor(pod), len(pod.Spec.Containers))
	}
	pod.Spec.NodeName = "n"
	if pod.Spec = SlimSpec(pod.Spec); pod.Spec.Affinity != nil {
		t.Error("of a pod that is placed its affinity is kept")
	}
}
