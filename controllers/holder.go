package controllers

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
)

// Holder looks, live, for pods of others that hold one of these devices of a node, and says which; empty: none does. It reads one node's
// pods instead of caching all pods of the cluster; the scheduler, which counts devices itself, has the last word. Pods of benchmarks in
// this namespace, if any, hold nothing: runs wait for each other's.
func Holder(ctx context.Context, live client.Reader, namespace, node string, devices ...corev1.ResourceName) (string, error) {
	if len(devices) == 0 {
		return "", nil
	}
	var pods corev1.PodList
	if err := live.List(ctx, &pods, client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("spec.nodeName", node)}); err != nil {
		return "", fmt.Errorf("listing the pods of node %s: %w", node, err)
	}
	for p := range list.Each(pods.Items) {
		over := p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed
		if over || p.Labels[v1alpha1.LabelBenchmark] != "" && p.Namespace == namespace {
			continue
		}
		if held := heldBy(p, devices); held != "" {
			return held, nil
		}
		if held, err := claimedBy(ctx, live, p, devices); held != "" || err != nil {
			return held, err
		}
	}
	return "", nil
}

func heldBy(p *corev1.Pod, devices []corev1.ResourceName) string {
	for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
		for _, device := range devices {
			if q, ok := c.Resources.Limits[device]; ok && !q.IsZero() {
				return devicesHeld(p.Namespace+"/"+p.Name, q.String(), string(device))
			}
		}
	}
	return ""
}

// claimedBy looks at the claims of a pod, of which few have any. A pod on a node holds what is allocated to its claims there.
func claimedBy(ctx context.Context, live client.Reader, p *corev1.Pod, devices []corev1.ResourceName) (string, error) {
	for _, name := range claimsOf(p) {
		claim := &resourcev1.ResourceClaim{}
		err := live.Get(ctx, client.ObjectKey{Namespace: p.Namespace, Name: name}, claim)
		if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) { // it is gone, or of an API that is older than what is read here
			continue
		}
		if err != nil {
			return "", fmt.Errorf("getting ResourceClaim %s/%s: %w", p.Namespace, name, err)
		}
		for _, device := range devices {
			if n := dra.Allocated(claim, string(device)); n > 0 {
				return devicesHeld(p.Namespace+"/"+p.Name, strconv.Itoa(n), string(device)), nil
			}
		}
	}
	return "", nil
}

// LiveNode reads a node, and then its record, past the cache; nil for what is not there. The order matters: a record that stands when it is
// read stood, or did not exist yet, when the node was read, so that whoever changes both after that makes our update of the node conflict.
func LiveNode(ctx context.Context, live client.Reader, name string) (*corev1.Node, *v1alpha1.NodeValidation, error) {
	node, record := &corev1.Node{}, &v1alpha1.NodeValidation{}
	if err := live.Get(ctx, client.ObjectKey{Name: name}, node); err != nil {
		return nil, nil, client.IgnoreNotFound(err)
	}
	err := live.Get(ctx, client.ObjectKey{Name: name}, record)
	switch {
	case apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse): // else the kind is gone, not the record
		return node, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("getting NodeValidation %s: %w", name, err)
	}
	return node, record, nil
}

// claimsOf a pod, by name: its own, and those that were made for it.
func claimsOf(p *corev1.Pod) (names []string) {
	for _, c := range p.Spec.ResourceClaims {
		if c.ResourceClaimName != nil {
			names = append(names, *c.ResourceClaimName)
		}
	}
	for _, s := range p.Status.ResourceClaimStatuses {
		if s.ResourceClaimName != nil {
			names = append(names, *s.ResourceClaimName)
		}
	}
	return names
}
