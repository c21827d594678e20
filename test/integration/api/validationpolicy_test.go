package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const validPolicy = `
apiVersion: assay.dev/v1alpha1
kind: ValidationPolicy
metadata: {name: gpu-pool}
spec:
  selector: {matchLabels: {pool: h200}}
  suite: quick
`

var policyRules = map[string]rule{
	"an expression of the selector has an operator that there is": {
		accepted: `{spec: {selector: {matchExpressions: [{key: rack, operator: NotIn, values: [A]}]}}}`,
		rejected: `{spec: {selector: {matchExpressions: [{key: rack, operator: Is, values: [A]}]}}}`,
		message:  "operator must be In, NotIn, Exists or DoesNotExist",
	},
	"In and NotIn of the selector need values": {
		accepted: `{spec: {selector: {matchExpressions: [{key: rack, operator: In, values: [A]}]}}}`,
		rejected: `{spec: {selector: {matchExpressions: [{key: rack, operator: In}]}}}`,
		message:  "In and NotIn need values; Exists and DoesNotExist take none",
	},
	"Exists and DoesNotExist of the selector have no values": {
		accepted: `{spec: {selector: {matchExpressions: [{key: rack, operator: Exists}]}}}`,
		rejected: `{spec: {selector: {matchExpressions: [{key: rack, operator: DoesNotExist, values: [A]}]}}}`,
		message:  "In and NotIn need values; Exists and DoesNotExist take none",
	},
	"nodes must be chosen": {
		accepted: `{spec: {selector: null, allNodes: true}}`,
		rejected: `{spec: {selector: null}}`,
		message:  nodesOfPolicy,
	},
	"every node is without a selector": {
		accepted: `{spec: {selector: {matchLabels: {rack: "7"}}, allNodes: false}}`,
		rejected: `{spec: {allNodes: true}}`,
		message:  nodesOfPolicy,
	},
	"a selector names labels": {
		accepted: `{spec: {selector: {matchExpressions: [{key: rack, operator: Exists}], matchLabels: {}}}}`,
		rejected: `{spec: {selector: {matchLabels: {pool: null}}}}`,
		message:  emptySelector,
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
	"a schedule has five fields": {
		accepted: `{spec: {schedule: "*/15  2-4 * JAN-MAR MON,FRI"}}`,
		rejected: `{spec: {schedule: "0 2 * *"}}`,
		message:  "schedule needs five fields (minute, hour, day of month, month, day of week), for example '0 2 * * 1-5', or one of @hourly,",
	},
	"a schedule has no seconds": {
		accepted: `{spec: {schedule: "0 2 * * 1-5"}}`,
		rejected: `{spec: {schedule: "0 0 2 * * 1-5"}}`,
		message:  "schedule needs five fields",
	},
	"a schedule may be one of the names that cron has": {
		accepted: `{spec: {schedule: "@weekly"}}`,
		rejected: `{spec: {schedule: "@every 1h"}}`,
		message:  "schedule needs five fields",
	},
	"a schedule has its time zone beside it": {
		accepted: `{spec: {schedule: "0 2 * * 1", timeZone: Europe/Zurich}}`,
		rejected: `{spec: {schedule: "CRON_TZ=Europe/Zurich 2 * * 1"}}`,
		message:  "schedule names a time zone: set timeZone instead",
	},
	"a time zone needs a schedule": {
		accepted: `{spec: {schedule: "@daily", timeZone: Etc/GMT+1}}`,
		rejected: `{spec: {timeZone: Europe/Zurich}}`,
		message:  "timeZone is that of schedule: set schedule, or leave timeZone out",
	},
	"a time zone is the same everywhere": {
		accepted: `{spec: {schedule: "@daily", timeZone: UTC}}`,
		rejected: `{spec: {schedule: "@daily", timeZone: Local}}`,
		message:  "timeZone Local is whatever the operator's pod has: name a zone, for example Europe/Zurich",
	},
	"a starting deadline needs a schedule": {
		accepted: `{spec: {schedule: "@daily", startingDeadlineSeconds: 14400}}`,
		rejected: `{spec: {startingDeadlineSeconds: 14400}}`,
		message:  "startingDeadlineSeconds counts from a time of schedule: set schedule, or leave startingDeadlineSeconds out",
	},
	"the gate is no taint of Kubernetes": {
		accepted: `{spec: {gate: {taint: {key: startup-taint.cluster-autoscaler.kubernetes.io/assay-unvalidated}}}}`,
		rejected: `{spec: {gate: {taint: {key: node.kubernetes.io/not-ready}}}}`,
		message:  "belong to Kubernetes: choose a key of your own",
	},
	"the gate is no taint of the control plane": {
		accepted: `{spec: {gate: {taint: {key: readiness.k8s.io/assay}}}}`,
		rejected: `{spec: {gate: {taint: {key: node-role.kubernetes.io/control-plane}}}}`,
		message:  "belong to Kubernetes: choose a key of your own",
	},
	"the gate is no taint of a cloud provider": {
		accepted: `{spec: {gate: {taint: {key: example.com/new}}}}`,
		rejected: `{spec: {gate: {taint: {key: node.cloudprovider.kubernetes.io/uninitialized}}}}`,
		message:  "belong to Kubernetes: choose a key of your own",
	},
	"the gate is not the taint of failed nodes": {
		accepted: `{spec: {gate: {taint: {key: assay.dev/new}}}}`,
		rejected: `{spec: {gate: {taint: {key: assay.dev/unfit}}}}`,
		message:  "assay.dev/unfit is the taint of nodes that failed: choose another key for the gate, for example assay.dev/unvalidated",
	},
	"gate and failure have two keys": {
		accepted: `{spec: {gate: {}, run: {onFailure: {taint: {}}}}}`,
		rejected: `{spec: {gate: {taint: {key: a.example/b}}, run: {onFailure: {taint: {key: a.example/b}}}}}`,
		message:  "gate.taint.key and run.onFailure.taint.key are the same: a pass that opens the gate would have to lift the taint of a failure. Give them two keys",
	},
	"gate and failure have two keys where the gate's is the default": {
		accepted: `{spec: {gate: {}, run: {onFailure: {taint: {key: assay.dev/slow}}}}}`,
		rejected: `{spec: {gate: {}, run: {onFailure: {taint: {key: assay.dev/unvalidated}}}}}`,
		message:  "gate.taint.key and run.onFailure.taint.key are the same",
	},
	"the taint of a failure is not one of Kubernetes' own": {
		accepted: `{spec: {run: {onFailure: {taint: {key: example.com/slow}}}}}`,
		rejected: `{spec: {run: {onFailure: {taint: {key: node.kubernetes.io/unschedulable}}}}}`,
		message:  "taints below node.kubernetes.io/ belong to Kubernetes: choose a key of your own",
	},
	"a device has no taint PreferNoSchedule": {
		accepted: `{spec: {run: {onFailure: {taint: {scope: Device}}}}}`,
		rejected: `{spec: {run: {onFailure: {taint: {scope: Device, effect: PreferNoSchedule}}}}}`,
		message:  "a device has no taint PreferNoSchedule: with scope Device use NoSchedule or NoExecute",
	},
	"run.maxConcurrentNodes is at least 1": {
		accepted: `{spec: {run: {maxConcurrentNodes: 1}}}`,
		rejected: `{spec: {run: {maxConcurrentNodes: 0}}}`,
		message:  "maxConcurrentNodes must be a number of at least 1, or a percentage from 1% to 100%",
	},
	"run.maxConcurrentNodes is a number that the operator can read": {
		accepted: `{spec: {run: {maxConcurrentNodes: 100000}}}`,
		rejected: `{spec: {run: {maxConcurrentNodes: 99999999999}}}`,
		message:  "maxConcurrentNodes may be at most 100000",
	},
	"run.maxConcurrentNodes is at most 100%": {
		accepted: `{spec: {run: {maxConcurrentNodes: "100%"}}}`,
		rejected: `{spec: {run: {maxConcurrentNodes: "101%"}}}`,
		message:  "maxConcurrentNodes must be a number of at least 1, or a percentage from 1% to 100%",
	},
	"run.onFailure.maxTaintedNodes is at most 100%": {
		accepted: `{spec: {run: {onFailure: {maxTaintedNodes: 3}}}}`,
		rejected: `{spec: {run: {onFailure: {maxTaintedNodes: "200%"}}}}`,
		message:  "maxTaintedNodes must be a number of at least 0, or a percentage from 0% to 100%",
	},
	"the name fits into those of its runs": {
		accepted: `{metadata: {name: ` + strings.Repeat("n", 39) + `}}`,
		rejected: `{metadata: {name: ` + strings.Repeat("n", 40) + `}}`,
		message:  "the name of a ValidationPolicy may have at most 39 characters: it becomes part of the names of its runs",
	},
}

// between are the two cases of a number at path that may not be smaller than the least and not be larger than the most.
func between(rules map[string]rule, path, least, below, most, above string) {
	set := func(value string) string {
		fields := strings.Split(path, ".")
		patch := fields[len(fields)-1] + ": " + value
		for i := len(fields) - 2; i >= 0; i-- {
			patch = fields[i] + ": {" + patch + "}"
		}
		return `{spec: {schedule: "@daily", ` + patch + `}}`
	}
	rules[path+" is at least "+least] = rule{set(least), set(below), "spec." + path + " in body should be greater than or equal to " + least}
	rules[path+" is at most "+most] = rule{set(most), set(above), "spec." + path + " in body should be less than or equal to " + most}
}

func policyBounds() map[string]rule {
	rules := map[string]rule{
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
		"suite is not empty": {
			accepted: `{spec: {suite: q}}`,
			rejected: `{spec: {suite: ""}}`,
			message:  "spec.suite in body should be at least 1 chars long",
		},
		"revalidateOn names changes that there are": {
			accepted: `{spec: {revalidateOn: [Reboot, KernelChange, DriverChange, DeviceChange, BenchmarkChange]}}`,
			rejected: `{spec: {revalidateOn: [FirmwareChange]}}`,
			message:  `spec.revalidateOn[0]: Unsupported value: "FirmwareChange"`,
		},
		"revalidateOn may be empty, and names no change twice": {
			accepted: `{spec: {revalidateOn: []}}`,
			rejected: `{spec: {revalidateOn: [Reboot, Reboot]}}`,
			message:  `spec.revalidateOn[1]: Duplicate value: "Reboot"`,
		},
		"timeZone is a name of the IANA database": {
			accepted: `{spec: {schedule: "@daily", timeZone: America/Port-au-Prince}}`,
			rejected: `{spec: {schedule: "@daily", timeZone: ../etc/localtime}}`,
			message:  "spec.timeZone in body should match",
		},
		"a gate keeps new work off, and evicts nothing": {
			accepted: `{spec: {gate: {taint: {effect: NoSchedule}}}}`,
			rejected: `{spec: {gate: {taint: {effect: NoExecute}}}}`,
			message:  `spec.gate.taint.effect: Unsupported value: "NoExecute"`,
		},
		"a gate's key is a qualified name": {
			accepted: `{spec: {gate: {taint: {key: new}}}}`,
			rejected: `{spec: {gate: {taint: {key: ""}}}}`,
			message:  "spec.gate.taint.key in body should match",
		},
		"a gate's value is a label value": {
			accepted: `{spec: {gate: {taint: {value: ""}}}}`,
			rejected: `{spec: {gate: {taint: {value: "-"}}}}`,
			message:  "spec.gate.taint.value in body should match",
		},
		"a gate that times out is kept or opened": {
			accepted: `{spec: {gate: {onTimeout: Open}}}`,
			rejected: `{spec: {gate: {onTimeout: Delete}}}`,
			message:  `spec.gate.onTimeout: Unsupported value: "Delete"`,
		},
		"run.busyNodes is Wait or Skip": {
			accepted: `{spec: {run: {busyNodes: Wait}}}`,
			rejected: `{spec: {run: {busyNodes: Evict}}}`,
			message:  `spec.run.busyNodes: Unsupported value: "Evict"`,
		},
	}
	between(rules, "validForSeconds", "60", "59", "63072000", "63072001")
	between(rules, "startingDeadlineSeconds", "60", "59", "2592000", "2592001")
	between(rules, "gpuSecondsPerDay", "1", "0", "1000000000000", "1000000000001")
	between(rules, "overdueSeconds", "60", "59", "63072000", "63072001")
	between(rules, "batchSeconds", "0", "-1", "3600", "3601")
	between(rules, "retry.afterSeconds", "60", "59", "2592000", "2592001")
	between(rules, "retry.limit", "0", "-1", "9", "10")
	between(rules, "gate.timeoutSeconds", "60", "59", "2592000", "2592001")
	between(rules, "run.confirmations", "0", "-1", "5", "6")
	between(rules, "run.activeDeadlineSeconds", "1", "0", "2592000", "2592001")
	between(rules, "successfulRunsHistoryLimit", "0", "-1", "100", "101")
	between(rules, "failedRunsHistoryLimit", "0", "-1", "100", "101")
	return rules
}

func TestValidationPolicyRules(t *testing.T)  { checkRules(t, validPolicy, policyRules) }
func TestValidationPolicyBounds(t *testing.T) { checkRules(t, validPolicy, policyBounds()) }

// TestEveryFieldOfAPolicyIsInATable: what a user may set is tried out, accepted and refused.
func TestEveryFieldOfAPolicyIsInATable(t *testing.T) {
	tried := ""
	for _, table := range []map[string]rule{policyRules, overrideRules, policyBounds()} {
		for _, r := range table {
			tried += r.rejected
		}
	}
	for _, field := range fieldsOf(t, "assay.dev_validationpolicies.yaml", "spec") {
		// suspend is either way.
		if field != "suspend" && !strings.Contains(tried, field+": ") {
			t.Errorf("no value of spec.%s is refused in a test", field)
		}
	}
}

func TestValidationPolicyDefaults(t *testing.T) {
	policy := object(t, validPolicy, "")
	if err := dryRun(t, policy); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"selector":                   map[string]any{"matchLabels": map[string]any{"pool": "h200"}},
		"suite":                      "quick",
		"revalidateOn":               []any{"DriverChange", "DeviceChange"},
		"overdueSeconds":             int64(86400),
		"batchSeconds":               int64(30),
		"retry":                      map[string]any{"afterSeconds": int64(3600), "limit": int64(3)},
		"successfulRunsHistoryLimit": int64(3),
		"failedRunsHistoryLimit":     int64(3),
		"run": map[string]any{
			"maxConcurrentNodes":    "100%",
			"busyNodes":             "Skip",
			"confirmations":         int64(2),
			"activeDeadlineSeconds": int64(14400),
			"onFailure":             map[string]any{"maxTaintedNodes": "10%"},
		},
	}
	if diff := cmp.Diff(want, policy.Object["spec"]); diff != "" {
		t.Errorf("defaulted spec (-want +got):\n%s", diff)
	}
	if got, _, err := unstructured.NestedInt64(policy.Object, "status", "observedGeneration"); err != nil || got != -1 {
		t.Errorf("status.observedGeneration = %d (%v), want -1: no controller has seen the policy", got, err)
	}
}

