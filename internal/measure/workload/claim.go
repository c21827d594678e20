package workload

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/dra"
)

// claimName of the devices within a pod.
const claimName = "devices"

// Claim is what a pod claims where a DRA driver offers the devices: as many of a class as it would request of a device plugin.
type Claim struct {
	Run   *v1alpha1.ValidationRun
	Class string
	Count int64
	// Keys of taints that the claim tolerates: those by which Assay takes devices out of service, or they could never be cleared.
	Keys []string
}

// ClassOf the devices that a benchmark claims on a node; empty: it requests them of a device plugin, or takes none. Workers of one MPIJob are alike, so that
// all of its nodes have the same.
func ClassOf(b *v1alpha1.Benchmark, node *corev1.Node) string {
	if o := dra.Shown(node); o != nil && o.Resource == b.Spec.Needs.DeviceResource {
		return o.Class
	}
	return ""
}

// claimOf a benchmark that takes all devices of a node; nil: it requests them of a device plugin, or takes none. Quarantines are those of the nodes
// that are measured.
func claimOf(run *v1alpha1.ValidationRun, b *v1alpha1.Benchmark, node *corev1.Node, quarantines ...*v1alpha1.Quarantine) *Claim {
	class := ClassOf(b, node)
	if class == "" {
		return nil
	}
	devices := Devices(b, node)
	keys := []string{v1alpha1.DefaultTaintKey}
	if f := run.Spec.OnFailure; f != nil && f.Taint != nil && f.Taint.Key != "" {
		keys = append(keys, f.Taint.Key)
	}
	for _, q := range quarantines {
		if q != nil && len(q.Devices) > 0 {
			keys = append(keys, q.Key)
		}
	}
	slices.Sort(keys)
	return &Claim{run, class, devices.Value(), slices.Compact(keys)}
}

// Claim of the pod; nil: none.
func (l Launch) Claim() *Claim { return claimOf(l.Run, l.Benchmark, l.Node, l.Quarantine) }

// Claim of each worker; nil: none.
func (l GroupLaunch) Claim() *Claim {
	return claimOf(l.Run, l.Benchmark, l.leastNode(), slices.Collect(maps.Values(l.Quarantines))...)
}

// Name of the template is the same for all pods of a run that claim the same.
func (c *Claim) Name() string {
	return fmt.Sprintf("%s-%d-%s", dnsPrefix(c.Class, 30), c.Count, hash(fmt.Appendf(nil, "%s/%s/%d/%s", c.Run.UID, c.Class, c.Count, c.Keys)))
}

// Template of the claims: Kubernetes makes one for each pod, and deletes it with the pod.
func (c *Claim) Template(s Settings) *resourcev1.ResourceClaimTemplate {
	labels := Labels(c.Run)
	// Nothing else of Assay's, and nothing of others, tolerates that a device is out of service.
	tolerations := list.Map(c.Keys, func(key string) resourcev1.DeviceToleration {
		return resourcev1.DeviceToleration{Key: key, Operator: resourcev1.DeviceTolerationOpExists}
	})
	return &resourcev1.ResourceClaimTemplate{
		ObjectMeta: metav1.ObjectMeta{Name: c.Name(), Namespace: s.Namespace, Labels: labels, OwnerReferences: OwnedBy(c.Run)},
		Spec: resourcev1.ResourceClaimTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
				Name: claimName,
				Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: c.Class, AllocationMode: resourcev1.DeviceAllocationModeExactCount,
					Count: c.Count, Tolerations: tolerations},
			}}}},
		},
	}
}

// Is says whether a template is this one. An API server that knows no taints of devices (Kubernetes before 1.36, or with these off) drops the tolerations.
func (c *Claim) Is(found *resourcev1.ResourceClaimTemplate, s Settings) bool {
	want := c.Template(s)
	if equality.Semantic.DeepEqual(found.Spec.Spec, want.Spec.Spec) {
		return true
	}
	want.Spec.Spec.Devices.Requests[0].Exactly.Tolerations = nil
	return equality.Semantic.DeepEqual(found.Spec.Spec, want.Spec.Spec)
}

// claiming is the pod with the claim in the place of the extended resource; without one it is as it is. A device that its driver publishes by another name while
// a pod has it is free to the scheduler, so that devices alone keep no other pod away.
func (c *Claim) claiming(spec corev1.PodSpec, resource string) corev1.PodSpec {
	if c == nil {
		return spec
	}
	for i := range spec.Containers {
		r := &spec.Containers[i].Resources
		delete(r.Limits, corev1.ResourceName(resource))
		delete(r.Requests, corev1.ResourceName(resource))
		r.Claims = []corev1.ResourceClaim{{Name: claimName}}
	}
	spec.Affinity.PodAntiAffinity = apart()
	spec.ResourceClaims = []corev1.PodResourceClaim{{Name: claimName, ResourceClaimTemplateName: new(c.Name())}}
	return spec
}
