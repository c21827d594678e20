// Package admission_test checks on a real API server what the policies of config/admission refuse, and what they let through, with the
// rights that config/rbac gives to the operator.
package admission_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/test/integration/apiserver"
)

const (
	patience  = 3 * time.Minute
	pollEvery = 50 * time.Millisecond
	namespace = "assay-benchmarks"

	operator      = "system:serviceaccount:assay-system:assay-manager"
	mpiOperator   = "system:serviceaccount:mpi-operator:mpi-operator"
	jobController = "system:serviceaccount:kube-system:job-controller"
	// admin may do everything that only rights decide.
	admin = "alice"
)

var (
	configFolder = filepath.Join("..", "..", "..", "config")
	scheme       = runtime.NewScheme()
	config       *rest.Config
	api          client.Client
)

func TestMain(m *testing.M) { os.Exit(runWithAPIServer(m)) }

func runWithAPIServer(m *testing.M) int {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		fmt.Fprintln(os.Stderr, "not run: KUBEBUILDER_ASSETS names no etcd and kube-apiserver; use `make test-integration`")
		return 0
	}
	ctrl.SetLogger(logr.Discard())
	stop, err := start()
	if err == nil {
		defer stop()
		err = prepare()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func start() (stop func(), err error) {
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme, mpi.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	config, stop, err = apiserver.Start(filepath.Join(configFolder, "crd", "bases"))
	return stop, err
}

// prepare installs what the policies are about, then the policies, and returns when all of them act.
func prepare() error {
	config.QPS = -1
	var err error
	if api, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kubeflow/mpi-operator").Output()
	if err != nil {
		return fmt.Errorf("finding the module of the MPI Operator: %w", err)
	}
	crd := filepath.Join(strings.TrimSpace(string(dir)), "manifests", "base", "kubeflow.org_mpijobs.yaml")
	if _, err := envtest.InstallCRDs(config, envtest.CRDInstallOptions{Paths: []string{crd}, ErrorIfPathMissing: true, MaxTime: patience}); err != nil {
		return fmt.Errorf("installing the kind MPIJob: %w", err)
	}
	for _, folder := range []string{"namespaces", "rbac", "admission"} {
		if err := apply(ctx, filepath.Join(configFolder, folder)); err != nil {
			return err
		}
	}
	return active(ctx)
}

// active waits until each policy refuses what it has to. What is written before it is active stays.
func active(ctx context.Context) error {
	node := newNode("probe")
	if err := api.Create(ctx, node); err != nil {
		return fmt.Errorf("creating a node: %w", err)
	}
	probes := map[string]func() error{
		"assay-benchmark-pods": func() error { return as(admin).Create(ctx, newPod("probe"), client.DryRunAll) },
		"assay-pins":           func() error { return as(admin).Create(ctx, newPin("probe"), client.DryRunAll) },
		"assay-pod-access":     func() error { return inside(ctx, namespace, "probe", "exec") },
		"assay-marks": func() error {
			changed := node.DeepCopy()
			changed.Annotations = map[string]string{v1alpha1.AnnotationQuarantine: "{}"}
			return kubelet(node.Name).Update(ctx, changed, client.DryRunAll)
		},
		"assay-nodes": func() error {
			changed := node.DeepCopy()
			changed.Spec.Unschedulable = true
			return operatorWrites(ctx, changed, client.DryRunAll)
		},
		devicesPolicy: func() error {
			rule := newRule("probe")
			rule.Labels = nil
			return as(operator).Create(ctx, rule, client.DryRunAll)
		},
		"assay-quarantine": func() error {
			return as(admin).Create(ctx, newRun(v1alpha1.Taint{Effect: corev1.TaintEffectNoExecute}), client.DryRunAll)
		},
		"assay-runs": func() error { return as(operator).Create(ctx, newRun(v1alpha1.Taint{}), client.DryRunAll) },
	}
	is, err := controllers.ServesRules(api.RESTMapper())
	if err != nil {
		return err
	}
	if !is {
		delete(probes, devicesPolicy)
	}
	for policy, probe := range probes {
		if err := await(ctx, func() bool { return refusedBy(policy, probe()) }); err != nil {
			return fmt.Errorf("waiting for policy %s, which last let through what it has to refuse: %w; %w", policy, err, probe())
		}
	}
	return nil
}

// operatorWrites a node, as it does: by a patch of what differs from what is there.
func operatorWrites(ctx context.Context, changed *corev1.Node, options ...client.PatchOption) error {
	live := &corev1.Node{}
	if err := api.Get(ctx, client.ObjectKeyFromObject(changed), live); err != nil {
		return err
	}
	return as(operator).Patch(ctx, changed, client.MergeFrom(live), options...)
}

func await(ctx context.Context, done func() bool) error {
	return wait.PollUntilContextTimeout(ctx, pollEvery, patience, true, func(context.Context) (bool, error) { return done(), nil })
}

func refusedBy(policy string, err error) bool {
	return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+policy+"'")
}

// apply applies every manifest of a folder.
func apply(ctx context.Context, folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no manifests in %s: %w", folder, err)
	}
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
			o := &unstructured.Unstructured{}
			if err := decoder.Decode(o); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if err := api.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("test"), client.ForceOwnership); err != nil {
				return fmt.Errorf("applying %s %s: %w", o.GetKind(), o.GetName(), err)
			}
		}
	}
	return nil
}

// as is the API for one user. The operator has the rights of its service account; of all others only the policies decide.
func as(user string) client.Client {
	c, err := client.New(impersonated(user), client.Options{Scheme: scheme, Mapper: api.RESTMapper()})
	if err != nil {
		panic(err)
	}
	return c
}

func impersonated(user string) *rest.Config {
	c := rest.CopyConfig(config)
	c.Impersonate.UserName, c.Impersonate.Groups = user, []string{"system:masters"}
	if user == operator {
		c.Impersonate.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:assay-system", "system:authenticated"}
	}
	return c
}

// inside opens a way into a pod, as the admin.
func inside(ctx context.Context, namespace, pod, way string) error {
	c := impersonated(admin)
	c.GroupVersion, c.APIPath, c.NegotiatedSerializer = &corev1.SchemeGroupVersion, "/api", clientgoscheme.Codecs.WithoutConversion()
	r, err := rest.RESTClientFor(c)
	if err != nil {
		return err
	}
	return r.Post().Namespace(namespace).Resource("pods").Name(pod).SubResource(way).
		VersionedParams(&corev1.PodExecOptions{Command: []string{"true"}, Stdout: true}, clientgoscheme.ParameterCodec).Do(ctx).Error()
}

func newPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
}

func newNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func newRun(taint v1alpha1.Taint) *v1alpha1.ValidationRun {
	return &v1alpha1.ValidationRun{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "run-"},
		Spec: v1alpha1.ValidationRunSpec{NodeNames: []string{"n"}, Suite: "quick",
			OnFailure: &v1alpha1.OnFailure{Taint: &taint}},
	}
}

// check: want is empty where it has to be accepted, else what the refusal has to tell, after the name of the policy.
func check(t *testing.T, policy string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && err == nil:
		t.Errorf("accepted, want policy %s to refuse it: %s", policy, want)
	case want != "" && (!refusedBy(policy, err) || !strings.Contains(err.Error(), want)):
		t.Errorf("refused by %q, want policy %s to say %q", err, policy, want)
	}
}
