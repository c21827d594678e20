package campaign

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/test/campaign/hostile"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// What a kubelet lies about. What it says of its own node may convict or clear that node, and no other one.
const (
	output   = "output" // what programs leave
	identity = "pods"   // labels, annotations and status of its pods
	status   = "status" // what the node is and has
)

func (m *machine) liesAbout(what string) bool { return m != nil && slices.Contains(m.lies, what) }

// beginToLie, and never stop.
func (m *machine) beginToLie(about []string) {
	m.lies = append(m.lies, about...)
	m.w.truth.of(m.uid).lies = true
	if !m.liesAbout(status) {
		return
	}
	for i := range time.Duration(4) {
		m.w.after(i*40*time.Second, func() { m.report(corev1.ConditionTrue) })
	}
}

// forge what a program found.
func (p *program) forge(e result.Envelope) string {
	w := p.m.w
	o := hostile.Outputs[w.draw("hostile/"+p.m.name)%uint64(len(hostile.Outputs))]
	p.unreadable = !o.Readable
	w.figures.Faults["a program leaves "+o.Kind]++
	w.say("kubelet     pod %s leaves %s", p.pod.Name, o.Kind)
	return o.Make(e, w.otherNodes(p.m.name))
}

func (w *world) otherNodes(name string) (others []string) {
	for _, m := range w.sortedMachines() {
		if m.name != name {
			others = append(others, m.name)
		}
	}
	return others
}

// lieOf a pod: a kubelet may write its labels, annotations and status, where no admission policy keeps it from that.
func (m *machine) lieOf(pod *corev1.Pod) {
	if !m.liesAbout(identity) || pod.Labels[v1alpha1.LabelRunUID] == "" {
		return
	}
	lies := []func(){
		func() { pod.Labels, pod.Annotations = nil, nil },
		func() { pod.Labels[v1alpha1.LabelBenchmark] = m.w.c.Benchmarks[0] },
		func() { pod.Labels[v1alpha1.LabelBenchmark] = strings.Repeat("x", 63) },
		func() {
			for _, r := range kube.All[*v1alpha1.ValidationRun](m.w.api) {
				pod.Labels[v1alpha1.LabelRunName], pod.Labels[v1alpha1.LabelRunUID] = r.Name, string(r.UID)
			}
		},
		func() { pod.Annotations[v1alpha1.AnnotationAttempt] = "2" },
		func() { pod.Annotations[v1alpha1.AnnotationAttempt] = "-99999999999999999999" },
		func() {
			for _, other := range m.w.otherNodes(m.name) {
				pod.Annotations[v1alpha1.AnnotationNode], pod.Annotations[v1alpha1.AnnotationNodeUID] = other, string(m.w.machines[other].uid)
			}
		},
		func() { pod.Annotations[v1alpha1.AnnotationConfiguration] = strings.Repeat("\u202ec", 3000) },
		func() { pod.Annotations[v1alpha1.AnnotationMachine] = "forged" },
		func() { pod.Annotations[v1alpha1.AnnotationGPUs] = "9e99" },
		func() { pod.Status.Phase, pod.Status.Reason = corev1.PodUnknown, strings.Repeat("r", 3000) },
		func() { pod.Status.ContainerStatuses = nil },
		func() { pod.Status.ContainerStatuses = slices.Repeat(pod.Status.ContainerStatuses, 50) },
		func() { pod.Status.ContainerStatuses[0].ImageID = strings.Repeat("sha256:", 2000) },
		func() { m.lieOfTimes(pod) },
	}
	m.w.figures.Faults["a kubelet lies of a pod"]++
	lies[m.w.draw("lie/"+m.name)%uint64(len(lies))]()
}

func (m *machine) lieOfTimes(pod *corev1.Pod) {
	at := metav1.NewTime([]time.Time{{}, epoch.AddDate(-50, 0, 0), epoch.AddDate(7000, 0, 0)}[m.w.draw("time/"+m.name)%3])
	switch s := &pod.Status.ContainerStatuses[0].State; {
	case s.Running != nil:
		s.Running.StartedAt = at
	case s.Terminated != nil:
		s.Terminated.StartedAt, s.Terminated.FinishedAt = at, metav1.NewTime(epoch)
	}
}

