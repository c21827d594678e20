//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// testKarpenter: a node that the real Karpenter makes for a pod gets the pod once it has passed, and not if it failed.
func testKarpenter(t *testing.T) {
	t.Parallel()
	startKarpenter(t)
	kubectl(t, "apply", "--server-side", "--dry-run=server", "-f", filepath.Join(root, "config", "samples", "gate", "karpenter.yaml"))
	t.Run("a node that passes is let in", testFitNode)
	t.Run("a node that fails is not", testUnfitNode)
}

func testFitNode(t *testing.T) {
	t.Parallel()
	born := followNodes(t, "fit")
	pod := workFor(t, "fit")
	ofPool(t, "fit", "the pod to run", func(ctx context.Context) (bool, string) {
		if err := api.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, err.Error()
		}
		return pod.Status.Phase == corev1.PodRunning, fmt.Sprintf("pod %s, nodes %v", pod.Status.Phase, born.all())
	})
	node := pod.Spec.NodeName
	ofPool(t, "fit", "Karpenter to take the node for initialized", func(context.Context) (bool, string) {
		state := initialized(t, "fit")
		return state == "True/Initialized", state
	})
	want := map[string][]string{node: {"unregistered", "gated", "open", "initialized"}}
	ofPool(t, "fit", "the node's life to be seen", func(context.Context) (bool, string) {
		diff := cmp.Diff(want, born.all())
		return diff == "", diff
	})
	checkMarks(t, node, markedPassed)
	ofPool(t, "fit", "the event that says so", told(node, v1alpha1.ReasonGateOpened, "holds a valid pass"))
}

func testUnfitNode(t *testing.T) {
	t.Parallel()
	born := followNodes(t, "unfit")
	pod := workFor(t, "unfit")
	node := born.next(t)
	ofPool(t, "unfit", "the event that says so", told(node, v1alpha1.ReasonGateKept, "failed rate-of-unfit"))
	if diff := cmp.Diff(map[string][]string{node: {"unregistered", "gated"}}, born.all()); diff != "" {
		t.Errorf("nodes of the pool, and their lives (-want +got):\n%s", diff)
	}
	if state := initialized(t, "unfit"); state != "Unknown/StartupTaintsExist" {
		t.Errorf("for Karpenter the node is initialized: %s, want Unknown/StartupTaintsExist", state)
	}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil || pod.Spec.NodeName != "" {
		t.Errorf("the pod is on node %q: %v", pod.Spec.NodeName, err)
	}
	// What a person does about it: Karpenter makes another one, which begins behind its gate, too.
	if err := api.Delete(t.Context(), getNode(t, node)); err != nil {
		t.Fatal(err)
	}
	born.next(t)
}

// workFor creates a pod that only a node of the pool can take.
func workFor(t *testing.T, pool string) *corev1.Pod {
	t.Helper()
	all := corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8")}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "work-for-" + pool, Namespace: "default"},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{nodePoolLabel: pool},
			Tolerations:  []corev1.Toleration{{Key: "example.com/karpenter", Operator: corev1.TolerationOpExists}},
			Containers: []corev1.Container{{Name: "work", Image: "localhost/assay/none:dev",
				Resources: corev1.ResourceRequirements{Limits: all, Requests: all}}},
		},
	}
	if err := api.Create(t.Context(), pod); err != nil {
		t.Fatalf("creating a pod for pool %s: %v", pool, err)
	}
	t.Cleanup(func() { _ = api.Delete(context.Background(), pod.DeepCopy(), client.GracePeriodSeconds(0)) })
	return pod
}

// initialized is the condition of that name of the pool's only NodeClaim, as "status/reason".
func initialized(t *testing.T, pool string) string {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(nodeClaims)
	if err := api.List(t.Context(), list, client.MatchingLabels{nodePoolLabel: pool}); err != nil || len(list.Items) != 1 {
		t.Fatalf("pool %s has %d node claims, want one: %v", pool, len(list.Items), err)
	}
	conditions, _, _ := unstructured.NestedSlice(list.Items[0].Object, "status", "conditions")
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && c["type"] == "Initialized" {
			return fmt.Sprintf("%s/%s", c["status"], c["reason"])
		}
	}
	return ""
}

// births is what became of each node of a pool, change by change.
type births struct {
	pool  string
	mu    sync.Mutex
	lives map[string][]string
	names chan string
}

// followNodes watches the nodes of a pool until the test ends.
func followNodes(t *testing.T, pool string) *births {
	t.Helper()
	w, err := api.Watch(t.Context(), &corev1.NodeList{}, client.MatchingLabels{nodePoolLabel: pool})
	if err != nil {
		t.Fatalf("watching the nodes of pool %s: %v", pool, err)
	}
	b := &births{pool: pool, lives: map[string][]string{}, names: make(chan string, 10)}
	go func() {
		for e := range w.ResultChan() {
			if n, ok := e.Object.(*corev1.Node); ok && e.Type != watch.Deleted {
				b.see(n)
			}
		}
	}()
	return b
}

func (b *births) see(n *corev1.Node) {
	b.mu.Lock()
	defer b.mu.Unlock()
	life, state := b.lives[n.Name], stateOf(n)
	if state == "gated" && !slices.Contains(life, state) {
		b.names <- n.Name
	}
	if len(life) == 0 || life[len(life)-1] != state {
		b.lives[n.Name] = append(life, state)
	}
}

func stateOf(n *corev1.Node) string {
	gated := slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1alpha1.DefaultGateKey })
	ready := n.Labels["karpenter.sh/initialized"] == "true"
	switch {
	case gated && ready:
		return "initialized behind its gate"
	case gated:
		return "gated"
	case ready:
		return "initialized"
	case n.Labels["karpenter.sh/registered"] == "true":
		return "open"
	}
	return "unregistered"
}

// next waits for one more node that is behind its gate.
func (b *births) next(t *testing.T) (node string) {
	t.Helper()
	ofPool(t, b.pool, "a node of Karpenter's", func(context.Context) (bool, string) {
		select {
		case node = <-b.names:
			return true, ""
		default:
			return false, fmt.Sprintf("there were %v", b.all())
		}
	})
	return node
}

func (b *births) all() map[string][]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[string][]string{}
	for name, life := range b.lives {
		out[name] = slices.Clone(life)
	}
	return out
}
