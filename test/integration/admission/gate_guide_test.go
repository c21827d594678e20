package admission_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/integration/apiserver"
)

var (
	samplesFolder = filepath.Join(configFolder, "samples", "gate")
	guideFile     = filepath.Join(configFolder, "..", "docs", "gate.md")
)

func readText(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func documents(t *testing.T, text string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096); ; {
		var o map[string]any
		if err := decoder.Decode(&o); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if o != nil {
			out = append(out, o)
		}
	}
}

// sample is the object of a kind in a file of config/samples/gate.
func sample[T any](t *testing.T, file, kind string) *T {
	t.Helper()
	for _, o := range documents(t, readText(t, filepath.Join(samplesFolder, file))) {
		if o["kind"] == kind {
			out := new(T)
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o, out, true); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			return out
		}
	}
	t.Fatalf("%s has no %s", file, kind)
	return nil
}

// guide is the blocks of docs/gate.md in a language, by the heading above them.
func guide(t *testing.T, language string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, section := range strings.Split(readText(t, guideFile), "\n## ") {
		heading, _, _ := strings.Cut(section, "\n")
		for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(section, -1) {
			out[heading] = append(out[heading], block[1])
		}
	}
	return out
}

// TestTheGuideShowsTheSamples: what docs/gate.md shows is what config/samples/gate has, or values of a chart.
func TestTheGuideShowsTheSamples(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(samplesFolder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	var samples []map[string]any
	for _, file := range files {
		samples = append(samples, documents(t, readText(t, file))...)
		if link := "(../config/samples/gate/" + filepath.Base(file) + ")"; !strings.Contains(readText(t, guideFile), link) {
			t.Errorf("the guide does not link %s", link)
		}
	}
	shown := 0
	for heading, blocks := range guide(t, "yaml") {
		for _, block := range blocks {
			o := documents(t, block)[0]
			if o["kind"] == nil {
				continue // values of a chart
			}
			shown++
			if !slices.ContainsFunc(samples, func(s map[string]any) bool { return cmp.Equal(s, o) }) {
				t.Errorf("section %q shows something else than the samples:\n%s", heading, block)
			}
		}
	}
	if shown < 5 {
		t.Errorf("the guide shows %d objects, want one of each of the 5 ways at least", shown)
	}
}

// TestThePoliciesOfTheSamplesAreAccepted, and their gate is the taint that the nodes of the same sample get.
func TestThePoliciesOfTheSamplesAreAccepted(t *testing.T) {
	kubelets := sample[struct {
		metav1.TypeMeta    `json:",inline"`
		RegisterWithTaints []corev1.Taint `json:"registerWithTaints"`
	}](t, "kubelet-configuration.yaml", "KubeletConfiguration")
	admission := sampleAdmission(t)
	autoscaler := corev1.Taint{Key: "startup-taint.cluster-autoscaler.kubernetes.io/assay-unvalidated", Value: "pending", Effect: "NoSchedule"}
	for file, want := range map[string][]corev1.Taint{
		"kubelet.yaml":            kubelets.RegisterWithTaints,
		"karpenter.yaml":          sample[nodePool](t, "karpenter.yaml", "NodePool").Spec.Template.Spec.StartupTaints,
		"cluster-autoscaler.yaml": {autoscaler},
		"admission.yaml":          {admission},
		"readiness.yaml":          nil,
	} {
		policy := sample[v1alpha1.ValidationPolicy](t, file, "ValidationPolicy")
		if err := as(admin).Create(t.Context(), policy, client.DryRunAll); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		var got []corev1.Taint
		if g := policy.Spec.Gate; g != nil {
			got = []corev1.Taint{{Key: g.Taint.Key, Value: g.Taint.Value, Effect: g.Taint.Effect}}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: the gate (-taint of the nodes +gate of the policy):\n%s", file, diff)
		}
	}
	labels := sample[nodePool](t, "karpenter.yaml", "NodePool").Spec.Template.Metadata.Labels
	if policy := sample[v1alpha1.ValidationPolicy](t, "karpenter.yaml", "ValidationPolicy"); !cmp.Equal(policy.Spec.Selector.MatchLabels, labels) {
		t.Errorf("the policy selects %v, the NodePool's nodes have %v", policy.Spec.Selector.MatchLabels, labels)
	}
	rule := sample[unstructured.Unstructured](t, "readiness.yaml", "NodeReadinessRule")
	conditions, _, _ := unstructured.NestedSlice(rule.Object, "spec", "conditions")
	key, _, _ := unstructured.NestedString(rule.Object, "spec", "taint", "key")
	if want := []any{map[string]any{"type": v1alpha1.NodeConditionValidated, "requiredStatus": "True"}}; !cmp.Equal(conditions, want) || !strings.HasPrefix(key, "readiness.k8s.io/") {
		t.Errorf("the rule asks for %v with taint %s", conditions, key)
	}
}

// nodePool is what the samples set of Karpenter's kind.
type nodePool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Template struct {
			Metadata struct {
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
			Spec struct {
				NodeClassRef  map[string]string `json:"nodeClassRef"`
				Requirements  []map[string]any  `json:"requirements"`
				StartupTaints []corev1.Taint    `json:"startupTaints"`
			} `json:"spec"`
		} `json:"template"`
		Limits corev1.ResourceList `json:"limits"`
	} `json:"spec"`
}

