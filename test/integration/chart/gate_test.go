package chart_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/test/integration/apiserver"
)

const (
	gateKind = "MutatingAdmissionPolicy"
	hasGates = "--api-versions=admissionregistration.k8s.io/v1/" + gateKind
)

// TestTheGateIsThatOfConfig: with the selector of config/admission/gate the chart installs the same policy, which is tested there; by
// default it installs none.
func TestTheGateIsThatOfConfig(t *testing.T) {
	t.Parallel()
	if all := documents(t, run(t, "template", "assay", chart, "--kube-version", "1.36", hasGates)); len(ofKind(all, gateKind)) > 0 {
		t.Error("by default the chart gates new nodes")
	}
	rendered := documents(t, run(t, "template", "assay", chart, "--kube-version", "1.36", hasGates, "--set", "gate.admissionPolicy.enabled=true",
		"--set-string", `gate.admissionPolicy.selector.matchLabels.assay\.dev/gated=true`))
	text, err := os.ReadFile(filepath.Join(root, "config", "admission", "gate", "taint_new_nodes.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range documents(t, string(text)) {
		got := ofKind(rendered, want.GetKind())["assay-gate"]
		if diff := cmp.Diff(want.Object["spec"], got.Object["spec"]); diff != "" {
			t.Errorf("%s of the chart (-config +chart):\n%s", want.GetKind(), diff)
		}
	}
}

func TestTheTaintOfTheGate(t *testing.T) {
	t.Parallel()
	all := documents(t, run(t, "template", "site", chart, "--kube-version", "1.36", hasGates, "--set", "gate.admissionPolicy.enabled=true",
		"--set", "gate.admissionPolicy.selector.matchLabels.pool=h200", "--set", "gate.admissionPolicy.key=site.example/new",
		"--set", "gate.admissionPolicy.value=", "--set", "gate.allowedTaintKeys={site.example/new}"))
	policy := ofKind(all, gateKind)["site-assay-gate"]
	variables, _, _ := unstructured.NestedSlice(policy.Object, "spec", "variables")
	for name, value := range map[string]string{"key": `"site.example/new"`, "value": `""`} {
		if want := map[string]any{"name": name, "expression": value}; !slices.ContainsFunc(variables, func(v any) bool { return cmp.Equal(v, any(want)) }) {
			t.Errorf("the policy lacks %v: %v", want, variables)
		}
	}
	if binding := ofKind(all, gateKind+"Binding")["site-assay-gate"]; binding.Object == nil {
		t.Errorf("nothing binds the policy")
	}
}

func TestAGateThatCannotBeSaysWhatToDo(t *testing.T) {
	t.Parallel()
	on, pool := "gate.admissionPolicy.enabled=true", "gate.admissionPolicy.selector.matchLabels.pool=h200"
	cases := map[string]struct {
		args []string
		want string
	}{
		"an API server without the kind": {[]string{"--kube-version", "1.35", "--set", on, "--set", pool}, "which Kubernetes has from 1.36 on"},
		"no selector":                    {[]string{"--kube-version", "1.36", hasGates, "--set", on}, "gate.admissionPolicy.selector: it is empty"},
		"a key that nobody may lift": {[]string{"--kube-version", "1.36", hasGates, "--set", on, "--set", pool, "--set", "gate.admissionPolicy.key=a.example/x"},
			"Add it to gate.allowedTaintKeys"},
		"a value that is none of a label": {[]string{"--kube-version", "1.36", "--set", "gate.admissionPolicy.value=not yet"}, "at '/gate/admissionPolicy/value'"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			_, err := try(t.Context(), t, append([]string{"template", "assay", chart}, c.args...)...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
		})
	}
}

// TestTheChartGatesNewNodes on the real API server; on one that cannot, the chart says so, and installs nothing.
func TestTheChartGatesNewNodes(t *testing.T) {
	if apiserver.LacksGates(t, config) {
		_, err := try(t.Context(), t, "upgrade", "--install", release, chart, "--namespace", namespace, "--create-namespace",
			"--set", "gate.admissionPolicy.enabled=true", "--set", "gate.admissionPolicy.selector.matchLabels.pool=h200")
		if err == nil || !strings.Contains(err.Error(), "which Kubernetes has from 1.36 on") {
			t.Errorf("the chart gates new nodes by an API server that lacks the kind: %v", err)
		}
		return
	}
	upgrade(t, release, namespace, "benchmarks.namespace=bench-of-gates", "gate.admissionPolicy.enabled=true", "gate.admissionPolicy.selector.matchLabels.pool=h200")
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "new", Labels: map[string]string{"pool": "h200"}}}
		if err := api.Create(ctx, node, client.DryRunAll); err != nil {
			return false, err
		}
		return slices.Contains(node.Spec.Taints, corev1.Taint{Key: "assay.dev/unvalidated", Value: "pending", Effect: corev1.TaintEffectNoSchedule}), nil
	})
	if err != nil {
		t.Errorf("a new node of the pool gets no taint: %v", err)
	}
}

// TestTheValuesOfTheGuideAreAccepted: those of this chart that docs/gate.md shows.
func TestTheValuesOfTheGuideAreAccepted(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join(root, "docs", "gate.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(gate:\n.*?)```").FindAllSubmatch(guide, -1)
	if len(blocks) != 2 {
		t.Errorf("docs/gate.md shows values of the chart in %d places, want 2", len(blocks))
	}
	for _, block := range blocks {
		file := filepath.Join(t.TempDir(), "values.yaml")
		if err := os.WriteFile(file, block[1], 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, "template", "assay", chart, "--kube-version", "1.36", hasGates, "--values", file)
	}
}
