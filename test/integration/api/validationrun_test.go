package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const validRun = `
apiVersion: assay.dev/v1alpha1
kind: ValidationRun
metadata: {name: rack-7}
spec:
  selector: {matchLabels: {rack: "7"}}
  suite: quick
`

// What is said of nodes that are not chosen, or more than once, and of a selector that names no label.
const (
	nodesOfRun    = "set exactly one of selector, nodeNames and allNodes: true, for example selector: {matchLabels: {pool: h200}}. There is no nodeSelector"
	nodesOfPolicy = "set either selector or allNodes: true, for example selector: {matchLabels: {pool: h200}}. There is no nodeSelector"
	emptySelector = "a selector names labels, below matchLabels or matchExpressions, for example {matchLabels: {pool: h200}}. For every node, set allNodes: true instead"
)

// overrideRules hold of a run and of a policy, both of which have the suite quick.
var overrideRules = map[string]rule{
	"overrides are those of a suite": {
		accepted: `{spec: {overrides: [{name: gpustream, expectations: [{metric: hbmTriad, min: "4.3"}]}]}}`,
		rejected: `{spec: {suite: null, benchmarks: [{name: stream}], overrides: [{name: stream, parameters: [{name: seconds, value: "20"}]}]}}`,
		message:  "overrides are those of a suite: set suite, or give parameters and expectations below benchmarks",
	},
	"an override makes something different": {
		accepted: `{spec: {overrides: [{name: stream, parameters: [{name: seconds, value: "20"}]}]}}`,
		rejected: `{spec: {overrides: [{name: stream}]}}`,
		message:  "an override says what is to be different: set parameters or expectations",
	},
	"an override names a benchmark": {
		accepted: `{spec: {overrides: [{name: stream, parameters: [{name: seconds, value: "20"}]}]}}`,
		rejected: `{spec: {overrides: [{name: "", parameters: [{name: seconds, value: "20"}]}]}}`,
		message:  "spec.overrides[0].name",
	},
}

