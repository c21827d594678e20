package cluster

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/util/retry"
)

const kwokAnnotation = "kwok.x-k8s.io/node"

// createKwokNodes registers the nodes that kwok keeps alive.
func (a *api) createKwokNodes(ctx context.Context, count int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(32)
	for i := range count {
		group.Go(func() error {
			node := kwokNode(i + 1)
			// Thousands at once let an API server on a busy machine take longer than one answer may.
			err := retry.OnError(retry.DefaultBackoff, net.IsTimeout, func() error {
				_, err := a.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
				return err
			})
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("creating node %s: %w", node.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// kwokNode is shaped like a server with eight GPUs. Nothing but what tolerates
// its taint lands on it.
func kwokNode(index int) *corev1.Node {
	name := fmt.Sprintf("kwok-%d", index)
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("64"),
		corev1.ResourceMemory: resource.MustParse("512Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
		"nvidia.com/gpu":      resource.MustParse("8"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				corev1.LabelHostname:   name,
				corev1.LabelOSStable:   "linux",
				corev1.LabelArchStable: runtime.GOARCH,
				"type":                 "kwok",
			},
			Annotations: map[string]string{kwokAnnotation: "fake"},
		},
		Spec: corev1.NodeSpec{Taints: []corev1.Taint{
			{Key: kwokAnnotation, Value: "fake", Effect: corev1.TaintEffectNoSchedule},
		}},
		Status: corev1.NodeStatus{Capacity: capacity, Allocatable: capacity},
	}
}