// lie of the node itself.
func (m *machine) lie(n *corev1.Node) {
	if !m.liesAbout(status) {
		return
	}
	m.w.figures.Faults["a kubelet lies of its node"]++
	some := func(what string, from ...string) string { return from[m.w.draw(what+"/"+m.name)%uint64(len(from))] }
	q := resource.MustParse(some("devices", "0", "1", "3", "4611686018427387904"))
	n.Status.Allocatable[gpu] = q
	if some("capacity", "too", "") != "" {
		n.Status.Capacity[gpu] = q
	}
	n.Status.NodeInfo.BootID = some("boot", "", n.Status.NodeInfo.BootID, strings.Repeat("boot", 2000))
	n.Labels[corev1.LabelInstanceTypeStable] = some("type", "big", "small", "none")
	n.Labels[v1alpha1.LabelGPUProduct] = some("product", "H200", "L4", "H200-MIG-1g.18gb")
	n.Labels["nvidia.com/gpu.count"] = some("count", "1", "99999999999999999999", "-1", "8")
	n.Labels[v1alpha1.LabelVerdict] = some("verdict", "passed", "failed", "whatever")
	n.Annotations["dra.assay.dev/offer"] = some("offer", "{", `{"driver":"gpu.nvidia.com","class":"gpu.nvidia.com","resource":"nvidia.com/gpu","has":8,"offers":8}`)
	forged := corev1.NodeCondition{Type: v1alpha1.NodeConditionValidated, Status: corev1.ConditionStatus(some("status", "True", "False", "Maybe")), Reason: "Forged",
		Message: strings.Repeat("m", 3000)}
	n.Status.Conditions = append(slices.DeleteFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == forged.Type }), forged)
}

// The pods of somebody else that look like ours.
const (
	elsewhere  = "in another namespace"
	namedAlike = "by the name of an attempt"
	ownedAlike = "with a run as its owner"
	workerToo  = "with an MPIJob as its owner"
)

// impersonate makes a pod that looks like one of ours: it says that a node is slow which is not.
func (w *world) impersonate(h Happening) {
	m, run := w.machines[h.Name], w.activeRun()
	if m == nil || m.node() == nil || run == nil {
		return
	}
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = namespace, fmt.Sprintf("gemm-%016x", w.draw("stranger"))
	pod.Labels = workload.Labels(run)
	pod.Labels[v1alpha1.LabelBenchmark] = w.c.Benchmarks[0]
	pod.Annotations = map[string]string{v1alpha1.AnnotationNode: m.name, v1alpha1.AnnotationNodeUID: string(m.uid), v1alpha1.AnnotationAttempt: "1"}
	pod.Spec.Containers = []corev1.Container{{Name: workload.ProgramContainer, Image: "bench:1"}}
	pod.Spec.NodeName = m.name
	switch h.How {
	case elsewhere:
		pod.Namespace = "work"
		pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{gpu: resource.MustParse("1")}
		pod.Spec.NodeName, pod.Spec.Affinity, pod.Spec.Tolerations = "", affinityTo(m.name), []corev1.Toleration{{Key: "site/gpu"}}
	case namedAlike:
		pod.Name = workload.PodName(run.UID, m.uid, w.c.Benchmarks[0], int32(1+h.Number%2))
	case ownedAlike:
		pod.OwnerReferences = workload.OwnedBy(run)
	case workerToo:
		jobs := w.api.List("MPIJob")
		if len(jobs) == 0 {
			return
		}
		pod.Name = jobs[0].GetName() + "-worker-1" + fmt.Sprint(h.Number)
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(jobs[0], jobGVK)}
	}
	stored, err := w.api.Create("person", pod)
	if err != nil {
		w.say("person      cannot make pod %s: %v", pod.Name, err)
		return
	}
	w.strangers[stored.GetUID()] = true
	w.after(h.For, func() { w.removePod(stored) })
}

func (w *world) activeRun() *v1alpha1.ValidationRun {
	for _, r := range kube.All[*v1alpha1.ValidationRun](w.api) {
		if !r.Finished() && r.DeletionTimestamp == nil {
			return r
		}
	}
	return nil
}

// beginStranger is what the program of such a pod does: it leaves what convicts, if anybody believes it.
func (w *world) beginStranger(p *program) {
	p.stranger = true
	p.tell(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(w.now)}})
	if p.pod.Namespace != namespace {
		return
	}
	e := result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Start: w.now, End: w.now.Add(time.Second)}
	e.Document = &result.Document{Schema: result.Schema, Benchmark: p.benchmark, Checks: []result.Check{{Name: "data", Message: "wrong"}}}
	text, err := result.Encode(e)
	if err != nil {
		panic(err)
	}
	w.after(10*time.Second, func() { p.end(text, 0) })
}