var runRules = map[string]rule{
	"an expression of the selector has an operator that there is": {
		accepted: `{spec: {selector: {matchExpressions: [{key: rack, operator: NotIn, values: [A]}]}}}`,
		rejected: `{spec: {selector: {matchExpressions: [{key: rack, operator: Is, values: [A]}]}}}`,
		message:  "operator must be In, NotIn, Exists or DoesNotExist",
	},
	"In and NotIn of the selector need values": {
		accepted: `{spec: {selector: {matchExpressions: [{key: rack, operator: In, values: [A]}]}}}`,
		rejected: `{spec: {selector: {matchExpressions: [{key: rack, operator: NotIn}]}}}`,
		message:  "In and NotIn need values; Exists and DoesNotExist take none",
	},
	"Exists and DoesNotExist of the selector have no values": {
		accepted: `{spec: {selector: {matchExpressions: [{key: rack, operator: DoesNotExist}]}}}`,
		rejected: `{spec: {selector: {matchExpressions: [{key: rack, operator: Exists, values: [A]}]}}}`,
		message:  "In and NotIn need values; Exists and DoesNotExist take none",
	},
	"nodes are chosen by selector or by name, never both": {
		accepted: `{spec: {selector: null, nodeNames: [a, b]}}`,
		rejected: `{spec: {nodeNames: [a, b]}}`,
		message:  nodesOfRun,
	},
	"every node is without a selector": {
		accepted: `{spec: {selector: null, allNodes: true}}`,
		rejected: `{spec: {allNodes: true}}`,
		message:  nodesOfRun,
	},
	"every node is without names": {
		accepted: `{spec: {selector: null, nodeNames: [a], allNodes: false}}`,
		rejected: `{spec: {selector: null, nodeNames: [a], allNodes: true}}`,
		message:  nodesOfRun,
	},
	"allNodes: false chooses none": {
		accepted: `{spec: {allNodes: false}}`,
		rejected: `{spec: {selector: null, allNodes: false}}`,
		message:  nodesOfRun,
	},
	"a selector names labels": {
		accepted: `{spec: {selector: {matchExpressions: [{key: rack, operator: Exists}], matchLabels: {}}}}`,
		rejected: `{spec: {selector: {matchLabels: {rack: null}}}}`,
		message:  emptySelector,
	},
	"nodes must be chosen": {
		accepted: `{spec: {selector: null, allNodes: true}}`,
		rejected: `{spec: {selector: null}}`,
		message:  nodesOfRun,
	},
	"benchmarks are chosen by suite or by name, never both": {
		accepted: `{spec: {suite: null, benchmarks: [{name: stream}]}}`,
		rejected: `{spec: {benchmarks: [{name: stream}]}}`,
		message:  "set exactly one of suite and benchmarks",
	},
	"benchmarks must be chosen": {
		accepted: `{spec: {suite: acceptance}}`,
		rejected: `{spec: {suite: null}}`,
		message:  "set exactly one of suite and benchmarks",
	},
	"maxConcurrentNodes as a number is at least 1": {
		accepted: `{spec: {maxConcurrentNodes: 1}}`,
		rejected: `{spec: {maxConcurrentNodes: 0}}`,
		message:  "maxConcurrentNodes must be a number of at least 1, or a percentage from 1% to 100%",
	},
	"maxConcurrentNodes is a number that the operator can read": {
		accepted: `{spec: {maxConcurrentNodes: 100000}}`,
		rejected: `{spec: {maxConcurrentNodes: 99999999999}}`, // one such run, and no operator could list any
		message:  "maxConcurrentNodes may be at most 100000",
	},
	"maxTaintedNodes is a number that the operator can read": {
		accepted: `{spec: {onFailure: {maxTaintedNodes: 100000}}}`,
		rejected: `{spec: {onFailure: {maxTaintedNodes: 99999999999}}}`,
		message:  "maxTaintedNodes may be at most 100000",
	},
	"nodeNames leave room for the status": {
		accepted: `{spec: {selector: null, nodeNames: [` + longNames(10_000, 40) + `]}}`,
		rejected: `{spec: {selector: null, nodeNames: [` + longNames(10_000, 41) + `]}}`,
		message:  "nodeNames may have at most 400000 characters together",
	},
	"maxConcurrentNodes as a percentage is at least 1%": {
		accepted: `{spec: {maxConcurrentNodes: "1%"}}`,
		rejected: `{spec: {maxConcurrentNodes: "0%"}}`,
		message:  "maxConcurrentNodes must be a number of at least 1, or a percentage from 1% to 100%",
	},
	"maxConcurrentNodes as a percentage is at most 100%": {
		accepted: `{spec: {maxConcurrentNodes: "100%"}}`,
		rejected: `{spec: {maxConcurrentNodes: "101%"}}`,
		message:  "maxConcurrentNodes must be a number of at least 1, or a percentage from 1% to 100%",
	},
	"maxConcurrentNodes as text needs the percent sign": {
		accepted: `{spec: {maxConcurrentNodes: "10%"}}`,
		rejected: `{spec: {maxConcurrentNodes: "10"}}`,
		message:  "maxConcurrentNodes must be a number of at least 1, or a percentage from 1% to 100%",
	},
	"maxTaintedNodes as a number is not negative": {
		accepted: `{spec: {onFailure: {maxTaintedNodes: 0}}}`,
		rejected: `{spec: {onFailure: {maxTaintedNodes: -1}}}`,
		message:  "maxTaintedNodes must be a number of at least 0, or a percentage from 0% to 100%",
	},
	"maxTaintedNodes as a percentage is at most 100%": {
		accepted: `{spec: {onFailure: {maxTaintedNodes: "0%"}}}`,
		rejected: `{spec: {onFailure: {maxTaintedNodes: "200%"}}}`,
		message:  "maxTaintedNodes must be a number of at least 0, or a percentage from 0% to 100%",
	},
	"a taint's key is not one of Kubernetes' own": {
		accepted: `{spec: {onFailure: {taint: {key: example.com/slow}}}}`,
		rejected: `{spec: {onFailure: {taint: {key: node.kubernetes.io/unschedulable}}}}`,
		message:  "taints below node.kubernetes.io/ belong to Kubernetes: choose a key of your own",
	},
	"a device has no taint PreferNoSchedule": {
		accepted: `{spec: {onFailure: {taint: {scope: Device, effect: NoExecute}}}}`,
		rejected: `{spec: {onFailure: {taint: {scope: Device, effect: PreferNoSchedule}}}}`,
		message:  "a device has no taint PreferNoSchedule: with scope Device use NoSchedule or NoExecute",
	},
	"the name fits a label": {
		accepted: `{metadata: {name: ` + strings.Repeat("n", 63) + `}}`,
		rejected: `{metadata: {name: ` + strings.Repeat("n", 64) + `}}`,
		message:  "the name of a ValidationRun may have at most 63 characters: it becomes a label",
	},
}

