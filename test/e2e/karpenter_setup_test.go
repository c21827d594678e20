//go:build e2e

package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

var (
	karpenterData = filepath.Join("testdata", "karpenter")
	// pools of nodes, and the policies that gate them.
	pools = []string{"fit", "unfit"}

	nodeClaims    = schema.GroupVersionKind{Group: "karpenter.sh", Version: "v1", Kind: "NodeClaim"}
	nodePools     = schema.GroupVersionKind{Group: "karpenter.sh", Version: "v1", Kind: "NodePool"}
	nodePoolLabel = "karpenter.sh/nodepool"
)

// startKarpenter runs the real Karpenter beside the control plane. The nodes that it makes are simulated by kwok: their pods run nothing,
// and a benchmark's pod ends with a document as the runner would leave. At the end all of that is gone.
func startKarpenter(t *testing.T) {
	t.Helper()
	karpenter := os.Getenv("ASSAY_KARPENTER")
	if karpenter == "" {
		t.Fatal("ASSAY_KARPENTER is not set: these tests are run by `make test-e2e`, which builds Karpenter")
	}
	types, err := filepath.Abs(filepath.Join(karpenterData, "instance-types.json"))
	if err != nil {
		t.Fatal(err)
	}
	kubectl(t, "apply", "--server-side", "-f", filepath.Join(karpenter, "crds"))
	kubectl(t, "wait", "--for=condition=Established", "-f", filepath.Join(karpenter, "crds"), "--timeout="+poolPatience.String())
	background(t, filepath.Join(root, "bin", "localcluster", "kwok"), nil, "--kubeconfig="+os.Getenv("KUBECONFIG"), "--manage-all-nodes=false",
		"--node-lease-duration-seconds=40", "--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake", "--config="+strings.Join(stages(t), ","))
	background(t, filepath.Join(karpenter, "karpenter"), []string{"DISABLE_LEADER_ELECTION=true", "METRICS_PORT=0", "HEALTH_PROBE_PORT=0",
		"INSTANCE_TYPES_FILE_PATH=" + types})
	t.Cleanup(func() { removePools(t) })
	if err := applyFile(t.Context(), filepath.Join(karpenterData, "pools.yaml")); err != nil {
		t.Fatal(err)
	}
}

// stages are kwok's own, and one for each benchmark, which ends its pods with a rate of so many GB/s.
func stages(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "bin", "localcluster", "stages", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d of kwok's stages: %v", len(files), err)
	}
	stage, err := os.ReadFile(filepath.Join(karpenterData, "stage.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for benchmark, rate := range map[string]float64{"rate-of-fit": 400, "rate-of-unfit": 200} {
		text := strings.NewReplacer("BENCHMARK", benchmark, "MESSAGE", document(t, benchmark, rate)).Replace(string(stage))
		file := filepath.Join(t.TempDir(), benchmark+".yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// document is what the runner leaves of a program that measured one rate.
func document(t *testing.T, benchmark string, rate float64) string {
	t.Helper()
	now := time.Now().UTC()
	text, err := result.Encode(result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured,
		Start: now, End: now.Add(2 * time.Second), Document: &result.Document{Schema: result.Schema, Benchmark: benchmark, Version: "1", ElapsedSeconds: 2,
			Measurements: []result.Measurement{{Name: "rate", Unit: "GB/s", Better: result.BetterHigher,
				Parts: []result.Part{{At: "node", Value: rate, Samples: 10, Spread: 0.001}}}},
			Checks: []result.Check{{Name: "dataIntegrity", OK: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// background runs a program until the test ends, or the test's process does. A failed test shows what the program said.
func background(t *testing.T, path string, environment []string, args ...string) {
	t.Helper()
	name := filepath.Base(path)
	log, err := os.Create(filepath.Join(t.TempDir(), name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatalf("starting %s: %v", name, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("%s said at last:\n%s", name, text[max(0, len(text)-8000):])
		}
	})
}

// removePools takes pools and policies away while Karpenter still removes their nodes, and waits until nothing of them is left.
func removePools(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	for _, kind := range []schema.GroupVersionKind{nodePools, v1alpha1.GroupVersion.WithKind("ValidationPolicy")} {
		for _, pool := range pools {
			o := &unstructured.Unstructured{}
			o.SetGroupVersionKind(kind)
			o.SetName(pool)
			if err := api.Delete(ctx, o); err != nil && !apierrors.IsNotFound(err) {
				t.Errorf("deleting %s %s: %v", kind.Kind, pool, err)
			}
		}
	}
	var left []string
	err := wait.PollUntilContextTimeout(ctx, pollInterval, poolPatience, true, func(ctx context.Context) (done bool, err error) {
		left, err = leftOfPools(ctx)
		return len(left) == 0, err
	})
	if err != nil {
		t.Errorf("waited %s for the end of Karpenter's nodes: %v: left are %v", poolPatience, err, left)
	}
}

// leftOfPools is every object that is there because of a pool.
func leftOfPools(ctx context.Context) ([]string, error) {
	var left []string
	kinds := []schema.GroupVersionKind{nodeClaims, corev1.SchemeGroupVersion.WithKind("Node")}
	for _, kind := range []string{"ValidationRun", "ValidationResult", "NodeValidation"} {
		kinds = append(kinds, v1alpha1.GroupVersion.WithKind(kind))
	}
	for _, kind := range kinds {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(kind)
		if err := api.List(ctx, list); err != nil {
			return nil, err
		}
		for _, o := range list.Items {
			run, _, _ := strings.Cut(o.GetLabels()[v1alpha1.LabelRunName], "-") // the runs of a policy begin with its name
			if strings.HasPrefix(o.GetName(), "kwok-") || slices.Contains(pools, o.GetLabels()[nodePoolLabel]) ||
				slices.Contains(pools, o.GetLabels()[v1alpha1.LabelPolicy]) || slices.Contains(pools, run) {
				left = append(left, kind.Kind+" "+o.GetName())
			}
		}
	}
	return left, nil
}
