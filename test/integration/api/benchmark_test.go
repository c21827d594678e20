package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const validBenchmark = `
apiVersion: assay.dev/v1alpha1
kind: Benchmark
metadata: {name: stream}
spec:
  description: memory bandwidth
  image: registry.example.com/assay/bench-cpu@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
  command: [stream, --size, $(size)]
  output: {format: Assay}
  metrics:
  - {name: triad, unit: GB/s, headline: true}
`

var benchmarkRules = map[string]rule{
	"needed labels are some": {
		accepted: `{spec: {needs: {selector: {matchLabels: {rack: "7"}}}}}`,
		rejected: `{spec: {needs: {selector: {matchLabels: {}}}}}`,
		message:  "Leave it out where any node will do",
	},
	"an expression of the selector has an operator that there is": {
		accepted: `{spec: {needs: {selector: {matchExpressions: [{key: rack, operator: NotIn, values: [A]}]}}}}`,
		rejected: `{spec: {needs: {selector: {matchExpressions: [{key: rack, operator: Is, values: [A]}]}}}}`,
		message:  "operator must be In, NotIn, Exists or DoesNotExist",
	},
	"In and NotIn of the selector need values": {
		accepted: `{spec: {needs: {selector: {matchExpressions: [{key: rack, operator: In, values: [A]}]}}}}`,
		rejected: `{spec: {needs: {selector: {matchExpressions: [{key: rack, operator: NotIn}]}}}}`,
		message:  "In and NotIn need values; Exists and DoesNotExist take none",
	},
	"Exists and DoesNotExist of the selector have no values": {
		accepted: `{spec: {needs: {selector: {matchExpressions: [{key: rack, operator: DoesNotExist}]}}}}`,
		rejected: `{spec: {needs: {selector: {matchExpressions: [{key: rack, operator: Exists, values: [A]}]}}}}`,
		message:  "In and NotIn need values; Exists and DoesNotExist take none",
	},
	"a parameter of type Enum lists its values": {
		accepted: `{spec: {parameters: [{name: mode, type: Enum, default: a, values: [a, b]}]}}`,
		rejected: `{spec: {parameters: [{name: mode, type: Enum, default: a}]}}`,
		message:  "a parameter of type Enum needs values: list the allowed ones",
	},
	"only a parameter of type Enum lists values": {
		accepted: `{spec: {parameters: [{name: size, type: Integer, default: "1", minimum: "1", maximum: "9"}]}}`,
		rejected: `{spec: {parameters: [{name: size, type: Integer, default: "1", values: ["1"]}]}}`,
		message:  "values is only for a parameter of type Enum: use minimum and maximum to bound a number",
	},
	"only a number has bounds": {
		accepted: `{spec: {parameters: [{name: load, type: Number, default: "1", minimum: "0.5", maximum: "2"}]}}`,
		rejected: `{spec: {parameters: [{name: check, type: Boolean, default: "true", minimum: "0"}]}}`,
		message:  "minimum and maximum are only for a parameter of type Integer or Number",
	},
	"an Integer's default is a whole number": {
		accepted: `{spec: {parameters: [{name: size, type: Integer, default: "-12"}]}}`,
		rejected: `{spec: {parameters: [{name: size, type: Integer, default: "1.5"}]}}`,
		message:  "default must be a value of the parameter's type",
	},
	"a Number's default is a number": {
		accepted: `{spec: {parameters: [{name: load, type: Number, default: "2.5e-1"}]}}`,
		rejected: `{spec: {parameters: [{name: load, type: Number, default: half}]}}`,
		message:  "default must be a value of the parameter's type",
	},
	"a Boolean's default is true or false": {
		accepted: `{spec: {parameters: [{name: check, type: Boolean, default: "false"}]}}`,
		rejected: `{spec: {parameters: [{name: check, type: Boolean, default: "maybe"}]}}`,
		message:  "default must be a value of the parameter's type",
	},
	"an Enum's default is one of its values": {
		accepted: `{spec: {parameters: [{name: mode, type: Enum, default: b, values: [a, b]}]}}`,
		rejected: `{spec: {parameters: [{name: mode, type: Enum, default: c, values: [a, b]}]}}`,
		message:  "default must be a value of the parameter's type",
	},
	"minDevices counts a device resource": {
		accepted: `{spec: {needs: {deviceResource: nvidia.com/gpu, minDevices: 4}}}`,
		rejected: `{spec: {needs: {minDevices: 4}}}`,
		message:  "minDevices needs deviceResource: name the resource that is counted",
	},
	"loader variables are refused": {
		accepted: `{spec: {env: [{name: NCCL_DEBUG, value: INFO}]}}`,
		rejected: `{spec: {env: [{name: LD_PRELOAD, value: /tmp/x.so}]}}`,
		message:  "variables of the dynamic loader (LD_...) are refused: put the library into the image",
	},
	"a pattern captures the value": {
		accepted: `{spec: {output: {format: Regex, patterns: [{metric: triad, regexp: 'Triad: (?P<value>\S+)'}]}}}`,
		rejected: `{spec: {output: {format: Regex, patterns: [{metric: triad, regexp: 'Triad: (\S+)'}]}}}`,
		message:  "the regular expression needs a group (?P<value>...) that captures the number",
	},
	"patterns come only with format Regex": {
		accepted: `{spec: {output: {format: STREAM}}}`,
		rejected: `{spec: {output: {format: STREAM, patterns: [{metric: triad, regexp: '(?P<value>\S+)'}]}}}`,
		message:  "patterns belong to format Regex, and format Regex needs them",
	},
	"format Regex comes with patterns": {
		accepted: `{spec: {output: {format: Regex, patterns: [{metric: triad, regexp: '(?P<value>\S+)'}]}}}`,
		rejected: `{spec: {output: {format: Regex}}}`,
		message:  "patterns belong to format Regex, and format Regex needs them",
	},
	"a pattern reads a metric that is listed": {
		accepted: `{spec: {output: {format: Regex, patterns: [{metric: triad, regexp: '(?P<value>\S+)'}]}}}`,
		rejected: `{spec: {output: {format: Regex, patterns: [{metric: copy, regexp: '(?P<value>\S+)'}]}}}`,
		message:  "every output pattern must name one of spec.metrics",
	},
	"a fraction of peak needs a peak": {
		accepted: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true, peak: memoryBandwidth, expectation: {minFractionOfPeak: "0.8"}}]}}`,
		rejected: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true, expectation: {minFractionOfPeak: "0.8"}}]}}`,
		message:  "minFractionOfPeak needs peak: name the HardwareProfile peak this metric is compared with",
	},
	"a fraction of what is reached needs a peak": {
		accepted: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true, peak: memoryBandwidth, expectation: {minFractionOfReached: "0.98"}}]}}`,
		rejected: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true, expectation: {minFractionOfReached: "0.98"}}]}}`,
		message:  "minFractionOfReached needs peak: name the HardwareProfile peak whose reached value this metric is compared with",
	},
	"efficiency needs scaling": {
		accepted: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true, scaling: Weak, expectation: {minEfficiency: "0.9"}}]}}`,
		rejected: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true, expectation: {minEfficiency: "0.9"}}]}}`,
		message:  "minEfficiency needs scaling: say whether the whole problem stays the same (Strong) or each one's share of it (Weak)",
	},
	"sizes need a metric that scales": {
		accepted: `{spec: {scope: Group, group: {size: All, sizes: [1, 2, 4]}, metrics: [{name: triad, unit: GB/s, headline: true, scaling: Strong}]}}`,
		rejected: `{spec: {scope: Group, group: {size: All, sizes: [1, 2, 4]}, metrics: [{name: triad, unit: GB/s, headline: true}]}}`,
		message:  "group.sizes needs a metric with scaling: say which one is to grow with the number of nodes",
	},
	"sizes are not for pairs": {
		accepted: `{spec: {scope: Group, group: {size: 3, sizes: [1]}, metrics: [{name: triad, unit: GB/s, headline: true, scaling: Strong}]}}`,
		rejected: `{spec: {scope: Group, group: {size: 2, sizes: [1]}, metrics: [{name: triad, unit: GB/s, headline: true, scaling: Strong}]}}`,
		message:  "group.sizes is not for pairs: set group.size to a greater number or to All, or leave sizes out",
	},
	"sizes are less than the group's": {
		accepted: `{spec: {scope: Group, group: {size: 8, sizes: [1, 7]}, metrics: [{name: triad, unit: GB/s, headline: true, scaling: Strong}]}}`,
		rejected: `{spec: {scope: Group, group: {size: 8, sizes: [1, 8]}, metrics: [{name: triad, unit: GB/s, headline: true, scaling: Strong}]}}`,
		message:  "each of group.sizes must be less than group.size, which is measured in any case",
	},
	"a metric depends on another one": {
		accepted: `{spec: {metrics: [{name: links, unit: count}, {name: triad, unit: GB/s, headline: true, dependsOn: links}]}}`,
		rejected: `{spec: {metrics: [{name: links, unit: count}, {name: triad, unit: GB/s, headline: true, dependsOn: triad}]}}`,
		message:  "dependsOn must name another metric of spec.metrics",
	},
	"a fact must be something": {
		accepted: `{spec: {facts: [{name: ecc, equal: "on"}, {name: width, atLeast: "16"}, {name: vbios, uniform: true, verdict: Warning}]}}`,
		rejected: `{spec: {facts: [{name: ecc, uniform: false}]}}`,
		message:  "a fact needs equal, atLeast or uniform: say what it must be, or leave it out (facts are kept in any case)",
	},
	"facts are judged of single nodes": {
		accepted: `{spec: {scope: Node, facts: [{name: ecc, equal: "on"}]}}`,
		rejected: `{spec: {scope: Group, group: {size: 2}, facts: [{name: ecc, equal: "on"}]}}`,
		message:  "facts are only for scope Node: a fact is one node's, whatever group it is measured in",
	},
	"the host is known of single nodes": {
		accepted: `{spec: {scope: Node, quietHost: true}}`,
		rejected: `{spec: {scope: Group, group: {size: 2}, quietHost: true}}`,
		message:  "quietHost is only for scope Node",
	},
	"an image is named, or what the site has to provide": {
		accepted: `{spec: {image: null, siteImage: NAMD and its input}}`,
		rejected: `{spec: {image: null}}`,
		message:  "image is missing: name the image that holds the program, or say in siteImage what the site has to provide",
	},
	"a folder of the node is named without detours": {
		accepted: `{spec: {privileges: {hostPaths: [/mnt/scratch]}}}`,
		rejected: `{spec: {privileges: {hostPaths: [/mnt/../etc]}}}`,
		message:  "a host path is written without .., /., // and a / at its end",
	},
	"a folder of the node has one name": {
		accepted: `{spec: {privileges: {hostPaths: [/mnt/a.b]}}}`,
		rejected: `{spec: {privileges: {hostPaths: [/mnt/scratch/]}}}`,
		message:  "a host path is written without .., /., // and a / at its end",
	},
	"a folder of the node does not hide the pod's own": {
		accepted: `{spec: {privileges: {hostPaths: [/tmpfs]}}}`,
		rejected: `{spec: {privileges: {hostPaths: [/dev/shm]}}}`,
		message:  "/tmp, /assay and /dev/shm are the pod's own: name another folder",
	},
	"one metric at least is a headline": {
		accepted: `{spec: {metrics: [{name: copy, unit: GB/s}, {name: triad, unit: GB/s, headline: true}]}}`,
		rejected: `{spec: {metrics: [{name: copy, unit: GB/s}, {name: triad, unit: GB/s, headline: false}]}}`,
		message:  "at least one metric must have headline: true, so that the run's table has something to show",
	},
	"the name fits into pod names": {
		accepted: `{metadata: {name: ` + strings.Repeat("n", 40) + `}}`,
		rejected: `{metadata: {name: ` + strings.Repeat("n", 41) + `}}`,
		message:  "the name of a Benchmark may have at most 40 characters: it becomes part of pod names",
	},
}