var runBounds = map[string]rule{
	"nodeNames names at least one node": {
		accepted: `{spec: {selector: null, nodeNames: [a]}}`,
		rejected: `{spec: {selector: null, nodeNames: []}}`,
		message:  "spec.nodeNames in body should have at least 1 items",
	},
	"nodeNames names no node twice": {
		accepted: `{spec: {selector: null, nodeNames: [a, b]}}`,
		rejected: `{spec: {selector: null, nodeNames: [a, a]}}`,
		message:  `spec.nodeNames[1]: Duplicate value: "a"`,
	},
	"benchmarks names at least one": {
		accepted: `{spec: {suite: null, benchmarks: [{name: stream}]}}`,
		rejected: `{spec: {suite: null, benchmarks: []}}`,
		message:  "spec.benchmarks in body should have at least 1 items",
	},
	"benchmarks names none twice": {
		accepted: `{spec: {suite: null, benchmarks: [{name: stream}, {name: hpl}]}}`,
		rejected: `{spec: {suite: null, benchmarks: [{name: stream}, {name: stream}]}}`,
		message:  `spec.benchmarks[1]: Duplicate value: {"name":"stream"}`,
	},
	"busyNodes is Wait or Skip": {
		accepted: `{spec: {busyNodes: Skip}}`,
		rejected: `{spec: {busyNodes: Evict}}`,
		message:  `spec.busyNodes: Unsupported value: "Evict"`,
	},
	"confirmations is at least 0": {
		accepted: `{spec: {confirmations: 0}}`,
		rejected: `{spec: {confirmations: -1}}`,
		message:  "spec.confirmations in body should be greater than or equal to 0",
	},
	"confirmations is at most 5": {
		accepted: `{spec: {confirmations: 5}}`,
		rejected: `{spec: {confirmations: 6}}`,
		message:  "spec.confirmations in body should be less than or equal to 5",
	},
	"activeDeadlineSeconds is at least 1": {
		accepted: `{spec: {activeDeadlineSeconds: 1}}`,
		rejected: `{spec: {activeDeadlineSeconds: 0}}`,
		message:  "spec.activeDeadlineSeconds in body should be greater than or equal to 1",
	},
	"activeDeadlineSeconds is at most 30 days": {
		accepted: `{spec: {activeDeadlineSeconds: 2592000}}`,
		rejected: `{spec: {activeDeadlineSeconds: 2592001}}`,
		message:  "spec.activeDeadlineSeconds in body should be less than or equal to 2592000",
	},
	"ttlSecondsAfterFinished is not negative": {
		accepted: `{spec: {ttlSecondsAfterFinished: 0}}`,
		rejected: `{spec: {ttlSecondsAfterFinished: -1}}`,
		message:  "spec.ttlSecondsAfterFinished in body should be greater than or equal to 0",
	},
	"a taint's effect is one that Kubernetes knows": {
		accepted: `{spec: {onFailure: {taint: {effect: NoExecute}}}}`,
		rejected: `{spec: {onFailure: {taint: {effect: Evict}}}}`,
		message:  `spec.onFailure.taint.effect: Unsupported value: "Evict"`,
	},
	"a taint's key is a qualified name": {
		accepted: `{spec: {onFailure: {taint: {key: unfit}}}}`,
		rejected: `{spec: {onFailure: {taint: {key: "a b"}}}}`,
		message:  "spec.onFailure.taint.key in body should match",
	},
	"a taint's value is a label value": {
		accepted: `{spec: {onFailure: {taint: {value: ""}}}}`,
		rejected: `{spec: {onFailure: {taint: {value: "-"}}}}`,
		message:  "spec.onFailure.taint.value in body should match",
	},
	"an expectation's fraction is at most 1": {
		accepted: `{spec: {suite: null, benchmarks: [{name: s, expectations: [{metric: triad, minFractionOfPeak: "1.0"}]}]}}`,
		rejected: `{spec: {suite: null, benchmarks: [{name: s, expectations: [{metric: triad, minFractionOfPeak: "1.1"}]}]}}`,
		message:  "minFractionOfPeak in body should match",
	},
	"an expectation's fraction is not negative": {
		accepted: `{spec: {suite: null, benchmarks: [{name: s, expectations: [{metric: triad, maxFleetDeviation: "0"}]}]}}`,
		rejected: `{spec: {suite: null, benchmarks: [{name: s, expectations: [{metric: triad, maxFleetDeviation: "-0.1"}]}]}}`,
		message:  "maxFleetDeviation in body should match",
	},
	"a bound is a decimal number": {
		accepted: `{spec: {suite: null, benchmarks: [{name: s, expectations: [{metric: triad, min: "-1.5e3"}]}]}}`,
		rejected: `{spec: {suite: null, benchmarks: [{name: s, expectations: [{metric: triad, min: "12 GB/s"}]}]}}`,
		message:  "min in body should match",
	},
	"a bound is text, never a float": {
		accepted: `{spec: {suite: null, benchmarks: [{name: s, expectations: [{metric: triad, max: "2"}]}]}}`,
		rejected: `{spec: {suite: null, benchmarks: [{name: s, expectations: [{metric: triad, max: 2}]}]}}`,
		message:  "max in body must be of type string",
	},
	"a parameter is set once": {
		accepted: `{spec: {suite: null, benchmarks: [{name: s, parameters: [{name: a, value: "1"}, {name: b, value: "1"}]}]}}`,
		rejected: `{spec: {suite: null, benchmarks: [{name: s, parameters: [{name: a, value: "1"}, {name: a, value: "2"}]}]}}`,
		message:  "spec.benchmarks[0].parameters[1]: Duplicate value",
	},
	"a parameter's value is short": {
		accepted: `{spec: {suite: null, benchmarks: [{name: s, parameters: [{name: a, value: "` + strings.Repeat("1", 64) + `"}]}]}}`,
		rejected: `{spec: {suite: null, benchmarks: [{name: s, parameters: [{name: a, value: "` + strings.Repeat("1", 65) + `"}]}]}}`,
		message:  "spec.benchmarks[0].parameters[0].value: Too long",
	},
}

