package cluster

import (
	"cmp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// Program of a pod, on its machine.
type Program struct {
	Machine   *Machine
	Pod       *corev1.Pod
	Benchmark string
	// Devices: it has some.
	Devices bool
	// Began then, and started by the clock of its machine; Over: it has ended, or was stopped.
	Began   time.Time
	started metav1.Time
	Over    bool
	hangs   bool
	// stoppable, if it hangs. Disturbed: it measures too little, although its machine is fit.
	stoppable, Disturbed bool
	// Unreadable: what it says has to end as an error. Stranger: it is none of an operator's.
	Unreadable bool
	Stranger   bool
	Exit       int32
	says       string
	// Reached is what it measures of each GPU, by UUID.
	Reached map[string]float64
	// Least of all that it measures.
	Least float64
	// Group is what a launcher measured together, for this job.
	Group []*Machine
	Job   types.UID
}

// kubelet, and before it the scheduler, take a pod one step further.
func (c *Cluster) kubelet(key client.ObjectKey) {
	pod, ok := c.API.Get("Pod", key).(*corev1.Pod)
	if !ok {
		return
	}
	if pod.Spec.NodeName == "" {
		c.schedule(pod)
		return
	}
	m, p := c.Machines[pod.Spec.NodeName], c.programs[pod.UID]
	if p != nil && p.Machine != m { // of the machine that had the name before
		p.Over, p.Machine, p.Exit = true, m, 255
		if m != nil {
			p.started = metav1.NewTime(p.Began.Add(m.clock))
		}
	}
	switch {
	case m == nil || m.Cut || m.Node() == nil:
	case pod.DeletionTimestamp != nil:
		c.stop(pod, p)
	case p == nil && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed:
		c.begin(m, pod)
	case p != nil && p.Over:
		p.report()
	}
}

// begin the program of a pod.
func (c *Cluster) begin(m *Machine, pod *corev1.Pod) {
	if labels := c.Labelled[pod.Name]; labels != nil { // what it does is in its spec
		pod = pod.DeepCopy()
		pod.Labels = labels
	}
	isWorker := pod.Labels[v1alpha1.LabelJob] != "" && !IsLauncher(pod)
	if isWorker && m.holdsBack(pod) {
		return
	}
	need := asks(pod)
	has := need.Value() + c.claims(pod)
	p := &Program{Machine: m, Pod: pod, Benchmark: pod.Labels[v1alpha1.LabelBenchmark], Devices: has > 0, Began: c.Now(), started: metav1.NewTime(c.Now().Add(m.clock)), Reached: map[string]float64{}}
	c.programs[pod.UID] = p
	if c.Strangers[pod.UID] {
		c.beginStranger(p)
		return
	}
	if isWorker || p.Benchmark == "" { // or somebody's work: it does not end by itself
		if isWorker {
			c.Began(p, int(has))
		}
		p.tell(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(c.Now())}})
		return
	}
	if m.Disturbed > 0 && !IsLauncher(pod) {
		m.Disturbed--
		p.Disturbed = true
		m.Truth.Disturbed++
	}
	c.Began(p, int(has))
	p.tell(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: p.started}})
	if IsLauncher(pod) {
		c.launcher(p)
		return
	}
	p.says, p.Exit = m.output(p)
	if m.Hangs > 0 {
		m.Hangs--
		p.hangs, p.stoppable = true, m.Stoppable
		return
	}
	c.After(c.Between("takes/"+pod.Name, 8*time.Second, 50*time.Second), func() { p.end(p.says, p.Exit) })
}

// end of a program by itself.
func (p *Program) end(says string, exit int32) {
	if p.Over {
		return
	}
	p.Over, p.Exit, p.says = true, exit, says
	p.Machine.cluster.kubelet(client.ObjectKeyFromObject(p.Pod))
}

// report how the program ended.
func (p *Program) report() {
	p.tell(endedPhase(p.Pod, p.Exit), corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: p.Exit, Message: p.says,
		StartedAt: p.started, FinishedAt: metav1.NewTime(p.Machine.cluster.Now().Add(p.Machine.clock))}})
}

func (p *Program) tell(phase corev1.PodPhase, s corev1.ContainerState) {
	pod, ok := p.Machine.cluster.API.Get("Pod", client.ObjectKeyFromObject(p.Pod)).(*corev1.Pod)
	if !ok || pod.UID != p.Pod.UID {
		return
	}
	next := pod.DeepCopy()
	next.Status.Phase = phase
	next.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
	if phase == corev1.PodRunning {
		next.Status.Conditions = append(next.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(p.Machine.cluster.Now())})
	}
	next.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: workload.ProgramContainer, Image: "bench:1", ImageID: "bench@sha256:1", State: s}}
	if HasSidecar(pod) && phase == corev1.PodRunning {
		next.Status.ContainerStatuses = append(next.Status.ContainerStatuses, corev1.ContainerStatus{Name: Sidecar, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(p.Began)}}})
	}
	p.Machine.lieOf(next)
	_, _ = p.Machine.cluster.API.Update("kubelet", next, true)
}

// stop the program of a pod that is deleted, and let the pod go.
func (c *Cluster) stop(pod *corev1.Pod, p *Program) {
	key := client.ObjectKeyFromObject(pod)
	if p != nil && p.hangs && !p.stoppable && !c.Healed && pod.Labels[v1alpha1.LabelBenchmark] != "" { // in a driver: nobody can stop it
		c.After(20*time.Second, func() { c.kubelet(key) })
		return
	}
	if p != nil && !p.Over {
		p.Over = true
	}
	_ = c.API.Delete("kubelet", "Pod", key, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
}

// Running programs of benchmarks on a machine, by the names of their pods.
func (c *Cluster) Running(m *Machine) (all []*Program) {
	for _, p := range c.programs {
		if p.Machine == m && !p.Over {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *Program) int {
		return cmp.Or(a.Began.Compare(b.Began), strings.Compare(a.Pod.Name, b.Pod.Name))
	})
	return all
}
