package api_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const validProfile = `
apiVersion: assay.dev/v1alpha1
kind: HardwareProfile
metadata: {name: h200}
spec:
  selector: {matchLabels: {nvidia.com/gpu.product: NVIDIA-H200}}
  peaks:
  - {name: hbmBandwidth, at: gpu, value: "4800", unit: GB/s, source: the data sheet}
`

var hardwareProfileRules = map[string]rule{
	"a peak has a source": {
		accepted: `{spec: {peaks: [{name: p, at: gpu, value: "1", unit: W, source: x}]}}`,
		rejected: `{spec: {peaks: [{name: p, at: gpu, value: "1", unit: W, source: ""}]}}`,
		message:  "spec.peaks[0].source in body should be at least 1 chars long",
	},
	"a peak's source is not left out": {
		accepted: `{spec: {peaks: [{name: p, value: "1", unit: W, source: x}]}}`,
		rejected: `{spec: {peaks: [{name: p, value: "1", unit: W}]}}`,
		message:  "spec.peaks[0].source: Required value",
	},
	"a peak has a unit": {
		accepted: `{spec: {peaks: [{name: p, value: "1", unit: GB/s, source: x}]}}`,
		rejected: `{spec: {peaks: [{name: p, value: "1", unit: "", source: x}]}}`,
		message:  "spec.peaks[0].unit in body should be at least 1 chars long",
	},
	"a peak's value is a number": {
		accepted: `{spec: {peaks: [{name: p, value: "4.8e3", unit: GB/s, source: x}]}}`,
		rejected: `{spec: {peaks: [{name: p, value: "4.8 TB", unit: GB/s, source: x}]}}`,
		message:  "spec.peaks[0].value in body should match",
	},
	"a peak is lowerCamelCase": {
		accepted: `{spec: {peaks: [{name: hbmBandwidth, value: "1", unit: GB/s, source: x}]}}`,
		rejected: `{spec: {peaks: [{name: HBM, value: "1", unit: GB/s, source: x}]}}`,
		message:  "spec.peaks[0].name in body should match",
	},
	"a peak is given once per kind of part": {
		accepted: `{spec: {peaks: [{name: p, at: gpu, value: "1", unit: W, source: x}, {name: p, at: node, value: "8", unit: W, source: x}]}}`,
		rejected: `{spec: {peaks: [{name: p, at: gpu, value: "1", unit: W, source: x}, {name: p, at: gpu, value: "8", unit: W, source: x}]}}`,
		message:  "spec.peaks[1]: Duplicate value",
	},
	"devices are of a resource with a domain": {
		accepted: `{spec: {devices: [{resource: nvidia.com/gpu, count: 8}]}}`,
		rejected: `{spec: {devices: [{resource: cpu, count: 8}]}}`,
		message:  "spec.devices[0].resource in body should match",
	},
	"a node that is listed has devices": {
		accepted: `{spec: {devices: [{resource: rdma/hca_shared, count: 1}]}}`,
		rejected: `{spec: {devices: [{resource: nvidia.com/gpu, count: 0}]}}`,
		message:  "spec.devices[0].count in body should be greater than or equal to 1",
	},
	"no node has more than 1024 devices": {
		accepted: `{spec: {devices: [{resource: nvidia.com/gpu, count: 1024}]}}`,
		rejected: `{spec: {devices: [{resource: nvidia.com/gpu, count: 1025}]}}`,
		message:  "spec.devices[0].count in body should be less than or equal to 1024",
	},
	"a resource is counted once": {
		accepted: `{spec: {devices: [{resource: nvidia.com/gpu, count: 8}, {resource: rdma/hca, count: 8}]}}`,
		rejected: `{spec: {devices: [{resource: nvidia.com/gpu, count: 8}, {resource: nvidia.com/gpu, count: 4}]}}`,
		message:  "spec.devices[1]: Duplicate value",
	},
	"a count has its resource": {
		accepted: `{spec: {devices: [{resource: nvidia.com/gpu, count: 8}]}}`,
		rejected: `{spec: {devices: [{count: 8}]}}`,
		message:  "spec.devices[0].resource: Required value",
	},
	"a profile has peaks or devices": {
		accepted: `{spec: {peaks: null, devices: [{resource: nvidia.com/gpu, count: 8}]}}`,
		rejected: `{spec: {peaks: null}}`,
		message:  "a profile needs peaks, devices, fabric or acceptedLosses",
	},
	"a loss is accepted with its reason": {
		accepted: `{spec: {acceptedLosses: [{benchmark: gpustream, since: "2026-11-20T00:00:00Z", loss: "0.02", reason: driver 580.95}]}}`,
		rejected: `{spec: {acceptedLosses: [{benchmark: gpustream, since: "2026-11-20T00:00:00Z", loss: "0.02"}]}}`,
		message:  "spec.acceptedLosses[0].reason: Required value",
	},
	"nobody accepts a loss of more than 10%": {
		accepted: `{spec: {acceptedLosses: [{benchmark: gpustream, metric: hbmTriad, since: "2026-11-20T00:00:00Z", loss: "0.1", reason: r}]}}`,
		rejected: `{spec: {acceptedLosses: [{benchmark: gpustream, since: "2026-11-20T00:00:00Z", loss: "0.11", reason: r}]}}`,
		message:  "a loss is more than 0 and at most 0.1",
	},
	"devices that are given are some": {
		accepted: `{spec: {devices: [{resource: nvidia.com/gpu, count: 8}]}}`,
		rejected: `{spec: {devices: []}}`,
		message:  "spec.devices in body should have at least 1 items",
	},
	"a profile has peaks": {
		accepted: `{spec: {peaks: [{name: p, value: "1", unit: W, source: x}]}}`,
		rejected: `{spec: {peaks: []}}`,
		message:  "spec.peaks in body should have at least 1 items",
	},
	"an expression has an operator that there is": {
		accepted: `{spec: {selector: {matchExpressions: [{key: nvidia.com/gpu.product, operator: NotIn, values: [A]}]}}}`,
		rejected: `{spec: {selector: {matchExpressions: [{key: nvidia.com/gpu.product, operator: Is, values: [A]}]}}}`,
		message:  "operator must be In, NotIn, Exists or DoesNotExist",
	},
	"In needs values": {
		accepted: `{spec: {selector: {matchExpressions: [{key: nvidia.com/gpu.product, operator: In, values: [A]}]}}}`,
		rejected: `{spec: {selector: {matchExpressions: [{key: nvidia.com/gpu.product, operator: In}]}}}`,
		message:  "In and NotIn need values; Exists and DoesNotExist take none",
	},
	"Exists has no values": {
		accepted: `{spec: {selector: {matchExpressions: [{key: nvidia.com/gpu.product, operator: Exists}]}}}`,
		rejected: `{spec: {selector: {matchExpressions: [{key: nvidia.com/gpu.product, operator: Exists, values: [A]}]}}}`,
		message:  "In and NotIn need values; Exists and DoesNotExist take none",
	},
	"a fabric says something": {
		accepted: `{spec: {peaks: null, fabric: {resource: rdma/hca}}}`,
		rejected: `{spec: {fabric: {}}}`,
		message:  "a fabric needs resource, hostNetwork, networks, interface or env",
	},
	"a pod has the host's network or others": {
		accepted: `{spec: {fabric: {networks: "rail-0,rdma/rail-1@net1", hostNetwork: false}}}`,
		rejected: `{spec: {fabric: {networks: rail-0, hostNetwork: true, interface: bond0}}}`,
		message:  "a pod on the host network has no others: set either hostNetwork or networks",
	},
	"the host network has an interface": {
		accepted: `{spec: {fabric: {hostNetwork: true, interface: bond0}}}`,
		rejected: `{spec: {fabric: {hostNetwork: true}}}`,
		message:  "hostNetwork needs interface",
	},
	"what is about RDMA has a resource": {
		accepted: `{spec: {fabric: {resource: rdma/hca, count: 8, gidIndex: 3, lockMemoryAsRoot: true}}}`,
		rejected: `{spec: {fabric: {interface: bond0, lockMemoryAsRoot: true}}}`,
		message:  "count, gidIndex and lockMemoryAsRoot are about RDMA: set resource",
	},
	"an RDMA resource has a domain": {
		accepted: `{spec: {fabric: {resource: nvidia.com/mlnxnics}}}`,
		rejected: `{spec: {fabric: {resource: memory}}}`,
		message:  "spec.fabric.resource in body should match",
	},
	"a GID index is one": {
		accepted: `{spec: {fabric: {resource: rdma/hca, gidIndex: 255}}}`,
		rejected: `{spec: {fabric: {resource: rdma/hca, gidIndex: 256}}}`,
		message:  "spec.fabric.gidIndex in body should be less than or equal to 255",
	},
	"a worker asks for some devices": {
		accepted: `{spec: {fabric: {resource: rdma/hca, count: 1}}}`,
		rejected: `{spec: {fabric: {resource: rdma/hca, count: 0}}}`,
		message:  "spec.fabric.count in body should be greater than or equal to 1",
	},
	"an interface is a name": {
		accepted: `{spec: {fabric: {interface: enp1s0f0np0}}}`,
		rejected: `{spec: {fabric: {interface: "eth0;reboot"}}}`,
		message:  "spec.fabric.interface in body should match",
	},
	"networks are names": {
		accepted: `{spec: {fabric: {networks: rail-0}}}`,
		rejected: `{spec: {fabric: {networks: '[{"name": "rail-0"}]'}}}`,
		message:  "spec.fabric.networks in body should match",
	},
	"variables are NCCL's and UCX's": {
		accepted: `{spec: {fabric: {env: [{name: NCCL_IB_HCA, value: mlx5}, {name: UCX_TLS, value: rc}]}}}`,
		rejected: `{spec: {fabric: {env: [{name: LD_PRELOAD, value: /tmp/x.so}]}}}`,
		message:  "spec.fabric.env[0].name in body should match",
	},
	"NCCL's log is read by Assay": {
		accepted: `{spec: {fabric: {env: [{name: NCCL_IB_TC, value: "106"}]}}}`,
		rejected: `{spec: {fabric: {env: [{name: NCCL_DEBUG_FILE, value: /dev/null}]}}}`,
		message:  "Assay reads NCCL's log itself",
	},
	"a library belongs into the image": {
		accepted: `{spec: {fabric: {env: [{name: NCCL_NET, value: IB}]}}}`,
		rejected: `{spec: {fabric: {env: [{name: NCCL_NET_PLUGIN, value: /tmp/x.so}]}}}`,
		message:  "Leave out NCCL_DEBUG, ..._PLUGIN and ..._FILE",
	},
	"a selector names labels": {
		accepted: `{spec: {selector: null, allNodes: true}}`,
		rejected: `{spec: {selector: {matchLabels: {nvidia.com/gpu.product: null}}}}`,
		message:  emptySelector,
	},
	"a profile says which nodes it is for": {
		accepted: `{spec: {selector: {matchExpressions: [{key: nvidia.com/gpu.product, operator: In, values: [A, B]}]}}}`,
		rejected: `{spec: {selector: null}}`,
		message:  "set either selector or allNodes: true, for example selector: {matchLabels: {nvidia.com/gpu.product: NVIDIA-H200}}",
	},
}

func TestHardwareProfileRules(t *testing.T) { checkRules(t, validProfile, hardwareProfileRules) }

func TestPeakWithoutAPartHoldsForEveryPart(t *testing.T) {
	profile := object(t, validProfile, `{spec: {peaks: [{name: p, value: "1", unit: W, source: x}]}}`)
	if err := dryRun(t, profile); err != nil {
		t.Fatal(err)
	}
	want := object(t, validProfile, `{spec: {peaks: [{name: p, at: "", value: "1", unit: W, source: x}]}}`)
	if diff := cmp.Diff(want.Object["spec"], profile.Object["spec"]); diff != "" {
		t.Errorf("defaulted spec (-want +got):\n%s", diff)
	}
}
