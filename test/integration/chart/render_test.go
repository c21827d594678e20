package chart_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

const policyKind = "ValidatingAdmissionPolicy"

var digest = "sha256:" + strings.Repeat("a", 64)

func documents(t *testing.T, text string) []unstructured.Unstructured {
	t.Helper()
	var out []unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096); ; {
		o := unstructured.Unstructured{}
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		if o.IsList() {
			list, err := o.ToList()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, list.Items...)
		} else if o.Object != nil {
			out = append(out, o)
		}
	}
}

func ofKind(all []unstructured.Unstructured, kind string) map[string]unstructured.Unstructured {
	out := map[string]unstructured.Unstructured{}
	for _, o := range all {
		if o.GetKind() == kind {
			out[o.GetName()] = o
		}
	}
	return out
}

// TestPoliciesAreThoseOfConfig: with its defaults the chart installs the policies of config/admission, which are tested there.
func TestPoliciesAreThoseOfConfig(t *testing.T) {
	t.Parallel()
	rendered := documents(t, render(t, "assay", "assay-system"))
	files, err := filepath.Glob(filepath.Join(root, "config", "admission", "*.yaml"))
	files = slices.DeleteFunc(files, func(file string) bool { return filepath.Base(file) == "kustomization.yaml" })
	if err != nil || len(files) == 0 {
		t.Fatalf("no policies: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range documents(t, string(text)) {
			got := ofKind(rendered, want.GetKind())[want.GetName()]
			if diff := cmp.Diff(want.Object["spec"], got.Object["spec"]); diff != "" {
				t.Errorf("%s %s of the chart (-config +chart):\n%s", want.GetKind(), want.GetName(), diff)
			}
		}
	}
	if n := len(ofKind(rendered, policyKind)); n != len(files) {
		t.Errorf("%d policies, want %d", n, len(files))
	}
}

func TestImages(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		values               []string
		manager, runner, cpu string
	}{
		"by tag": {nil, "localhost/assay/manager:dev", "localhost/assay/runner:dev", "localhost/assay/bench-cpu:dev"},
		"by digest, which wins": {[]string{"image.digest=" + digest, "runner.image.digest=" + digest, "catalogue.images.cpu.digest=" + digest},
			"localhost/assay/manager@" + digest, "localhost/assay/runner@" + digest, "localhost/assay/bench-cpu@" + digest},
		"as one reference": {[]string{"runner.image=r.example/runner:1", "catalogue.images.cpu=r.example/cpu@" + digest},
			"localhost/assay/manager:dev", "r.example/runner:1", "r.example/cpu@" + digest},
		"of another repository": {[]string{"runner.image.repository=r.example/runner", "runner.image.tag=", "catalogue.images.cpu.repository=r.example/cpu"},
			"localhost/assay/manager:dev", "r.example/runner:dev", "r.example/cpu:dev"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			all := documents(t, render(t, "assay", "assay-system", c.values...))
			manager := container(t, all)
			if manager["image"] != c.manager || !slices.Contains(arguments(t, all), "--runner-image="+c.runner) {
				t.Errorf("manager %v with arguments %v, want %s with runner %s", manager["image"], arguments(t, all), c.manager, c.runner)
			}
			benchmarks := ofKind(all, "Benchmark")
			stream, gemm := benchmarks["stream"], benchmarks["gemm"]
			if image, _, _ := unstructured.NestedString(stream.Object, "spec", "image"); image != c.cpu {
				t.Errorf("stream has image %s, want %s", image, c.cpu)
			}
			if image, _, _ := unstructured.NestedString(gemm.Object, "spec", "image"); image != "localhost/assay/bench-cuda:dev" {
				t.Errorf("gemm has image %s", image)
			}
		})
	}
}

func container(t *testing.T, all []unstructured.Unstructured) map[string]any {
	t.Helper()
	deployment := ofKind(all, "Deployment")["assay-manager"]
	containers, _, err := unstructured.NestedSlice(deployment.Object, "spec", "template", "spec", "containers")
	if err != nil || len(containers) != 1 {
		t.Fatalf("containers of the operator: %v, %v", containers, err)
	}
	return containers[0].(map[string]any)
}

func arguments(t *testing.T, all []unstructured.Unstructured) []string {
	t.Helper()
	args, _, err := unstructured.NestedStringSlice(container(t, all), "args")
	if err != nil {
		t.Fatal(err)
	}
	return args
}

func TestLimitsOfQuarantines(t *testing.T) {
	t.Parallel()
	all := documents(t, render(t, "assay", "assay-system"))
	for _, want := range []string{"--allow-no-execute=false", "--allowed-taint-keys=", "--max-quarantined-nodes=0", "--max-quarantined-percent=10"} {
		if args := arguments(t, all); !slices.Contains(args, want) {
			t.Errorf("by default the operator lacks %s: %v", want, args)
		}
	}
	all = documents(t, render(t, "assay", "assay-system", "quarantine.allowNoExecute=true", "quarantine.allowedTaintKeys={a.example/x,b}",
		"quarantine.maxNodes=5000000", "quarantine.maxPercent=25"))
	for _, want := range []string{"--allow-no-execute=true", "--allowed-taint-keys=a.example/x,b", "--max-quarantined-nodes=5000000", "--max-quarantined-percent=25"} {
		if args := arguments(t, all); !slices.Contains(args, want) {
			t.Errorf("the operator lacks %s: %v", want, args)
		}
	}
	for _, name := range []string{"assay-device-taints", "assay-nodes", "assay-quarantine"} {
		policy := ofKind(all, policyKind)[name]
		variables, _, _ := unstructured.NestedSlice(policy.Object, "spec", "variables")
		for _, want := range []map[string]any{{"name": "allowedTaintKeys", "expression": `["a.example/x","b"]`}, {"name": "allowNoExecute", "expression": "true"}} {
			if !slices.ContainsFunc(variables, func(v any) bool { return cmp.Equal(v, any(want)) }) {
				t.Errorf("policy %s lacks %v: %v", name, want, variables)
			}
		}
	}
}