// TestDefaultsOfAGate: an empty gate is that of the documentation.
func TestDefaultsOfAGate(t *testing.T) {
	for sentence, patch := range map[string]string{
		"an empty gate":             `{spec: {gate: {}}}`,
		"a gate without a taint":    `{spec: {gate: {timeoutSeconds: 3600}}}`,
		"a gate with half a taint":  `{spec: {gate: {taint: {value: pending}}}}`,
		"a gate with an empty one":  `{spec: {gate: {taint: {}}}}`,
		"a gate with its keep only": `{spec: {gate: {onTimeout: Keep}}}`,
	} {
		policy := object(t, validPolicy, patch)
		if err := dryRun(t, policy); err != nil {
			t.Fatal(err)
		}
		got, _, _ := unstructured.NestedMap(policy.Object, "spec", "gate")
		want := map[string]any{"onTimeout": "Keep", "timeoutSeconds": int64(3600),
			"taint": map[string]any{"key": v1alpha1.DefaultGateKey, "value": "pending", "effect": "NoSchedule"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, diff)
		}
	}
}

// TestNoChangesStayNoChanges: a Go client that reads a policy and writes it back does not bring the default of revalidateOn back.
func TestNoChangesStayNoChanges(t *testing.T) {
	c := typedClient(t)
	policy := readPolicy(t, create(t, `
apiVersion: assay.dev/v1alpha1
kind: ValidationPolicy
metadata: {generateName: age-only-}
spec: {allNodes: true, suite: quick, revalidateOn: []}
`).GetName())
	t.Cleanup(func() { remove(t, policy) })
	policy.Labels = map[string]string{"team": "hpc"}
	if err := c.Update(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	if after := readPolicy(t, policy.Name); after.Labels["team"] != "hpc" || len(after.Spec.RevalidateOn) != 0 {
		t.Errorf("revalidateOn is %v after an update of the labels %v, want none", after.Spec.RevalidateOn, after.Labels)
	}
}
