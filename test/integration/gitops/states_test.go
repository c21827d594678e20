package gitops_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

var samples = filepath.Join("..", "..", "..", "config", "samples")

// state of an object, and what the tools are to make of it.
type state struct {
	// generation that the status is about; the object is at 2. Zero: 2.
	observed int64
	// conditions, as "Type=Status/Reason" each.
	conditions string
	// fields of metadata and status, beside these.
	metadata, status map[string]any
	// kstatus is what Flux shows by itself, flux with the expressions of the sample, argo what Argo CD shows.
	kstatus, flux status.Status
	argo          string
}

func (s state) object(kind string) *unstructured.Unstructured {
	observed := s.observed
	if observed == 0 {
		observed = 2
	}
	o := map[string]any{"apiVersion": "assay.dev/v1alpha1", "kind": kind, "metadata": map[string]any{"name": "x", "generation": int64(2)},
		"spec": map[string]any{"suite": "quick"}, "status": map[string]any{"observedGeneration": observed}}
	maps.Copy(o["metadata"].(map[string]any), s.metadata)
	maps.Copy(o["status"].(map[string]any), s.status)
	var conditions []any
	for _, c := range strings.Fields(s.conditions) {
		name, rest, _ := strings.Cut(c, "=")
		value, reason, _ := strings.Cut(rest, "/")
		conditions = append(conditions, map[string]any{"type": name, "status": value, "reason": reason, "message": "what happened", "lastTransitionTime": "2026-11-22T12:00:00Z"})
	}
	if conditions != nil {
		o["status"].(map[string]any)["conditions"] = conditions
	}
	return &unstructured.Unstructured{Object: o}
}

const (
	current     = status.CurrentStatus
	inProgress  = status.InProgressStatus
	failed      = status.FailedStatus
	terminating = status.TerminatingStatus
)

var runStates = map[string]state{
	"nobody has seen it": {observed: -1, kstatus: inProgress, flux: inProgress, argo: "Progressing"},
	"it is measured":     {conditions: "Finished=False/Running Succeeded=Unknown/Running Reconciling=True/Running", kstatus: inProgress, flux: inProgress, argo: "Progressing"},
	"it waits":           {conditions: "Finished=False/Waiting Succeeded=Unknown/Waiting Reconciling=True/Waiting", kstatus: inProgress, flux: inProgress, argo: "Progressing"},
	"it is suspended":    {conditions: "Finished=False/Suspended Succeeded=Unknown/Suspended Suspended=True/Suspended", kstatus: current, flux: inProgress, argo: "Suspended"},
	"it was resumed, and nobody has seen that yet": {observed: 1, conditions: "Finished=False/Suspended Succeeded=Unknown/Suspended Suspended=True/Suspended",
		kstatus: inProgress, flux: inProgress, argo: "Progressing"},
	"it passed":               {conditions: "Finished=True/Passed Succeeded=True/Passed", kstatus: current, flux: current, argo: "Healthy"},
	"nodes failed":            {conditions: "Finished=True/NodesFailed Succeeded=False/NodesFailed Stalled=True/NodesFailed", kstatus: failed, flux: failed, argo: "Degraded"},
	"it could not be decided": {conditions: "Finished=True/Inconclusive Succeeded=Unknown/Inconclusive Stalled=True/Inconclusive", kstatus: failed, flux: failed, argo: "Degraded"},
	"its suite does not exist": {conditions: "Finished=False/Invalid Succeeded=False/Invalid Stalled=True/Invalid", kstatus: failed, flux: failed,
		argo: "Degraded"},
	"it is deleted while it is measured": {metadata: map[string]any{"deletionTimestamp": "2026-11-22T12:00:00Z"},
		conditions: "Finished=False/Running Reconciling=True/Running", kstatus: terminating, flux: inProgress, argo: "Progressing"},
}

var policyStates = map[string]state{
	"nobody has seen it": {observed: -1, kstatus: inProgress, flux: inProgress, argo: "Progressing"},
	"it was edited, and nobody has seen that yet": {observed: 1, conditions: "Ready=True/Enforced Satisfied=True/AllValid", kstatus: inProgress, flux: inProgress,
		argo: "Progressing"},
	"it is looked at for the first time": {conditions: "Reconciling=True/Running", kstatus: inProgress, flux: inProgress, argo: "Progressing"},
	"a request was noted, and no more": {observed: -1, status: map[string]any{"validateNow": map[string]any{"value": "1"}}, kstatus: inProgress, flux: inProgress,
		argo: "Progressing"},
	"all nodes are valid": {conditions: "Ready=True/Enforced Satisfied=True/AllValid", kstatus: current, flux: current, argo: "Healthy"},
	"there is no node":    {conditions: "Ready=True/Enforced Satisfied=Unknown/NoNodes", kstatus: current, flux: current, argo: "Healthy"},
	"a node is due": {conditions: "Ready=True/Enforced Satisfied=False/NodesNotValid", status: nodes("due"), kstatus: current, flux: inProgress,
		argo: "Progressing"},
	"a node failed": {conditions: "Ready=True/Enforced Satisfied=False/NodesNotValid", status: nodes("failed"), kstatus: current, flux: inProgress,
		argo: "Degraded"},
	"a node is overdue": {conditions: "Ready=True/Enforced Satisfied=False/NodesNotValid", status: nodes("due", "overdue"), kstatus: current, flux: inProgress,
		argo: "Degraded"},
	"it is suspended, and a node is due": {conditions: "Ready=True/Suspended Satisfied=False/NodesNotValid Suspended=True/Suspended", status: nodes("due"),
		kstatus: current, flux: inProgress, argo: "Suspended"},
	"its schedule cannot be read": {conditions: "Ready=False/Invalid Stalled=True/Invalid", kstatus: failed, flux: failed, argo: "Degraded"},
	"the API server refuses its runs": {conditions: "Ready=False/LaunchFailed Satisfied=False/NodesNotValid", status: nodes("due"), kstatus: inProgress,
		flux: inProgress, argo: "Progressing"},
	"another policy has its gate": {conditions: "Ready=False/GateConflict Satisfied=True/AllValid Stalled=True/GateConflict", kstatus: failed, flux: failed, argo: "Degraded"},
	"it is deleted": {metadata: map[string]any{"deletionTimestamp": "2026-11-22T12:00:00Z"}, conditions: "Ready=True/Enforced Satisfied=True/AllValid",
		kstatus: terminating, flux: current, argo: "Progressing"},
}

// nodes of a policy, of which one is in these states.
func nodes(states ...string) map[string]any {
	counts := map[string]any{"selected": int64(2), "valid": int64(1)}
	for _, state := range []string{"due", "failed", "unmeasurable", "overdue", "validating", "gated"} {
		counts[state] = int64(0)
		if slices.Contains(states, state) {
			counts[state] = int64(1)
		}
	}
	return map[string]any{"nodes": counts}
}

func TestWhatToolsMakeOfARun(t *testing.T)    { checkStates(t, "ValidationRun", runStates) }
func TestWhatToolsMakeOfAPolicy(t *testing.T) { checkStates(t, "ValidationPolicy", policyStates) }

func checkStates(t *testing.T, kind string, states map[string]state) {
	for sentence, s := range states {
		t.Run(sentence, func(t *testing.T) { checkShown(t, s.object(kind), s.kstatus, s.flux, s.argo) })
	}
}