func TestKeysOfGates(t *testing.T) {
	t.Parallel()
	for value, want := range map[string][2]string{"replicas=1": {"", "[]"}, "gate.allowedTaintKeys={a.example/x,b}": {"a.example/x,b", `["a.example/x","b"]`}} {
		all := documents(t, render(t, "assay", "assay-system", value))
		if args := arguments(t, all); !slices.Contains(args, "--allowed-gate-keys="+want[0]) {
			t.Errorf("%s: the operator lacks --allowed-gate-keys=%s: %v", value, want[0], args)
		}
		variables, _, _ := unstructured.NestedSlice(ofKind(all, policyKind)["assay-nodes"].Object, "spec", "variables")
		variable := map[string]any{"name": "allowedGateKeys", "expression": want[1]}
		if !slices.ContainsFunc(variables, func(v any) bool { return cmp.Equal(v, any(variable)) }) {
			t.Errorf("%s: policy assay-nodes lacks %v: %v", value, variable, variables)
		}
	}
}

func TestMetricsOfTheChart(t *testing.T) {
	t.Parallel()
	for secure, scheme := range map[string]string{"true": "https", "false": ""} {
		all := documents(t, render(t, "assay", "assay-system", "metrics.secure="+secure, "prometheus.serviceMonitor.enabled=true"))
		if args := arguments(t, all); !slices.Contains(args, "--metrics-secure="+secure) {
			t.Errorf("metrics.secure=%s: arguments %v", secure, args)
		}
		monitor := ofKind(all, "ServiceMonitor")["assay"]
		endpoints, _, _ := unstructured.NestedSlice(monitor.Object, "spec", "endpoints")
		if got, _, _ := unstructured.NestedString(endpoints[0].(map[string]any), "scheme"); got != scheme {
			t.Errorf("metrics.secure=%s: Prometheus scrapes by %q, want %q", secure, got, scheme)
		}
		_, role := ofKind(all, "ClusterRole")["assay-metrics-auth"]
		_, bound := ofKind(all, "ClusterRoleBinding")["assay-metrics-auth"]
		_, reader := ofKind(all, "ClusterRole")["assay-metrics-reader"]
		if want := secure == "true"; role != want || bound != want || reader != want {
			t.Errorf("metrics.secure=%s: role %v, bound %v, reader %v", secure, role, bound, reader)
		}
	}
}

func TestPoliciesCanBeLeftOut(t *testing.T) {
	t.Parallel()
	if all := documents(t, render(t, "assay", "assay-system", "admissionPolicies.enabled=false")); len(ofKind(all, policyKind)) > 0 {
		t.Error("there are policies although they are disabled")
	}
	text := run(t, "template", "assay", chart, "--kube-version", "1.35")
	if all := documents(t, text); len(ofKind(all, policyKind)) > 0 {
		t.Error("there are policies although the API server does not know them")
	}
}

func TestAgeOfTheKnownFleet(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"replicas=1": "--known-max-age=720h", "knownMaxAge=0": "--known-max-age=0", "knownMaxAge=36h30m": "--known-max-age=36h30m"} {
		if args := arguments(t, documents(t, render(t, "assay", "assay-system", value))); !slices.Contains(args, want) {
			t.Errorf("%s: the operator lacks %s: %v", value, want, args)
		}
	}
}

// TestTheWebhookCanBeReached: the NetworkPolicy lets the operator reach the port of its URL.
func TestTheWebhookCanBeReached(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]string{"webhook.url=http://hooks.example/x:1": "80", "webhook.url=https://hooks.example": "443", "webhook.url=https://hooks.example:8443/x": "8443",
		"webhook.url=http://[fd00::1]:81/": "81", "webhook.url=http://hooks.example": "80", "webhook.port=9443,webhook.url=http://hooks.example": "9443"} {
		all := documents(t, render(t, "assay", "assay-system", "webhook.secretName=hook", values))
		egress, _, err := unstructured.NestedSlice(ofKind(all, "NetworkPolicy")["assay-manager"].Object, "spec", "egress")
		if err != nil || len(egress) != 1 {
			t.Fatalf("egress: %v, %v", egress, err)
		}
		ports := egress[0].(map[string]any)["ports"].([]any)
		if got := fmt.Sprint(ports[len(ports)-1].(map[string]any)["port"]); got != want {
			t.Errorf("%s: port %s, want %s", values, got, want)
		}
	}
	if _, err := try(t.Context(), t, "template", "assay", chart, "--kube-version", "1.35", "--set", "webhook.url=https://hooks.example"); err == nil ||
		!strings.Contains(err.Error(), "webhook.url needs webhook.secretName") {
		t.Errorf("without a Secret: %v", err)
	}
}

func TestValuesThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"image.digest=latest", "runner.image.digest=latest", "catalogue.images.cuda.digest=md5:1", "quarantine.maxPercent=101",
		"quarantine.maxNodes=-1", "quarantine.allowedTaintKeys={a b}", "quarantine.allowNoExecute=perhaps", "quarantine.max=1",
		"gate.allowedTaintKeys={a b}", "webhook.url=hooks.example", "webhook.port=-1"} {
		out, err := try(t.Context(), t, "template", "assay", chart, "--kube-version", "1.35", "--set", value)
		if path := strings.ReplaceAll(value[:strings.LastIndex(value[:strings.Index(value, "=")], ".")], ".", "/"); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want the schema to name /%s; %.80s", value, err, path, out)
		}
	}
}
