package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// table asks for objects as `kubectl get` does.
func table(t *testing.T, path string) metav1.Table {
	t.Helper()
	c := rest.CopyConfig(config)
	c.GroupVersion, c.NegotiatedSerializer = &v1alpha1.GroupVersion, scheme.Codecs.WithoutConversion()
	server, err := rest.RESTClientFor(c)
	if err != nil {
		t.Fatal(err)
	}
	text, err := server.Get().AbsPath("/apis/assay.dev/v1alpha1/"+path).SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out metav1.Table
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

// TestColumns: what `kubectl get` shows; columns with a plus only by -o wide.
func TestColumns(t *testing.T) {
	for resource, want := range map[string][]string{
		"validationruns":     {"Name", "Verdict", "Reason", "Done", "Failed", "Duration", "Age", "+Measures", "+Worst"},
		"benchmarks":         {"Name", "Scope", "Device", "Cost", "Privileged", "+Image", "Age"},
		"hardwareprofiles":   {"Name", "Product", "+Labels", "Age"},
		"validationresults":  {"Name", "Run", "Node", "Group", "Verdict", "Age", "+Message"},
		"validationpolicies": {"Name", "Valid", "Due", "Failed", "Gated", "Next", "Age", "+Ready", "+Suite"},
		"nodehistories":      {"Name", "Offences", "Age"},
		"nodevalidations":    {"Name", "Proof", "Proved", "Last run", "Last verdict", "Offences", "Taint", "+Message"},
	} {
		t.Run(resource, func(t *testing.T) {
			var got []string
			for _, c := range table(t, resource).ColumnDefinitions {
				name := c.Name
				if c.Priority > 0 {
					name = "+" + name
				}
				got = append(got, name)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRowOfARun: the columns show what the status says.
func TestRowOfARun(t *testing.T) {
	run := object(t, validRun, `{metadata: {name: columns}}`)
	if err := api.Create(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Delete(context.Background(), run) })
	status := map[string]any{"verdict": "Fail", "progress": "2/2", "worst": "a: slow", "duration": "1h20m", "measures": "quick",
		"conditions": []any{map[string]any{"type": "Finished", "status": "True", "reason": "NodesFailed", "message": "", "lastTransitionTime": "2026-11-23T01:00:00Z"}},
		"summary": map[string]any{"nodes": int64(2), "pending": int64(0), "running": int64(0),
			"passed": int64(1), "failed": int64(1), "skipped": int64(0), "errored": int64(0), "tainted": int64(0)}}
	if err := unstructured.SetNestedMap(run.Object, status, "status"); err != nil {
		t.Fatal(err)
	}
	if err := api.Status().Update(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	rows := table(t, "validationruns/columns").Rows
	if len(rows) != 1 {
		t.Fatalf("%d rows", len(rows))
	}
	cells := rows[0].Cells
	cells[6] = "" // its age
	if diff := cmp.Diff("[columns Fail NodesFailed 2/2 1 1h20m  quick a: slow]", fmt.Sprint(cells)); diff != "" {
		t.Errorf("the row (-want +got):\n%s", diff)
	}
}

// TestRowOfAPolicy: how much of it holds, and when it acts next.
func TestRowOfAPolicy(t *testing.T) {
	policy := readPolicy(t, create(t, strings.Replace(validPolicy, "gpu-pool", "columns", 1)).GetName())
	t.Cleanup(func() { remove(t, policy) })
	next := metav1.NewTime(time.Date(2026, 11, 23, 1, 0, 0, 0, time.UTC))
	policy.Status = v1alpha1.ValidationPolicyStatus{ObservedGeneration: 1, Valid: "118/120", NextRunTime: &next,
		Nodes: &v1alpha1.PolicyNodes{Selected: 120, Valid: 118, Due: 1, Failed: 1},
		Conditions: []metav1.Condition{{Type: v1alpha1.ConditionSatisfied, Status: "False", Reason: "NodesNotValid", LastTransitionTime: next},
			{Type: v1alpha1.ConditionReady, Status: "True", Reason: "Enforced", LastTransitionTime: next}}}
	if err := typedClient(t).Status().Update(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	cells := table(t, "validationpolicies/columns").Rows[0].Cells
	cells[6] = "" // its age
	if diff := cmp.Diff("[columns 118/120 1 1 0 2026-11-23T01:00:00Z  Enforced quick]", fmt.Sprint(cells)); diff != "" {
		t.Errorf("the row (-want +got):\n%s", diff)
	}
}
