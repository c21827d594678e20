package chart_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestTheWebhookWithoutHelm: config/webhook gives the operator what the chart does, from a ConfigMap in place of values.
func TestTheWebhookWithoutHelm(t *testing.T) {
	t.Parallel()
	kubectl := os.Getenv("ASSAY_KUBECTL")
	if kubectl == "" {
		t.Skip("ASSAY_KUBECTL names no kubectl; use `make test-integration`")
	}
	text, err := exec.CommandContext(t.Context(), kubectl, "kustomize", filepath.Join(root, "config", "webhook")).Output()
	if err != nil {
		t.Fatal(err)
	}
	without := documents(t, strings.NewReplacer("$(WEBHOOK_URL)", "https://hooks.example", "$(WEBHOOK_CLUSTER)", "dc1").Replace(string(text)))
	with := documents(t, render(t, "assay", "assay-system", "webhook.url=https://hooks.example", "webhook.cluster=dc1", "webhook.secretName=assay-webhook"))
	told := func(all []unstructured.Unstructured) []string {
		return slices.DeleteFunc(arguments(t, all), func(a string) bool { return !strings.HasPrefix(a, "--webhook") })
	}
	if diff := cmp.Diff(told(with), told(without)); diff != "" {
		t.Errorf("arguments, -with +without Helm:\n%s", diff)
	}
	if diff := cmp.Diff(container(t, with)["volumeMounts"], container(t, without)["volumeMounts"]); diff != "" {
		t.Errorf("mounts, -with +without Helm:\n%s", diff)
	}
	volumes := func(all []unstructured.Unstructured) any {
		v, _, _ := unstructured.NestedSlice(ofKind(all, "Deployment")["assay-manager"].Object, "spec", "template", "spec", "volumes")
		return v
	}
	if diff := cmp.Diff(volumes(with), volumes(without)); diff != "" {
		t.Errorf("volumes, -with +without Helm:\n%s", diff)
	}
	var env []any
	for _, e := range container(t, without)["env"].([]any) {
		if name := e.(map[string]any)["name"].(string); strings.HasPrefix(name, "WEBHOOK_") {
			key, _, _ := unstructured.NestedString(e.(map[string]any), "valueFrom", "configMapKeyRef", "key")
			env = append(env, name+"="+key)
		}
	}
	if want := []any{"WEBHOOK_URL=url", "WEBHOOK_CLUSTER=cluster"}; !cmp.Equal(env, want) {
		t.Errorf("environment %v, want %v", env, want)
	}
}
