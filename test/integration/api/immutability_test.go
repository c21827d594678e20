package api_test

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const runByName = `
apiVersion: assay.dev/v1alpha1
kind: ValidationRun
metadata: {generateName: immutable-}
spec:
  nodeNames: [a, b]
  benchmarks:
  - {name: stream, parameters: [{name: repetitions, value: "3"}]}
`

const runBySelector = `
apiVersion: assay.dev/v1alpha1
kind: ValidationRun
metadata: {generateName: immutable-}
spec:
  selector: {matchLabels: {rack: "7"}}
  suite: quick
`

const (
	nodesCannotChange      = "the nodes of a run cannot change: create another ValidationRun"
	benchmarksCannotChange = "the benchmarks of a run cannot change: create another ValidationRun"
	restCannotChange       = "only suspend and ttlSecondsAfterFinished of a run can change: create another ValidationRun"
)

// immutableFields: each change on its own must be refused, with these words.
var immutableFields = map[string]struct{ run, change, message string }{
	"a node more":               {runByName, `{spec: {nodeNames: [a, b, c]}}`, nodesCannotChange},
	"a node less":               {runByName, `{spec: {nodeNames: [a]}}`, nodesCannotChange},
	"names for a selector":      {runByName, `{spec: {nodeNames: null, selector: {matchLabels: {rack: "7"}}}}`, nodesCannotChange},
	"a selector for names":      {runBySelector, `{spec: {nodeNames: [a], selector: null}}`, nodesCannotChange},
	"every node for names":      {runByName, `{spec: {nodeNames: null, allNodes: true}}`, nodesCannotChange},
	"every node for a selector": {runBySelector, `{spec: {selector: null, allNodes: true}}`, nodesCannotChange},
	"another label":             {runBySelector, `{spec: {selector: {matchLabels: {rack: "8"}}}}`, nodesCannotChange},
	"a label more":              {runBySelector, `{spec: {selector: {matchLabels: {row: "1"}}}}`, nodesCannotChange},
	"another suite":             {runBySelector, `{spec: {suite: standard}}`, benchmarksCannotChange},
	"benchmarks for a suite":    {runBySelector, `{spec: {suite: null, benchmarks: [{name: hpl}]}}`, benchmarksCannotChange},
	"a suite for benchmarks":    {runByName, `{spec: {suite: quick, benchmarks: null}}`, benchmarksCannotChange},
	"a benchmark more":          {runByName, `{spec: {benchmarks: [{name: stream, parameters: [{name: repetitions, value: "3"}]}, {name: hpl}]}}`, benchmarksCannotChange},
	"another parameter":         {runByName, `{spec: {benchmarks: [{name: stream, parameters: [{name: repetitions, value: "4"}]}]}}`, benchmarksCannotChange},
	"an expectation":            {runByName, `{spec: {benchmarks: [{name: stream, parameters: [{name: repetitions, value: "3"}], expectations: [{metric: triad, min: "1"}]}]}}`, benchmarksCannotChange},
	"overrides of a suite":      {runBySelector, `{spec: {overrides: [{name: stream, parameters: [{name: seconds, value: "3"}]}]}}`, benchmarksCannotChange},
	"maxConcurrentNodes":        {runByName, `{spec: {maxConcurrentNodes: 2}}`, restCannotChange},
	"busyNodes":                 {runByName, `{spec: {busyNodes: Skip}}`, restCannotChange},
	"confirmations":             {runByName, `{spec: {confirmations: 3}}`, restCannotChange},
	"activeDeadlineSeconds":     {runByName, `{spec: {activeDeadlineSeconds: 60}}`, restCannotChange},
	"a taint":                   {runByName, `{spec: {onFailure: {taint: {}}}}`, restCannotChange},
	"onFailure.maxTaintedNodes": {runByName, `{spec: {onFailure: {maxTaintedNodes: 3}}}`, restCannotChange},
}

func TestWhatOfARunCannotChange(t *testing.T) {
	runs := map[string]*unstructured.Unstructured{runByName: create(t, runByName), runBySelector: create(t, runBySelector)}
	for change, c := range immutableFields {
		t.Run(change, func(t *testing.T) {
			err := patch(t, runs[c.run], c.change, client.DryRunAll)
			if err == nil {
				t.Fatalf("patch %s was accepted", c.change)
			}
			if !strings.Contains(err.Error(), c.message) {
				t.Errorf("patch %s was refused with %q\nwant %q in it", c.change, err, c.message)
			}
		})
	}
}

var mutableFields = []string{
	`{spec: {suspend: true}}`,
	`{spec: {suspend: false}}`,
	`{spec: {ttlSecondsAfterFinished: 60}}`,
	`{spec: {ttlSecondsAfterFinished: 0}}`,
	`{spec: {ttlSecondsAfterFinished: null}}`,
	`{metadata: {labels: {team: hpc}}}`,
}

func TestEveryFieldOfARunIsChangedInATable(t *testing.T) {
	changes := strings.Join(mutableFields, " ")
	for _, c := range immutableFields {
		changes += c.change + " "
	}
	for field := range reflect.TypeFor[v1alpha1.ValidationRunSpec]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !strings.Contains(changes, " "+name+": ") && !strings.Contains(changes, "{"+name+": ") {
			t.Errorf("no change of spec.%s is tried: add it to immutableFields, or to mutableFields", name)
		}
	}
}

func TestWhatOfARunCanChange(t *testing.T) {
	run := create(t, runBySelector)
	for _, change := range mutableFields {
		if err := patch(t, run, change); err != nil {
			t.Errorf("patch %s was refused: %v", change, err)
		}
	}
}

func TestStatusIsWrittenOnlyThroughItsSubresource(t *testing.T) {
	run := create(t, runBySelector)
	if err := patch(t, run, `{status: {observedGeneration: 1, verdict: Pass, progress: 2/2}}`); err != nil {
		t.Fatal(err)
	}
	if verdict, found, _ := unstructured.NestedString(run.Object, "status", "verdict"); found {
		t.Errorf("an ordinary patch wrote status.verdict = %q", verdict)
	}
	if err := api.Status().Patch(t.Context(), run, mergePatch(t, `{status: {observedGeneration: 1, verdict: Pass}}`)); err != nil {
		t.Fatalf("patching the status: %v", err)
	}
	if verdict, _, _ := unstructured.NestedString(run.Object, "status", "verdict"); verdict != "Pass" {
		t.Errorf("status.verdict = %q, want Pass", verdict)
	}
}

func create(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := object(t, text, "")
	if err := api.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return o
}

func patch(t *testing.T, o *unstructured.Unstructured, change string, options ...client.PatchOption) error {
	t.Helper()
	return api.Patch(t.Context(), o.DeepCopy(), mergePatch(t, change), options...)
}

func mergePatch(t *testing.T, change string) client.Patch {
	t.Helper()
	return client.RawPatch("application/merge-patch+json", toJSON(t, change))
}