// longNames are so many names of so many characters each, as a list.
func longNames(count, length int) string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("n%0*d", length-1, i)
	}
	return strings.Join(names, ", ")
}

func TestValidationRunRules(t *testing.T)  { checkRules(t, validRun, runRules) }
func TestOverridesOfARun(t *testing.T)     { checkRules(t, validRun, overrideRules) }
func TestOverridesOfAPolicy(t *testing.T)  { checkRules(t, validPolicy, overrideRules) }
func TestValidationRunBounds(t *testing.T) { checkRules(t, validRun, runBounds) }

func TestValidationRunDefaults(t *testing.T) {
	run := object(t, validRun, `{spec: {onFailure: {taint: {}}}}`)
	if err := dryRun(t, run); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"selector":              map[string]any{"matchLabels": map[string]any{"rack": "7"}},
		"suite":                 "quick",
		"maxConcurrentNodes":    "100%",
		"busyNodes":             "Wait",
		"confirmations":         int64(2),
		"activeDeadlineSeconds": int64(14400),
		"onFailure": map[string]any{
			"maxTaintedNodes": "10%",
			"taint":           map[string]any{"key": "assay.dev/unfit", "value": "failed", "effect": "NoSchedule", "scope": "Node"},
		},
	}
	if diff := cmp.Diff(want, run.Object["spec"]); diff != "" {
		t.Errorf("defaulted spec (-want +got):\n%s", diff)
	}
}

func TestValidationRunHasNoTaintUnlessAsked(t *testing.T) {
	run := object(t, validRun, "")
	if err := dryRun(t, run); err != nil {
		t.Fatal(err)
	}
	if _, found, _ := unstructured.NestedMap(run.Object, "spec", "onFailure", "taint"); found {
		t.Error("a run that asks for no taint got one by default")
	}
}

func TestValidationRunIsUnseenUntilTheControllerSaysOtherwise(t *testing.T) {
	run := object(t, validRun, "")
	if err := dryRun(t, run); err != nil {
		t.Fatal(err)
	}
	got, found, err := unstructured.NestedInt64(run.Object, "status", "observedGeneration")
	if err != nil || !found || got != -1 {
		t.Errorf("status.observedGeneration = %d (found %v, %v), want -1", got, found, err)
	}
}
