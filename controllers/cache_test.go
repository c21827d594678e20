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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestWhatTheCacheKeepsOfANode: a policy decides by it which nodes hold a valid pass, and when to try again.
func TestWhatTheCacheKeepsOfANode(t *testing.T) {
	entry := func(run string, v v1alpha1.Verdict) v1alpha1.HistoryEntry {
		own := v == v1alpha1.VerdictFail // a pass on a run's own terms would leave the failures before it
		return v1alpha1.HistoryEntry{Run: run, RunUID: types.UID(run), Verdict: v, OwnParameters: own, OwnExpectations: own}
	}
	full := func(e v1alpha1.HistoryEntry) v1alpha1.HistoryEntry {
		e.Configuration, e.Values = "c", []v1alpha1.HistoryValue{{Metric: "triad", Unit: "GB/s", Value: "1"}}
		e.Held = []v1alpha1.HeldRule{{Metric: "triad", Rule: "Min"}}
		return e
	}
	newest := entry("4", v1alpha1.VerdictFail)
	newest.Asked, newest.Machine = "asked", &v1alpha1.Machine{BootID: "boot", Devices: "8"}
	unproved := []v1alpha1.UnprovedRun{{RunUID: "5", Verdict: v1alpha1.VerdictError, Reason: v1alpha1.ReasonTimedOut}}
	v := &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: "u", BootID: "boot", Kernel: "6.8", Driver: "580", DeviceUUIDs: []string{"GPU-1"}}, Convictions: []v1alpha1.Conviction{{Benchmark: "hbm", Metric: "triad", Rule: "Min", At: "gpu0", Run: v1alpha1.ObjectReference{Name: "3"}},
		{Benchmark: "hbm", Metric: "triad", Rule: "FleetDeviation"}, {Benchmark: "p2p"}}}
	v.Benchmarks = []v1alpha1.BenchmarkHistory{
		{Name: "hbm", Verdict: v1alpha1.VerdictError, Message: "it took too long", Unproved: unproved, Passes: []v1alpha1.PassHistory{{Configuration: "c"}},
			History: []v1alpha1.HistoryEntry{full(entry("0", v1alpha1.VerdictFail)), full(entry("1", v1alpha1.VerdictPass)), full(entry("2", v1alpha1.VerdictFail)),
				full(entry("3", v1alpha1.VerdictFail)), full(newest)}},
		{Name: "p2p", History: []v1alpha1.HistoryEntry{full(entry("1", v1alpha1.VerdictFail)), full(entry("2", v1alpha1.VerdictPass))}},
		{Name: "stream", Verdict: v1alpha1.VerdictSkipped, Unproved: unproved},
	}
	slim := cached(t, nil, v)
	want := []v1alpha1.BenchmarkHistory{
		{Name: "hbm", Verdict: v1alpha1.VerdictError, Unproved: unproved,
			History: []v1alpha1.HistoryEntry{entry("1", v1alpha1.VerdictPass), entry("2", v1alpha1.VerdictFail), entry("3", v1alpha1.VerdictFail), newest}},
		{Name: "p2p", History: []v1alpha1.HistoryEntry{entry("2", v1alpha1.VerdictPass)}},
		{Name: "stream", Verdict: v1alpha1.VerdictSkipped, History: []v1alpha1.HistoryEntry{}, Unproved: unproved},
	}
	if diff := cmp.Diff(want, slim.Benchmarks); diff != "" {
		t.Errorf("benchmarks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Conviction{{Benchmark: "hbm", Metric: "triad"}, {Benchmark: "p2p"}}, slim.Convictions); diff != "" {
		t.Errorf("convictions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(v1alpha1.Fingerprint{NodeUID: "u", BootID: "boot", Kernel: "6.8", Driver: "580"}, slim.Fingerprint); diff != "" {
		t.Errorf("fingerprint (-want +got):\n%s", diff)
	}
	again := slim.DeepCopy()
	if diff := cmp.Diff(again, cached(t, nil, slim)); diff != "" {
		t.Errorf("the cache meets it twice (-once +twice):\n%s", diff)
	}
}

// TestTheCacheKnowsWhoOpenedTheGate: and no other annotation of a node.
func TestTheCacheKnowsWhoOpenedTheGate(t *testing.T) {
	n := &corev1.Node{}
	n.Annotations = map[string]string{v1alpha1.AnnotationGate: `{"by":"assay"}`, "node.alpha.kubernetes.io/ttl": "0"}
	slimNode(n)
	if diff := cmp.Diff(map[string]string{v1alpha1.AnnotationGate: `{"by":"assay"}`}, n.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

// TestTenThousandNodesFitIntoTheCache: what a policy needs to know of each is there at any time.
func TestTenThousandNodesFitIntoTheCache(t *testing.T) {
	const nodes, benchmarks, most = 400, 12, 10 << 10
	transform := validationTransform(t, nil)
	cache := make([]any, nodes)
	before := heapInUse()
	for i := range cache {
		text, err := json.Marshal(provedNode(i, benchmarks))
		if err != nil {
			t.Fatal(err)
		}
		decoded := &v1alpha1.NodeValidation{}
		if err := json.Unmarshal(text, decoded); err != nil {
			t.Fatal(err)
		}
		if cache[i], err = transform(client.Object(decoded)); err != nil {
			t.Fatal(err)
		}
	}
	each := (heapInUse() - before) / nodes
	runtime.KeepAlive(cache)
	t.Logf("%d bytes a node with %d benchmarks", each, benchmarks)
	if each > most {
		t.Errorf("the cache keeps %d bytes of a node with %d benchmarks, want at most %d", each, benchmarks, most)
	}
}

// provedNode is what the API server has of a node that passed all benchmarks ten times.
func provedNode(i, benchmarks int) *v1alpha1.NodeValidation {
	v := &v1alpha1.NodeValidation{Verdict: v1alpha1.VerdictPass, Message: strings.Repeat("passed ", 20), LastRun: v1alpha1.ObjectReference{Name: "nightly-renewal-00000009", UID: uidOf("run", 9)}}
	v.Name, v.UID, v.ResourceVersion, v.Fingerprint.NodeUID = fmt.Sprintf("node-%05d", i), uidOf("nval", i), fmt.Sprint(100000+i), uidOf("node", i)
	v.Proof = &v1alpha1.Proof{Verdict: v.Verdict, Run: v.LastRun}
	for b := range benchmarks {
		h := v1alpha1.BenchmarkHistory{Name: fmt.Sprintf("benchmark-%02d", b), Verdict: v.Verdict, Message: strings.Repeat("passed ", 20)}
		for run := range 10 {
			h.History = append(h.History, v1alpha1.HistoryEntry{Run: fmt.Sprintf("nightly-renewal-%08d", run), RunUID: uidOf("run", run), Verdict: v.Verdict,
				Time: metav1.NewTime(time.Unix(int64(1_700_000_000+run), 0)), Configuration: "0123456789abcdef",
				Values: []v1alpha1.HistoryValue{{Metric: "readBandwidth", Unit: "GB/s", Value: "4370.12"}}})
		}
		newest := &h.History[9]
		newest.Asked, newest.Machine = fmt.Sprintf("%016x", b), &v1alpha1.Machine{BootID: string(uidOf("boot", i)), Kernel: "6.8.0-60-generic", Driver: "580.95.05"}
		if b%2 == 0 {
			newest.Machine.Devices = "8 x NVIDIA-H200"
		}
		v.Benchmarks = append(v.Benchmarks, h)
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
