package campaign

import (
	"fmt"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// work of somebody holds a GPU of a node for a while.
func (w *world) work(h cases.Happening) {
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = "work", fmt.Sprintf("work-%s-%d", h.Name, int(h.At.Seconds()))
	pod.Spec.NodeName = ""
	pod.Spec.Containers = []corev1.Container{{Name: "work", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{cluster.GPU: resource.MustParse("1")}}}}
	pod.Spec.Tolerations = []corev1.Toleration{{Key: "site/gpu"}, {Key: "site/team"}}
	pod.Spec.Affinity = affinityTo(h.Name)
	if m := w.Machines[h.Name]; m != nil && m.Spec.Slices {
		pod.Spec.Containers[0].Resources = corev1.ResourceRequirements{}
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: new(oneGPU)}}
	}
	if _, err := w.API.Create("person", pod); err != nil {
		w.Say("person      cannot work on %s: %v", h.Name, err)
	}
	w.After(h.For, func() { w.removePod(pod) })
}

// removePod, as often as it takes: a webhook may keep people from it, too.
func (w *world) removePod(pod client.Object) {
	if err := w.API.Delete("person", "Pod", client.ObjectKeyFromObject(pod)); client.IgnoreNotFound(err) != nil {
		w.After(10*time.Second, func() { w.removePod(pod) })
	}
}

// affinityTo a node, by which a pod is for this one alone.
func affinityTo(name string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: "In", Values: []string{name}}}}}}}}
}

// oneGPU is the template by which somebody else claims a device.
const oneGPU = "one-gpu"

// offerClaims of somebody else.
func (w *world) offerClaims() {
	t := &resourcev1.ResourceClaimTemplate{}
	t.Namespace, t.Name = "work", oneGPU
	t.Spec.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: cluster.DRADriver, Count: 1}}}
	_, _ = w.API.Create("person", t)
}

// impersonate makes a pod that looks like one of ours: it says that a node is slow which is not.
func (w *world) impersonate(h cases.Happening) {
	m, run := w.Machines[h.Name], w.activeRun()
	if m == nil || m.Node() == nil || run == nil {
		return
	}
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = cases.Namespace, fmt.Sprintf("gemm-%016x", w.Draw("stranger"))
	pod.Labels = workload.Labels(run)
	pod.Labels[v1alpha1.LabelBenchmark] = w.Case.Benchmarks[0]
	pod.Annotations = map[string]string{v1alpha1.AnnotationNode: m.Name, v1alpha1.AnnotationNodeUID: string(m.UID), v1alpha1.AnnotationAttempt: "1"}
	pod.Spec.Containers = []corev1.Container{{Name: workload.ProgramContainer, Image: "bench:1"}}
	pod.Spec.NodeName = m.Name
	switch h.How {
	case cases.StrangerElsewhere:
		pod.Namespace = "work"
		pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{cluster.GPU: resource.MustParse("1")}
		pod.Spec.NodeName, pod.Spec.Affinity, pod.Spec.Tolerations = "", affinityTo(m.Name), []corev1.Toleration{{Key: "site/gpu"}}
	case cases.StrangerNamedAlike:
		pod.Name = workload.PodName(run.UID, m.UID, w.Case.Benchmarks[0], int32(1+h.Number%2))
	case cases.StrangerOwnedAlike:
		pod.OwnerReferences = workload.OwnedBy(run)
	case cases.StrangerWorker:
		jobs := w.API.List("MPIJob")
		if len(jobs) == 0 {
			return
		}
		pod.Name = jobs[0].GetName() + "-worker-1" + fmt.Sprint(h.Number)
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(jobs[0], mpi.SchemeGroupVersionKind)}
	}
	stored, err := w.API.Create("person", pod)
	if err != nil {
		w.Say("person      cannot make pod %s: %v", pod.Name, err)
		return
	}
	w.Strangers[stored.GetUID()] = true
	w.After(h.For, func() { w.removePod(stored) })
}

func (w *world) activeRun() *v1alpha1.ValidationRun {
	for _, r := range kube.All[*v1alpha1.ValidationRun](w.API) {
		if !r.Finished() && r.DeletionTimestamp == nil {
			return r
		}
	}
	return nil
}
