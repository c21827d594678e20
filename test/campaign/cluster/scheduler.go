package cluster

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/test/campaign/claims"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// schedule binds a pod to a node that it asks for, or says why not.
func (c *Cluster) schedule(pod *corev1.Pod) {
	key, why := client.ObjectKeyFromObject(pod), "1 node(s) didn't match Pod's node affinity/selector."
	next := pod.DeepCopy()
	for _, name := range wanted(pod) {
		if why = c.noRoom(pod, name); why == "" {
			next.Spec.NodeName = name
			c.allocate(next, c.Machines[name])
			break
		}
	}
	if why != "" {
		next.Status.Phase = corev1.PodPending
		unschedulable := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/9 nodes are available: " + why}
		next.Status.Conditions = []corev1.PodCondition{unschedulable}
		_, _ = c.API.Update("kubelet", next, true)
		c.After(3*time.Second, func() { c.kubelet(key) })
		return
	}
	if len(next.Spec.ResourceClaims) > 0 {
		_, _ = c.API.Update("claims", next, true)
		next.ResourceVersion = ""
	}
	if _, err := c.API.Update("scheduler", next, false); err == nil {
		c.After(c.Between("start/"+key.Name, 300*time.Millisecond, 3*time.Second), func() { c.kubelet(key) })
	}
}

// wanted are the nodes that a pod asks for.
func wanted(pod *corev1.Pod) (names []string) {
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
		for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			names = append(names, term.MatchFields[0].Values...)
		}
	}
	return names
}

// noRoom says why a pod cannot be placed; empty: it can.
func (c *Cluster) noRoom(pod *corev1.Pod, name string) string {
	n := kube.Find[*corev1.Node](c.API, name)
	switch {
	case n == nil || n.Spec.Unschedulable || !selects(pod, n):
		return "1 node(s) didn't match Pod's node affinity/selector."
	case slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule && !tolerates(pod, t) }):
		return "1 node(s) had untolerated taint(s)."
	}
	free := n.Status.Allocatable[GPU]
	for _, other := range kube.All[*corev1.Pod](c.API) {
		if other.Spec.NodeName != name || other.Status.Phase == corev1.PodSucceeded || other.Status.Phase == corev1.PodFailed {
			continue
		}
		free.Sub(asks(other))
		if apart(pod, other) || apart(other, pod) {
			return "1 node(s) didn't satisfy existing pods anti-affinity rules."
		}
	}
	if want := asks(pod); free.Cmp(want) < 0 {
		return "1 Insufficient nvidia.com/gpu."
	}
	return c.noDevices(pod, name)
}

// noDevices says why a pod cannot have what it claims of a node; empty: it can.
func (c *Cluster) noDevices(pod *corev1.Pod, name string) string {
	if len(pod.Spec.ResourceClaims) > 0 {
		if want := c.claims(pod); want == 0 || want > int64(len(c.free(c.Machines[name], pod))) {
			return "1 cannot allocate all claims."
		}
	}
	return ""
}

func tolerates(pod *corev1.Pod, t corev1.Taint) bool {
	return slices.ContainsFunc(pod.Spec.Tolerations, func(o corev1.Toleration) bool { return o.Key == t.Key && (o.Effect == "" || o.Effect == t.Effect) })
}

// apart says whether a pod must not be where another one is.
func apart(pod, other *corev1.Pod) bool {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return false
	}
	if pod.Namespace != other.Namespace {
		return false
	}
	for _, term := range pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		if s, err := metav1.LabelSelectorAsSelector(term.LabelSelector); err == nil && s.Matches(labels.Set(other.Labels)) {
			return true
		}
	}
	return false
}

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
