package cluster

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/test/campaign/claims"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// claims is how many devices a pod claims, by templates.
func (c *Cluster) claims(pod *corev1.Pod) (n int64) {
	for _, of := range pod.Spec.ResourceClaims {
		if made, ok := c.API.Get("ResourceClaim", claimOf(pod, of.Name)).(*resourcev1.ResourceClaim); ok {
			n += int64(len(made.Status.Allocation.Devices.Results))
		} else if t, ok := c.API.Get("ResourceClaimTemplate", client.ObjectKey{Namespace: pod.Namespace, Name: *of.ResourceClaimTemplateName}).(*resourcev1.ResourceClaimTemplate); ok {
			n += t.Spec.Spec.Devices.Requests[0].Exactly.Count
		}
	}
	return n
}

func claimOf(pod *corev1.Pod, name string) client.ObjectKey {
	return client.ObjectKey{Namespace: pod.Namespace, Name: pod.Name + "-" + name}
}

// free devices of a machine that a pod may have: those that no pod on it has.
func (c *Cluster) free(m *Machine, pod *corev1.Pod) (places []claims.Place) {
	rules, tolerations := kube.All[*resourcev1.DeviceTaintRule](c.API), c.tolerations(pod)
	for _, d := range c.Published(m.Name) {
		if d.Open(rules, tolerations) {
			places = append(places, d.Place)
		}
	}
	for _, other := range m.Pods() {
		if other.Status.Phase == corev1.PodSucceeded || other.Status.Phase == corev1.PodFailed {
			continue
		}
		for _, of := range other.Spec.ResourceClaims {
			if made, ok := c.API.Get("ResourceClaim", claimOf(other, of.Name)).(*resourcev1.ResourceClaim); ok {
				for _, r := range made.Status.Allocation.Devices.Results {
					places = slices.DeleteFunc(places, func(p claims.Place) bool { return p == claims.Place{Driver: r.Driver, Pool: r.Pool, Device: r.Device} })
				}
			}
		}
	}
	return places
}

// tolerations of the claims of a pod.
func (c *Cluster) tolerations(pod *corev1.Pod) []resourcev1.DeviceToleration {
	for _, of := range pod.Spec.ResourceClaims {
		if t, ok := c.API.Get("ResourceClaimTemplate", client.ObjectKey{Namespace: pod.Namespace, Name: *of.ResourceClaimTemplateName}).(*resourcev1.ResourceClaimTemplate); ok {
			return t.Spec.Spec.Devices.Requests[0].Exactly.Tolerations
		}
	}
	return nil
}

// allocate devices to the claims of a pod, which go with it.
func (c *Cluster) allocate(pod *corev1.Pod, m *Machine) {
	places := c.free(m, pod)
	for _, of := range pod.Spec.ResourceClaims {
		claim := &resourcev1.ResourceClaim{}
		key := claimOf(pod, of.Name)
		claim.Namespace, claim.Name = key.Namespace, key.Name
		claim.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID, Controller: new(true)}}
		claim.Status.Allocation = &resourcev1.AllocationResult{}
		for _, p := range places[:c.claims(pod)] {
			claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results,
				resourcev1.DeviceRequestAllocationResult{Request: of.Name, Driver: p.Driver, Pool: p.Pool, Device: p.Device})
		}
		_, _ = c.API.Create("claims", claim)
		pod.Status.ResourceClaimStatuses = append(pod.Status.ResourceClaimStatuses, corev1.PodResourceClaimStatus{Name: of.Name, ResourceClaimName: &claim.Name})
	}
}