// sampleAdmission is the taint that a node of the sample's policy gets at its creation, or would get from a newer API server.
func sampleAdmission(t *testing.T) corev1.Taint {
	t.Helper()
	if apiserver.LacksGates(t, config) {
		return gate
	}
	gateNewNodes(t)
	node := newNode("of-the-sample")
	node.Labels = sample[v1alpha1.ValidationPolicy](t, "admission.yaml", "ValidationPolicy").Spec.Selector.MatchLabels
	if err := kubelet(node.Name).Create(t.Context(), node, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	if len(taintsOf(node)) != 1 {
		t.Fatalf("a node that the policy of admission.yaml selects gets taints %v, want one", node.Spec.Taints)
	}
	return taintsOf(node)[0]
}

// TestTheGuideFindsWhatDoesNotTolerateTheGate: its command names these DaemonSets, and its values for the GPU Operator tolerate the taint.
func TestTheGuideFindsWhatDoesNotTolerateTheGate(t *testing.T) {
	tolerations := map[string][]corev1.Toleration{
		"everything":     {{Operator: corev1.TolerationOpExists}},
		"the-key":        {{Key: gate.Key, Operator: corev1.TolerationOpExists}},
		"the-value":      {{Key: gate.Key, Value: gate.Value, Effect: gate.Effect}},
		"one-of-two":     {{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists}, {Key: gate.Key, Operator: corev1.TolerationOpExists}},
		"nothing":        nil,
		"another-key":    {{Key: "nvidia.com/gpu", Operator: corev1.TolerationOpExists, Effect: gate.Effect}},
		"another-value":  {{Key: gate.Key, Operator: corev1.TolerationOpEqual, Value: "x"}},
		"another-effect": {{Key: gate.Key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}},
	}
	want := []string{}
	for name, list := range tolerations {
		create(t, admin, daemonSet(name, list))
		if !slices.ContainsFunc(list, func(o corev1.Toleration) bool { return o.ToleratesTaint(klog.Background(), &gate, false) }) {
			want = append(want, "default/"+name)
		}
	}
	slices.Sort(want)
	const section = "Before the first node is gated"
	got := strings.Fields(kubectlScript(t, guide(t, "sh")[section][0]))
	if slices.Sort(got); !slices.Equal(got, want) || len(want) != 4 {
		t.Errorf("the command lists %v, want %v", got, want)
	}
	values := documents(t, guide(t, "yaml")[section][0])[0]
	for _, path := range [][]string{{"daemonsets", "tolerations"}, {"node-feature-discovery", "worker", "tolerations"}} {
		var operands struct {
			Tolerations []corev1.Toleration `json:"tolerations"`
		}
		parent, _, _ := unstructured.NestedMap(values, path[:len(path)-1]...)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(parent, &operands); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(operands.Tolerations, func(o corev1.Toleration) bool { return o.ToleratesTaint(klog.Background(), &gate, false) }) {
			t.Errorf("%v does not tolerate the gate: %v", path, operands.Tolerations)
		}
	}
}

func daemonSet(name string, tolerations []corev1.Toleration) *appsv1.DaemonSet {
	labels := map[string]string{"app": name}
	return &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{Tolerations: tolerations, Containers: []corev1.Container{{Name: "c", Image: "i"}}}}}}
}

// kubectlScript runs commands with the real kubectl against the test's server.
func kubectlScript(t *testing.T, script string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	out := clientcmdapi.NewConfig()
	out.Clusters["test"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	out.AuthInfos["test"] = &clientcmdapi.AuthInfo{ClientCertificateData: config.CertData, ClientKeyData: config.KeyData, Token: config.BearerToken}
	out.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	out.CurrentContext = "test"
	if err := clientcmd.WriteToFile(*out, file); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+file, "PATH="+os.Getenv("KUBEBUILDER_ASSETS")+":"+os.Getenv("PATH"))
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, text)
	}
	return string(text)
}
