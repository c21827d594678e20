//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

var (
	nodeClaims    = schema.GroupVersionKind{Group: "karpenter.sh", Version: "v1", Kind: "NodeClaim"}
	nodePools     = schema.GroupVersionKind{Group: "karpenter.sh", Version: "v1", Kind: "NodePool"}
	nodeKind      = corev1.SchemeGroupVersion.WithKind("Node")
	nodePoolLabel = "karpenter.sh/nodepool"
)

// testKarpenter: a node that the real Karpenter makes for a pod gets the pod once it has passed, and not if it failed.
func testKarpenter(t *testing.T) {
	t.Parallel()
	startKarpenter(t)
	t.Run("a node that passes is let in", testFitNode)
	t.Run("a node that fails is not", testUnfitNode)
}

func testFitNode(t *testing.T) {
	t.Parallel()
	pod := workFor(t, "fit")
	node := madeFor(t, "fit")
	eventually(t, "the pod to run", func(ctx context.Context) (bool, string) {
		claim := claimOf(t, "fit")
		if err := api.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, err.Error()
		}
		if gated(getNode(t, node)) && pod.Spec.NodeName != "" {
			t.Fatal("the pod was bound to a node behind its gate")
		}
		return pod.Status.Phase == corev1.PodRunning, fmt.Sprintf("pod %s, node claim %s", pod.Status.Phase, initialized(claim))
	})
	if pod.Spec.NodeName != node {
		t.Errorf("the pod runs on %s, want the node that was made for it, %s", pod.Spec.NodeName, node)
	}
	checkMarks(t, node, markedPassed)
	if note := getNode(t, node).Annotations[v1alpha1.AnnotationGate]; note == "" {
		t.Errorf("the node does not tell who opened its gate: annotation %s is missing", v1alpha1.AnnotationGate)
	}
	event(t, node, v1alpha1.ReasonGateOpened, "")
	eventually(t, "Karpenter to see that the node is initialized", func(context.Context) (bool, string) {
		state := initialized(claimOf(t, "fit"))
		return state == "True/Initialized", state
	})
}

func testUnfitNode(t *testing.T) {
	t.Parallel()
	pod := workFor(t, "unfit")
	node := madeFor(t, "unfit")
	event(t, node, v1alpha1.ReasonGateKept, "200")
	if state := initialized(claimOf(t, "unfit")); state != "Unknown/StartupTaintsExist" {
		t.Errorf("Karpenter takes the node for %s, want Unknown/StartupTaintsExist", state)
	}
	if !gated(getNode(t, node)) {
		t.Errorf("node %s failed, and its gate is open", node)
	}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil || pod.Spec.NodeName != "" {
		t.Errorf("the pod is on node %q: %v", pod.Spec.NodeName, err)
	}
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

// madeFor waits for the node that Karpenter makes in the pool, and checks that it begins behind its gate.
func madeFor(t *testing.T, pool string) string {
	t.Helper()
	var node string
	eventually(t, "a registered node of pool "+pool, func(ctx context.Context) (bool, string) {
		var list corev1.NodeList
		if err := api.List(ctx, &list, client.MatchingLabels{nodePoolLabel: pool, "karpenter.sh/registered": "true"}); err != nil || len(list.Items) == 0 {
			return false, fmt.Sprintf("%d nodes, %v", len(list.Items), err)
		}
		node = list.Items[0].Name
		return true, ""
	})
	return node
}

func gated(n *corev1.Node) bool {
	for _, taint := range n.Spec.Taints {
		if taint.Key == v1alpha1.DefaultGateKey {
			return true
		}
	}
	return false
}

// claimOf is the one NodeClaim of the pool: a benchmark's pod is no reason to make another node.
func claimOf(t *testing.T, pool string) *unstructured.Unstructured {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(nodeClaims)
	if err := api.List(t.Context(), list, client.MatchingLabels{nodePoolLabel: pool}); err != nil || len(list.Items) != 1 {
		t.Fatalf("pool %s has %d node claims, want one: %v", pool, len(list.Items), err)
	}
	return &list.Items[0]
}

// initialized is the node claim's condition of that name, as "status/reason".
func initialized(claim *unstructured.Unstructured) string {
	conditions, _, _ := unstructured.NestedSlice(claim.Object, "status", "conditions")
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && c["type"] == "Initialized" {
			return fmt.Sprintf("%s/%s", c["status"], c["reason"])
		}
	}
	return ""
}

func object(kind schema.GroupVersionKind, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(kind)
	o.SetName(name)
	return o
}
