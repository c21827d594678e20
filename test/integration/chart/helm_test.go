// Package chart_test installs and upgrades charts/assay with the real helm on a real API server.
package chart_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/integration/apiserver"
)

const patience = 3 * time.Minute

var (
	root   = filepath.Join("..", "..", "..")
	chart  = filepath.Join(root, "charts", "assay")
	helm   = os.Getenv("ASSAY_HELM")
	scheme = runtime.NewScheme()

	config     *rest.Config
	kubeconfig string
	api        client.WithWatch
)

func TestMain(m *testing.M) { os.Exit(runWithAPIServer(m)) }

func runWithAPIServer(m *testing.M) int {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" || helm == "" {
		fmt.Fprintln(os.Stderr, "not run: KUBEBUILDER_ASSETS names no etcd and kube-apiserver, or ASSAY_HELM no helm; use `make test-integration`")
		return 0
	}
	ctrl.SetLogger(logr.Discard())
	folder, err := os.MkdirTemp("", "assay-chart-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	stop, err := start(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer stop()
	return m.Run()
}

// start starts a server without any CRD: the chart brings them.
func start(folder string) (stop func(), err error) {
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme, apiextensionsv1.AddToScheme, mpi.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	if config, stop, err = apiserver.Start(folder); err != nil {
		return nil, err
	}
	config.QPS = -1
	if api, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err == nil {
		kubeconfig = filepath.Join(folder, "kubeconfig")
		err = writeKubeconfig(config, kubeconfig)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

func writeKubeconfig(c *rest.Config, path string) error {
	out := clientcmdapi.NewConfig()
	out.Clusters["test"] = &clientcmdapi.Cluster{Server: c.Host, CertificateAuthorityData: c.CAData}
	out.AuthInfos["test"] = &clientcmdapi.AuthInfo{ClientCertificateData: c.CertData, ClientKeyData: c.KeyData, Token: c.BearerToken}
	out.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	out.CurrentContext = "test"
	return clientcmd.WriteToFile(*out, path)
}

// upgrade installs the release, or upgrades it where it is installed, and uninstalls it when the test ends, which leaves CRDs and
// catalogue. Values as --set takes them. The catalogue is the same for all releases: no test that calls it is parallel.
func upgrade(t *testing.T, release, namespace string, values ...string) {
	t.Helper()
	t.Cleanup(func() {
		if _, err := try(context.Background(), t, "uninstall", release, "--namespace", namespace, "--ignore-not-found"); err != nil {
			t.Errorf("helm uninstall %s: %v", release, err)
		}
	})
	args := []string{"upgrade", "--install", release, chart, "--namespace", namespace, "--create-namespace"}
	for _, v := range values {
		args = append(args, "--set", v)
	}
	run(t, args...)
}

// render is what `helm template` prints for a cluster with admission policies.
func render(t *testing.T, release, namespace string, values ...string) string {
	t.Helper()
	args := []string{"template", release, chart, "--namespace", namespace, "--kube-version", "1.35",
		"--api-versions", "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy"}
	for _, v := range values {
		args = append(args, "--set", v)
	}
	return run(t, args...)
}

func run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := try(t.Context(), t, args...)
	if err != nil {
		t.Fatalf("helm %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// try runs helm, with files of its own in a folder of the test's.
func try(ctx context.Context, t *testing.T, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	home := t.TempDir()
	cmd := exec.CommandContext(ctx, helm, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HELM_CACHE_HOME="+home, "HELM_CONFIG_HOME="+home, "HELM_DATA_HOME="+home)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("%w: %s", err, complaint.String())
	}
	return string(out), nil
}
