package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	cdi "tags.cncf.io/container-device-interface/specs-go"
)

func newDriver(t *testing.T) *driver {
	t.Helper()
	return &driver{name: "gpu.nvidia.com", uuids: map[string]string{"gpu-0": "GPU-a", "gpu-1": "GPU-b"}, specs: t.TempDir()}
}

// claimOf the devices, each "driver/device".
func claimOf(uid string, devices ...string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: uid, UID: types.UID(uid)}}
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	for _, d := range devices {
		driver, device, _ := strings.Cut(d, "/")
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: "all", Driver: driver, Pool: "node-1", Device: device})
	}
	return claim
}

func prepare(t *testing.T, d *driver, claim *resourceapi.ResourceClaim) kubeletplugin.PrepareResult {
	t.Helper()
	results, err := d.PrepareResourceClaims(t.Context(), []*resourceapi.ResourceClaim{claim})
	if err != nil || len(results) != 1 {
		t.Fatalf("got %v, %v", results, err)
	}
	return results[claim.UID]
}

func TestAContainerSeesTheUUIDsOfItsDevices(t *testing.T) {
	d := newDriver(t)
	d.alias, d.slow = "nvidia.com/gpu", []string{"gpu-0"}
	var first string
	for range 2 { // the kubelet may ask again
		result := prepare(t, d, claimOf("c1", "gpu.nvidia.com/gpu-1", "gpu.nvidia.com/gpu-0", "other.example.com/nic"))
		if result.Err != nil || len(result.Devices) != 2 {
			t.Fatalf("got %+v", result)
		}
		got := result.Devices[0]
		if got.DeviceName != "gpu-1" || got.PoolName != "node-1" || !slices.Equal(got.Requests, []string{"all"}) ||
			!slices.Equal(got.CDIDeviceIDs, []string{"localcluster.assay.dev/claim=c1_gpu-1", "nvidia.com/gpu=GPU-b"}) {
			t.Errorf("got %+v", got)
		}
		content, err := os.ReadFile(d.file("c1"))
		if err != nil || first != "" && first != string(content) {
			t.Fatalf("%v, first\n%s\nthen\n%s", err, first, content)
		}
		first = string(content)
	}
	var spec cdi.Spec
	if err := json.Unmarshal([]byte(first), &spec); err != nil || len(spec.Devices) != 2 || spec.Kind != kind {
		t.Fatalf("%v: %s", err, first)
	}
	if env := spec.Devices[0].ContainerEdits.Env; spec.Devices[0].Name != "c1_gpu-1" || !slices.Equal(env, []string{"DRA_GPU_1=GPU-b"}) {
		t.Errorf("got %s", first)
	}
	if env := spec.Devices[1].ContainerEdits.Env; !slices.Equal(env, []string{"DRA_GPU_0=GPU-a", "DRA_GPU_0_SLOW=1"}) {
		t.Errorf("got %s", first)
	}
}

func TestADeviceIsPreparedForOneClaimOnly(t *testing.T) {
	d := newDriver(t)
	if got := prepare(t, d, claimOf("c1", "gpu.nvidia.com/gpu-0")); got.Err != nil {
		t.Fatal(got.Err)
	}
	restarted := &driver{name: d.name, uuids: d.uuids, specs: d.specs}
	second := claimOf("c2", "gpu.nvidia.com/gpu-0")
	if got := prepare(t, restarted, second); got.Err == nil || !strings.Contains(got.Err.Error(), "gpu-0 of claim default/c2 is held by another claim") {
		t.Errorf("got %v", got.Err)
	}
	if got := prepare(t, restarted, claimOf("c3", "gpu.nvidia.com/gpu-1")); got.Err != nil {
		t.Error(got.Err)
	}
	if got := prepare(t, restarted, claimOf("c4", "gpu.nvidia.com/gpu-7")); got.Err == nil {
		t.Error("a device that the node does not have is prepared")
	}
	for range 2 { // the kubelet may ask again
		results, err := restarted.UnprepareResourceClaims(t.Context(), []kubeletplugin.NamespacedObject{{UID: "c1"}})
		if gone, asked := results["c1"]; err != nil || !asked || gone != nil {
			t.Fatalf("got %v, %v", results, err)
		}
	}
	if got := prepare(t, restarted, second); got.Err != nil {
		t.Error(got.Err)
	}
	left, err := filepath.Glob(filepath.Join(d.specs, "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("files %v, want those of c2 and c3", left)
	}
}
