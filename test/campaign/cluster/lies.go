package cluster

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/hostile"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/sim"
)

func (m *Machine) liesAbout(what string) bool { return m != nil && slices.Contains(m.lies, what) }

// KubeletLies about something.
func (m *Machine) KubeletLies() bool { return len(m.lies) > 0 }

// BeginToLie, and never stop. What programs leave is always the same, if it is said what.
func (m *Machine) BeginToLie(about []string, says string) {
	m.lies, m.says = append(m.lies, about...), says
	m.Truth.Lies = true
	if !m.liesAbout(cases.LiesStatus) {
		return
	}
	for i := range time.Duration(4) {
		m.cluster.After(i*40*time.Second, func() { m.report(corev1.ConditionTrue) })
	}
}

// forge what a program found.
func (p *Program) forge(e result.Envelope) string {
	c := p.Machine.cluster
	o := hostile.Outputs[c.Draw("hostile/"+p.Machine.Name)%uint64(len(hostile.Outputs))]
	for _, same := range hostile.Outputs {
		if same.Kind == p.Machine.says {
			o = same
		}
	}
	p.Unreadable = !o.Readable
	c.Figures.Faults["a program leaves "+o.Kind]++
	c.Say("kubelet     pod %s leaves %s", p.Pod.Name, o.Kind)
	return o.Make(e, c.otherNodes(p.Machine.Name))
}

// lieOf a pod: a kubelet may write its labels, annotations and status, where no admission policy keeps it from that.
func (m *Machine) lieOf(pod *corev1.Pod) {
	if !m.liesAbout(cases.LiesIdentity) || pod.Labels[v1alpha1.LabelRunUID] == "" {
		return
	}
	lies := []func(){
		func() { pod.Labels, pod.Annotations = nil, nil },
		func() { pod.Labels[v1alpha1.LabelBenchmark] = m.cluster.Case.Benchmarks[0] },
		func() { pod.Labels[v1alpha1.LabelBenchmark] = strings.Repeat("x", 63) },
		func() {
			for _, r := range kube.All[*v1alpha1.ValidationRun](m.cluster.API) {
				pod.Labels[v1alpha1.LabelRunName], pod.Labels[v1alpha1.LabelRunUID] = r.Name, string(r.UID)
			}
		},
		func() { pod.Annotations[v1alpha1.AnnotationAttempt] = "2" },
		func() { pod.Annotations[v1alpha1.AnnotationAttempt] = "-99999999999999999999" },
		func() {
			for _, other := range m.cluster.otherNodes(m.Name) {
				pod.Annotations[v1alpha1.AnnotationNode], pod.Annotations[v1alpha1.AnnotationNodeUID] = other, string(m.cluster.Machines[other].UID)
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
	m.cluster.Figures.Faults["a kubelet lies of a pod"]++
	lies[m.cluster.Draw("lie/"+m.Name)%uint64(len(lies))]()
}

func (m *Machine) lieOfTimes(pod *corev1.Pod) {
	at := metav1.NewTime([]time.Time{{}, sim.Epoch.AddDate(-50, 0, 0), sim.Epoch.AddDate(7000, 0, 0)}[m.cluster.Draw("time/"+m.Name)%3])
	switch s := &pod.Status.ContainerStatuses[0].State; {
	case s.Running != nil:
		s.Running.StartedAt = at
	case s.Terminated != nil:
		s.Terminated.StartedAt, s.Terminated.FinishedAt = at, metav1.NewTime(sim.Epoch)
	}
}

// lie of the node itself.
func (m *Machine) lie(n *corev1.Node) {
	if !m.liesAbout(cases.LiesStatus) {
		return
	}
	m.cluster.Figures.Faults["a kubelet lies of its node"]++
	some := func(what string, from ...string) string {
		return from[m.cluster.Draw(what+"/"+m.Name)%uint64(len(from))]
	}
	q := resource.MustParse(some("devices", "0", "1", "3", "4611686018427387904"))
	n.Status.Allocatable[GPU] = q
	if some("capacity", "too", "") != "" {
		n.Status.Capacity[GPU] = q
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

// beginStranger is what the program of such a pod does: it leaves what convicts, if anybody believes it.
func (c *Cluster) beginStranger(p *Program) {
	p.Stranger = true
	p.tell(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(c.Now())}})
	if p.Pod.Namespace != cases.Namespace {
		return
	}
	e := result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Start: c.Now(), End: c.Now().Add(time.Second)}
	e.Document = &result.Document{Schema: result.Schema, Benchmark: p.Benchmark, Checks: []result.Check{{Name: "data", Message: "wrong"}}}
	text, err := result.Encode(e)
	if err != nil {
		panic(err)
	}
	c.After(10*time.Second, func() { p.end(text, 0) })
}
