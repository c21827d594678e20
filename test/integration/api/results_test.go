package api_test

import (
	"strings"
	"testing"
)

const validResult = `
apiVersion: assay.dev/v1alpha1
kind: ValidationResult
metadata: {name: rack-7-a}
run: {name: rack-7, uid: 00000000-0000-0000-0000-000000000001}
node: {name: a, uid: 00000000-0000-0000-0000-000000000002}
verdict: Pass
`

var resultRules = map[string]rule{
	"a verdict is one of the known ones": {
		accepted: `{verdict: Missing}`,
		rejected: `{verdict: Slow}`,
		message:  `verdict: Unsupported value: "Slow"`,
	},
	"a measured value is a finite number": {
		accepted: `{benchmarks: [{name: s, verdict: Pass, attempts: [{number: 1, verdict: Pass, measurements: [{name: m, unit: s, parts: [{at: node, value: "1e-9"}]}]}]}]}`,
		rejected: `{benchmarks: [{name: s, verdict: Pass, attempts: [{number: 1, verdict: Pass, measurements: [{name: m, unit: s, parts: [{at: node, value: NaN}]}]}]}]}`,
		message:  "value in body should match",
	},
	"a part has one value": {
		accepted: `{benchmarks: [{name: s, verdict: Pass, attempts: [{number: 1, verdict: Pass, measurements: [{name: m, unit: s, parts: [{at: a, value: "1"}, {at: b, value: "1"}]}]}]}]}`,
		rejected: `{benchmarks: [{name: s, verdict: Pass, attempts: [{number: 1, verdict: Pass, measurements: [{name: m, unit: s, parts: [{at: a, value: "1"}, {at: a, value: "1"}]}]}]}]}`,
		message:  "parts[1]: Duplicate value",
	},
	"a benchmark has at most 8 attempts": {
		accepted: `{benchmarks: [{name: s, verdict: Pass, attempts: [` + attempts(8) + `]}]}`,
		rejected: `{benchmarks: [{name: s, verdict: Pass, attempts: [` + attempts(9) + `]}]}`,
		message:  "benchmarks[0].attempts: Too many: 9: must have at most 8 items",
	},
	"a message is bounded": {
		accepted: `{message: ` + strings.Repeat("m", 2048) + `}`,
		rejected: `{message: ` + strings.Repeat("m", 2049) + `}`,
		message:  "message: Too long",
	},
}

var groupResultRules = map[string]rule{
	"a result is that of a node or of a group, never of both": {
		accepted: `{node: null, group: {nodes: [{name: a, uid: u}, {name: b, uid: v}]}}`,
		rejected: `{group: {nodes: [{name: a, uid: u}, {name: b, uid: v}]}}`,
		message:  "a result is either that of a node or that of a group",
	},
	"a result is that of something": {
		accepted: `{}`,
		rejected: `{node: null}`,
		message:  "a result is either that of a node or that of a group",
	},
	"a group has nodes": {
		accepted: `{node: null, group: {nodes: [{name: a, uid: u}]}}`,
		rejected: `{node: null, group: {nodes: []}}`,
		message:  "group.nodes in body should have at least 1 items",
	},
}

const validNodeValidation = `
apiVersion: assay.dev/v1alpha1
kind: NodeValidation
metadata: {name: a}
fingerprint: {nodeUID: 00000000-0000-0000-0000-000000000002}
verdict: Pass
lastRun: {name: rack-7, uid: 00000000-0000-0000-0000-000000000001}
validatedAt: "2026-01-01T00:00:00Z"
`

var nodeValidationRules = map[string]rule{
	"a history holds at most 20 entries": {
		accepted: `{benchmarks: [{name: s, verdict: Pass, history: [` + history(20) + `]}]}`,
		rejected: `{benchmarks: [{name: s, verdict: Pass, history: [` + history(21) + `]}]}`,
		message:  "benchmarks[0].history: Too many: 21: must have at most 20 items",
	},
	"a quarantine says since when": {
		accepted: `{quarantine: {key: k, effect: NoSchedule, since: "2026-01-01T00:00:00Z", run: {name: r, uid: u}}}`,
		rejected: `{quarantine: {key: k, effect: NoSchedule, run: {name: r, uid: u}}}`,
		message:  "quarantine.since: Required value",
	},
	"a conviction says when it was measured": {
		accepted: `{convictions: [{benchmark: b, metric: m, rule: Min, run: {name: r, uid: u}, measuredAt: "2026-01-01T00:00:00Z"}]}`,
		rejected: `{convictions: [{benchmark: b, metric: m, rule: Min, run: {name: r, uid: u}}]}`,
		message:  "convictions[0].measuredAt: Required value",
	},
	"a node is validated as the node it was": {
		accepted: `{fingerprint: {nodeUID: u, bootID: b}}`,
		rejected: `{fingerprint: {nodeUID: null}}`,
		message:  "fingerprint.nodeUID: Required value",
	},
}

func TestValidationResultRules(t *testing.T) { checkRules(t, validResult, resultRules) }
func TestGroupResultRules(t *testing.T)      { checkRules(t, validResult, groupResultRules) }
func TestNodeValidationRules(t *testing.T)   { checkRules(t, validNodeValidation, nodeValidationRules) }

func attempts(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = `{number: ` + string(rune('1'+i)) + `, verdict: Pass}`
	}
	return strings.Join(all, ", ")
}

func history(n int) string {
	entry := `{run: r, runUID: u, time: "2026-01-01T00:00:00Z", verdict: Pass}`
	return strings.TrimSuffix(strings.Repeat(entry+", ", n), ", ")
}
