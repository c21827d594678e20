package campaign

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// program of a pod, on its machine.
type program struct {
	machine   *machine
	pod       *corev1.Pod
	benchmark string
	devices   bool
	began     time.Time
	over      bool
	hangs     bool
	stoppable bool
	disturbed bool
	// unreadable: what it says has to end as an error. stranger: it is none of an operator's.
	unreadable bool
	stranger   bool
	exit       int32
	says       string
	// reached is what it measures of each GPU, by UUID.
	reached map[string]float64
}

// kubelet, and before it the scheduler, take a pod one step further.
func (c *cluster) kubelet(key client.ObjectKey) {
	pod, ok := c.api.Get("Pod", key).(*corev1.Pod)
	if !ok {
		return
	}
	if pod.Spec.NodeName == "" {
		c.schedule(pod)
		return
	}
	m, p := c.machines[pod.Spec.NodeName], c.programs[pod.UID]
	if p != nil && p.machine != m { // of the machine that had the name before
		p.over, p.machine, p.exit = true, m, 255
	}
	switch {
	case m == nil || m.cut || m.node() == nil:
	case pod.DeletionTimestamp != nil:
		c.stop(pod, p)
	case p == nil && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed:
		c.begin(m, pod)
	case p != nil && p.over:
		p.report()
	}
}

// begin the program of a pod.
func (c *cluster) begin(m *machine, pod *corev1.Pod) {
	need := asks(pod)
	has := need.Value() + c.claims(pod)
	p := &program{machine: m, pod: pod, benchmark: pod.Labels[v1alpha1.LabelBenchmark], devices: has > 0, began: c.Now(), reached: map[string]float64{}}
	c.programs[pod.UID] = p
	if c.strangers[pod.UID] {
		c.beginStranger(p)
		return
	}
	if isWorker := pod.Labels[v1alpha1.LabelJob] != "" && !isLauncher(pod); isWorker || p.benchmark == "" { // or somebody's work: it does not end by itself
		if isWorker {
			c.began(p, int(has))
		}
		p.tell(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(c.Now())}})
		return
	}
	if m.disturbed > 0 && !isLauncher(pod) {
		m.disturbed--
		p.disturbed = true
		m.truth.disturbed++
	}
	c.began(p, int(has))
	p.tell(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(c.Now().Add(m.clock))}})
	if isLauncher(pod) {
		c.After(c.Between("takes/"+pod.Name, 8*time.Second, 30*time.Second), func() { p.end(c.together(p)) })
		return
	}
	p.says, p.exit = m.output(p)
	if m.hangs > 0 {
		m.hangs--
		p.hangs, p.stoppable = true, m.stoppable
		return
	}
	c.After(c.Between("takes/"+pod.Name, 8*time.Second, 50*time.Second), func() { p.end(p.says, p.exit) })
}

// end of a program by itself.
func (p *program) end(says string, exit int32) {
	if p.over {
		return
	}
	p.over, p.exit, p.says = true, exit, says
	p.machine.cluster.kubelet(client.ObjectKeyFromObject(p.pod))
}

// report how the program ended.
func (p *program) report() {
	phase := corev1.PodSucceeded
	if p.exit != 0 {
		phase = corev1.PodFailed
	}
	p.tell(phase, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: p.exit, Message: p.says,
		StartedAt: metav1.NewTime(p.began.Add(p.machine.clock)), FinishedAt: metav1.NewTime(p.machine.cluster.Now().Add(p.machine.clock))}})
}

func (p *program) tell(phase corev1.PodPhase, s corev1.ContainerState) {
	pod, ok := p.machine.cluster.api.Get("Pod", client.ObjectKeyFromObject(p.pod)).(*corev1.Pod)
	if !ok || pod.UID != p.pod.UID {
		return
	}
	next := pod.DeepCopy()
	next.Status.Phase = phase
	next.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
	if phase == corev1.PodRunning {
		next.Status.Conditions = append(next.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(p.machine.cluster.Now())})
	}
	next.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: workload.ProgramContainer, Image: "bench:1", ImageID: "bench@sha256:1", State: s}}
	p.machine.lieOf(next)
	_, _ = p.machine.cluster.api.Update("kubelet", next, true)
}

// stop the program of a pod that is deleted, and let the pod go.
func (c *cluster) stop(pod *corev1.Pod, p *program) {
	key := client.ObjectKeyFromObject(pod)
	if p != nil && p.hangs && !p.stoppable && !c.Healed && pod.Labels[v1alpha1.LabelBenchmark] != "" { // in a driver: nobody can stop it
		c.After(20*time.Second, func() { c.kubelet(key) })
		return
	}
	if p != nil && !p.over {
		p.over = true
	}
	_ = c.api.Delete("kubelet", "Pod", key, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
}

// running programs of benchmarks on a machine, by the names of their pods.
func (c *cluster) running(m *machine) (all []*program) {
	for _, p := range c.programs {
		if p.machine == m && !p.over {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *program) int {
		return cmp.Or(a.began.Compare(b.began), strings.Compare(a.pod.Name, b.pod.Name))
	})
	return all
}