var benchmarkBounds = map[string]rule{
	"scope is Node or Group": {
		accepted: `{spec: {scope: Group, group: {size: 2}}}`,
		rejected: `{spec: {scope: Cluster}}`,
		message:  `spec.scope: Unsupported value: "Cluster"`,
	},
	"the image has no blanks or shell characters": {
		accepted: `{spec: {image: localhost/assay/bench-cpu:dev}}`,
		rejected: `{spec: {image: "x;reboot"}}`,
		message:  "spec.image in body should match",
	},
	"the command is not empty": {
		accepted: `{spec: {command: [stream]}}`,
		rejected: `{spec: {command: []}}`,
		message:  "spec.command in body should have at least 1 items",
	},
	"a description is given": {
		accepted: `{spec: {description: x}}`,
		rejected: `{spec: {description: ""}}`,
		message:  "spec.description in body should be at least 1 chars long",
	},
	"a size is a number of nodes": {
		accepted: `{spec: {scope: Group, group: {size: All, sizes: [1]}, metrics: [{name: triad, unit: GB/s, headline: true, scaling: Strong}]}}`,
		rejected: `{spec: {scope: Group, group: {size: All, sizes: [0]}, metrics: [{name: triad, unit: GB/s, headline: true, scaling: Strong}]}}`,
		message:  "spec.group.sizes[0] in body should be greater than or equal to 1",
	},
	"a size is measured once": {
		accepted: `{spec: {scope: Group, group: {size: All, sizes: [1, 2]}, metrics: [{name: triad, unit: GB/s, headline: true, scaling: Strong}]}}`,
		rejected: `{spec: {scope: Group, group: {size: All, sizes: [2, 2]}, metrics: [{name: triad, unit: GB/s, headline: true, scaling: Strong}]}}`,
		message:  `spec.group.sizes[1]: Duplicate value: 2`,
	},
	"a suite is a label": {
		accepted: `{spec: {suites: [quick, my-own]}}`,
		rejected: `{spec: {suites: [Quick]}}`,
		message:  "spec.suites[0] in body should match",
	},
	"a suite is listed once": {
		accepted: `{spec: {suites: [quick, standard]}}`,
		rejected: `{spec: {suites: [quick, quick]}}`,
		message:  `spec.suites[1]: Duplicate value: "quick"`,
	},
	"a parameter is lowerCamelCase": {
		accepted: `{spec: {parameters: [{name: arrayBytes, type: Integer, default: "1"}]}}`,
		rejected: `{spec: {parameters: [{name: array-bytes, type: Integer, default: "1"}]}}`,
		message:  "spec.parameters[0].name in body should match",
	},
	"a parameter has no free text type": {
		accepted: `{spec: {parameters: [{name: check, type: Boolean, default: "true"}]}}`,
		rejected: `{spec: {parameters: [{name: check, type: String, default: x}]}}`,
		message:  `spec.parameters[0].type: Unsupported value: "String"`,
	},
	"a parameter's bound is a number": {
		accepted: `{spec: {parameters: [{name: load, type: Number, default: "1", minimum: "0.5"}]}}`,
		rejected: `{spec: {parameters: [{name: load, type: Number, default: "1", minimum: half}]}}`,
		message:  "spec.parameters[0].minimum in body should match",
	},
	"an allowed value has no shell characters": {
		accepted: `{spec: {parameters: [{name: mode, type: Enum, default: "a=1,2", values: ["a=1,2"]}]}}`,
		rejected: `{spec: {parameters: [{name: mode, type: Enum, default: "$(id)", values: ["$(id)"]}]}}`,
		message:  "spec.parameters[0].values[0] in body should match",
	},
	"a device resource is a qualified name": {
		accepted: `{spec: {needs: {deviceResource: nvidia.com/gpu, minDevices: 2}}}`,
		rejected: `{spec: {needs: {deviceResource: gpu}}}`,
		message:  "spec.needs.deviceResource in body should match",
	},
	"minDevices is at least 1": {
		accepted: `{spec: {needs: {deviceResource: nvidia.com/gpu, minDevices: 1}}}`,
		rejected: `{spec: {needs: {deviceResource: nvidia.com/gpu, minDevices: 0}}}`,
		message:  "spec.needs.minDevices in body should be greater than or equal to 1",
	},
	"a capability is spelled as Linux spells it": {
		accepted: `{spec: {privileges: {capabilities: [IPC_LOCK]}}}`,
		rejected: `{spec: {privileges: {capabilities: [ipc-lock]}}}`,
		message:  "spec.privileges.capabilities[0] in body should match",
	},
	"an environment variable's name is one": {
		accepted: `{spec: {env: [{name: OMP_NUM_THREADS, value: "4"}]}}`,
		rejected: `{spec: {env: [{name: "A B", value: "4"}]}}`,
		message:  "spec.env[0].name in body should match",
	},
	"timeoutSeconds is at least 1": {
		accepted: `{spec: {timeoutSeconds: 1}}`,
		rejected: `{spec: {timeoutSeconds: 0}}`,
		message:  "spec.timeoutSeconds in body should be greater than or equal to 1",
	},
	"timeoutSeconds is at most a day": {
		accepted: `{spec: {timeoutSeconds: 86400}}`,
		rejected: `{spec: {timeoutSeconds: 86401}}`,
		message:  "spec.timeoutSeconds in body should be less than or equal to 86400",
	},
	"costSeconds is at least 1": {
		accepted: `{spec: {costSeconds: 1}}`,
		rejected: `{spec: {costSeconds: 0}}`,
		message:  "spec.costSeconds in body should be greater than or equal to 1",
	},
	"the format is one with a parser": {
		accepted: `{spec: {output: {format: HPL}}}`,
		rejected: `{spec: {output: {format: CSV}}}`,
		message:  `spec.output.format: Unsupported value: "CSV"`,
	},
	"a metric is lowerCamelCase": {
		accepted: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true}]}}`,
		rejected: `{spec: {metrics: [{name: Triad, unit: GB/s, headline: true}]}}`,
		message:  "spec.metrics[0].name in body should match",
	},
	"a metric is listed once": {
		accepted: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true}, {name: copy, unit: GB/s}]}}`,
		rejected: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true}, {name: triad, unit: GB/s}]}}`,
		message:  "spec.metrics[1]: Duplicate value",
	},
	"better is Higher or Lower": {
		accepted: `{spec: {metrics: [{name: latency, unit: us, better: Lower, headline: true}]}}`,
		rejected: `{spec: {metrics: [{name: latency, unit: us, better: Smaller, headline: true}]}}`,
		message:  `spec.metrics[0].better: Unsupported value: "Smaller"`,
	},
	"a noise floor is a fraction": {
		accepted: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true, noise: {run: "0.02"}}]}}`,
		rejected: `{spec: {metrics: [{name: triad, unit: GB/s, headline: true, noise: {run: "2%"}}]}}`,
		message:  "spec.metrics[0].noise.run in body should match",
	},
}

func TestBenchmarkRules(t *testing.T)  { checkRules(t, validBenchmark, benchmarkRules) }
func TestBenchmarkBounds(t *testing.T) { checkRules(t, validBenchmark, benchmarkBounds) }

func TestBenchmarkDefaults(t *testing.T) {
	benchmark := object(t, validBenchmark, "")
	if err := dryRun(t, benchmark); err != nil {
		t.Fatal(err)
	}
	want := object(t, validBenchmark, `{spec: {scope: Node, timeoutSeconds: 600, costSeconds: 60,
	  metrics: [{name: triad, unit: GB/s, headline: true, better: Higher}]}}`)
	if diff := cmp.Diff(want.Object["spec"], benchmark.Object["spec"]); diff != "" {
		t.Errorf("defaulted spec (-want +got):\n%s", diff)
	}
}
