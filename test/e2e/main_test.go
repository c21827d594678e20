//go:build e2e

// Package e2e_test validates the nodes of a real cluster by real pods and looks at what a user sees: verdicts, conditions,
// rows, results, taints, events. It is run by `make test-e2e`. What is measured for its speed runs first and alone; then what needs the
// whole fleet; then the faults, in parallel on nodes of their own, which mostly wait; at the end, that everything has settled.
package e2e_test

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

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const benchmarkNamespace = "assay-benchmarks"

var (
	root        = filepath.Join("..", "..")
	nodes       = []string{"node-1", "node-2", "node-3", "node-4"}
	clusterName = os.Getenv("ASSAY_E2E_CLUSTER")

	api client.WithWatch
	// launched is every benchmark pod that was ever seen.
	launched = newLedger()
)

func TestMain(m *testing.M) { os.Exit(runOnCluster(m)) }

func runOnCluster(m *testing.M) int {
	if clusterName == "" || os.Getenv("KUBECONFIG") == "" {
		fmt.Fprintln(os.Stderr, "not run: these tests need a cluster of their own; use `make test-e2e`")
		return 1
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := connect(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func connect(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return fmt.Errorf("reading KUBECONFIG: %w", err)
	}
	config.QPS, config.Burst = 100, 200
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, eventsv1.AddToScheme, discoveryv1.AddToScheme, resourceapi.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return fmt.Errorf("building the scheme: %w", err)
		}
	}
	if api, err = client.NewWithWatch(config, client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	if err := launched.follow(ctx, api); err != nil {
		return err
	}
	return applyFile(ctx, filepath.Join("testdata", "benchmarks.yaml"))
}

// applyFile applies every document of a YAML file.
func applyFile(ctx context.Context, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the test's benchmarks: %w", err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		o := &unstructured.Unstructured{}
		if err := decoder.Decode(o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		if err := api.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("e2e"), client.ForceOwnership); err != nil {
			return fmt.Errorf("applying %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
}

// tool runs one of the project's programs and returns what it printed; it must succeed.
func tool(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := try(name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func try(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(root, "bin", name), args...).CombinedOutput()
	return string(out), err
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return tool(t, "kubectl", args...)
}

func clusterctl(t *testing.T, args ...string) {
	t.Helper()
	tool(t, "clusterctl", append([]string{"--name", clusterName}, args...)...)
}
