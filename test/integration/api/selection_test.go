package api_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// TestLabelsThatGetLost: a client that does not ask for strict validation has unknown fields dropped silently. What is left must not become
// every node, whichever way the labels of a pod were copied.
func TestLabelsThatGetLost(t *testing.T) {
	for _, c := range []struct{ nodes, run, other string }{
		{`nodeSelector: {rack: "7"}`, nodesOfRun, nodesOfPolicy},
		{`nodeSelector: {matchLabels: {rack: "7"}}`, nodesOfRun, nodesOfPolicy},
		{`nodeSelector: {}`, nodesOfRun, nodesOfPolicy},
		{`selector: {rack: "7"}`, emptySelector, emptySelector},
		{`selector: {}`, emptySelector, emptySelector},
		{`selector: {matchLabels: {}, matchExpressions: []}`, emptySelector, emptySelector},
	} {
		for kind, rest := range map[string]string{"ValidationRun": "suite: quick", "ValidationPolicy": "suite: quick",
			"HardwareProfile": "devices: [{resource: nvidia.com/gpu, count: 8}]"} {
			t.Run(kind+" with "+c.nodes, func(t *testing.T) {
				want := c.other
				if kind == "ValidationRun" {
					want = c.run
				}
				if kind == "HardwareProfile" {
					want = strings.ReplaceAll(want, "example selector: {matchLabels: {pool: h200}}", "example selector: {matchLabels: {nvidia.com/gpu.product: NVIDIA-H200}}")
				}
				o := &unstructured.Unstructured{}
				manifest := fmt.Sprintf("{apiVersion: assay.dev/v1alpha1, kind: %s, metadata: {name: lost}, spec: {%s, %s}}", kind, c.nodes, rest)
				if err := yaml.Unmarshal([]byte(manifest), &o.Object); err != nil {
					t.Fatal(err)
				}
				err := client.WithFieldValidation(api, metav1.FieldValidationIgnore).Create(t.Context(), o)
				if err == nil {
					t.Cleanup(func() { _ = api.Delete(t.Context(), o) })
					t.Fatalf("created with the spec %v, want an error with %q", o.Object["spec"], want)
				}
				if !strings.Contains(err.Error(), want) {
					t.Errorf("refused with %q\nwant %q in it", err, want)
				}
			})
		}
	}
}
