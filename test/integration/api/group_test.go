package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const validGroup = `
apiVersion: assay.dev/v1alpha1
kind: Benchmark
metadata: {name: pairs}
spec:
  description: links between nodes
  scope: Group
  group: {size: 2}
  image: registry.example.com/assay/bench-cpu@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
  command: [mpirun, mpibench]
  output: {format: Assay}
  metrics:
  - {name: bandwidth, unit: GB/s, headline: true}
`

const (
	groupSizes = "size must be a number from 2 to 1024, or All"
	groupSlots = "slotsPerWorker must be a number from 1 to 1024, Devices or Cores"
	groupScope = "group belongs to scope Group, and scope Group needs it: say at least group.size"
)

var groupRules = map[string]rule{
	"a group has at least two nodes": {
		accepted: `{spec: {group: {size: 2}}}`,
		rejected: `{spec: {group: {size: 1}}}`,
		message:  groupSizes,
	},
	"a group has nodes at all": {
		accepted: `{spec: {group: {size: 3}}}`,
		rejected: `{spec: {group: {size: 0}}}`,
		message:  groupSizes,
	},
	"a group has at most 1024 nodes": {
		accepted: `{spec: {group: {size: 1024}}}`,
		rejected: `{spec: {group: {size: 1025}}}`,
		message:  groupSizes,
	},
	"a group of all nodes says All": {
		accepted: `{spec: {group: {size: All}}}`,
		rejected: `{spec: {group: {size: Some}}}`,
		message:  groupSizes,
	},
	"a size as text is no number": {
		accepted: `{spec: {group: {size: 4}}}`,
		rejected: `{spec: {group: {size: "4"}}}`,
		message:  groupSizes,
	},
	"a node runs at least one rank": {
		accepted: `{spec: {group: {slotsPerWorker: 1}}}`,
		rejected: `{spec: {group: {slotsPerWorker: 0}}}`,
		message:  groupSlots,
	},
	"a node runs at most 1024 ranks": {
		accepted: `{spec: {group: {slotsPerWorker: 1024}}}`,
		rejected: `{spec: {group: {slotsPerWorker: 1025}}}`,
		message:  groupSlots,
	},
	"ranks are counted by cores or devices": {
		accepted: `{spec: {group: {slotsPerWorker: Cores}}}`,
		rejected: `{spec: {group: {slotsPerWorker: Sockets}}}`,
		message:  groupSlots,
	},
	"a rank for each device needs a device resource": {
		accepted: `{spec: {needs: {deviceResource: nvidia.com/gpu}, group: {slotsPerWorker: Devices}}}`,
		rejected: `{spec: {group: {slotsPerWorker: Devices}}}`,
		message:  "group.slotsPerWorker Devices needs needs.deviceResource: name the resource that is counted",
	},
	"needs without a device resource are not enough for a rank for each device": {
		accepted: `{spec: {needs: {deviceResource: nvidia.com/gpu, requests: {cpu: "1"}}, group: {slotsPerWorker: Devices}}}`,
		rejected: `{spec: {needs: {requests: {cpu: "1"}}, group: {slotsPerWorker: Devices}}}`,
		message:  "group.slotsPerWorker Devices needs needs.deviceResource: name the resource that is counted",
	},
	"scope Group says which groups": {
		accepted: `{spec: {scope: Group}}`,
		rejected: `{spec: {group: null}}`,
		message:  groupScope,
	},
	"a group belongs to scope Group": {
		accepted: `{spec: {scope: Node, group: null}}`,
		rejected: `{spec: {scope: Node}}`,
		message:  groupScope,
	},
	"a group belongs to scope Group, also where the scope is left to its default": {
		accepted: `{spec: {scope: null, group: null}}`,
		rejected: `{spec: {scope: null}}`,
		message:  groupScope,
	},
	"only pairs have rounds": {
		accepted: `{spec: {group: {size: 2, rounds: 6}}}`,
		rejected: `{spec: {group: {size: 4, rounds: 6}}}`,
		message:  "group.rounds is only for pairs: set group.size to 2, or leave rounds out",
	},
	"a group of all nodes has no rounds": {
		accepted: `{spec: {group: {size: All}}}`,
		rejected: `{spec: {group: {size: All, rounds: 6}}}`,
		message:  "group.rounds is only for pairs: set group.size to 2, or leave rounds out",
	},
	"a group is not within and across the same label": {
		accepted: `{spec: {group: {within: example.com/rack, across: example.com/leaf}}}`,
		rejected: `{spec: {group: {within: example.com/rack, across: example.com/rack}}}`,
		message:  "within and across name the same label: the nodes of a group cannot share one value of it and differ in it",
	},
}

var groupBounds = map[string]rule{
	"rounds are at least 1": {
		accepted: `{spec: {group: {rounds: 1}}}`,
		rejected: `{spec: {group: {rounds: 0}}}`,
		message:  "spec.group.rounds in body should be greater than or equal to 1",
	},
	"rounds are at most 32": {
		accepted: `{spec: {group: {rounds: 32}}}`,
		rejected: `{spec: {group: {rounds: 33}}}`,
		message:  "spec.group.rounds in body should be less than or equal to 32",
	},
	"the port of SSH is one": {
		accepted: `{spec: {group: {sshPort: 65535}}}`,
		rejected: `{spec: {group: {sshPort: 65536}}}`,
		message:  "spec.group.sshPort in body should be less than or equal to 65535",
	},
	"the keys lie at an absolute path": {
		accepted: `{spec: {group: {sshAuthMountPath: /root/.ssh}}}`,
		rejected: `{spec: {group: {sshAuthMountPath: "~/.ssh"}}}`,
		message:  "spec.group.sshAuthMountPath in body should match",
	},
	"a worker's command is short": {
		accepted: `{spec: {group: {workerCommand: [/usr/sbin/sshd, -De]}}}`,
		rejected: `{spec: {group: {workerCommand: [` + strings.TrimSuffix(strings.Repeat("a, ", 17), ", ") + `]}}}`,
		message:  "spec.group.workerCommand: Too many: 17: must have at most 16 items",
	},
}

func TestGroupRules(t *testing.T)  { checkRules(t, validGroup, groupRules) }
func TestGroupBounds(t *testing.T) { checkRules(t, validGroup, groupBounds) }

func TestGroupDefaults(t *testing.T) {
	benchmark := object(t, validGroup, "")
	if err := dryRun(t, benchmark); err != nil {
		t.Fatal(err)
	}
	want := object(t, validGroup, `{spec: {timeoutSeconds: 600, costSeconds: 60,
	  group: {size: 2, slotsPerWorker: 1, sshPort: 2222, sshAuthMountPath: /home/mpiuser/.ssh},
	  metrics: [{name: bandwidth, unit: GB/s, headline: true, better: Higher}]}}`)
	if diff := cmp.Diff(want.Object["spec"], benchmark.Object["spec"]); diff != "" {
		t.Errorf("defaulted spec (-want +got):\n%s", diff)
	}
}
