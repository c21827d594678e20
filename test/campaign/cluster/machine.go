package cluster

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// GPU is the resource that a device plugin offers.
const GPU = corev1.ResourceName("nvidia.com/gpu")

// Machine is what a node is in truth, whatever the API server says of it.
type Machine struct {
	cluster *Cluster
	// Name and UID of its Node.
	Name string
	UID  types.UID
	// Spec that it began with, or that of the machine which had its name before.
	Spec  cases.NodeSpec
	Truth *Truth
	// GPUs that it offers, of Full that it has.
	GPUs, Full int
	// Slow says by benchmark which share of what is expected it reaches; what is not there is 1.
	Slow map[string]float64
	// bad is which of its GPUs is slow, where one is.
	bad int
	// second is another one that is; -1: none is. lost is the one that is not offered, where it offers less than it has.
	second, lost int
	boot         int
	// Cut off: its kubelet and the API server do not hear of each other, and its programs run on.
	Cut bool
	// forGood: it never comes back.
	forGood bool
	// Garbled is how many of its next programs leave nonsense; Hangs, how many do not end, nor go when they are told to.
	Garbled, Hangs int
	// Stoppable: those that do not end go when they are told to.
	Stoppable bool
	// Disturbed is how many of its next programs measure too little, although the machine is fit.
	Disturbed int
	// Shares says how it divides its GPUs among pods; empty: not at all.
	Shares    string
	published published
	// serials tell GPUs that had the same place apart.
	serials []int
	// Plugin: a device plugin offers the GPUs beside the driver, since then.
	Plugin      bool
	PluginSince time.Time
	// lies are what its kubelet lies about.
	lies []string
	// says is what its programs leave all the time, if it lies of that; empty: anything.
	says string
	// clock is how far its clock is ahead, and jumped how much of that came later.
	clock, jumped time.Duration
	// late is how its next workers start.
	late late
}

// AddNode puts a new machine into the cluster, with these taints; nil: the API server does not take its Node.
func (c *Cluster) AddNode(spec cases.NodeSpec, taints ...corev1.Taint) *Machine {
	name := spec.Name
	m := &Machine{cluster: c, Name: name, Spec: spec, Shares: sharing(spec, spec.Shares), GPUs: spec.GPUs, Full: spec.GPUs, serials: make([]int, spec.GPUs+1), Plugin: spec.Plugin, Slow: map[string]float64{}, clock: c.Between("clock/"+name, -2*time.Second, 2*time.Second), bad: int(c.Draw("bad/"+name) % 8), second: -1}
	if c.Draw("off/"+name)%5 == 0 {
		m.clock *= 200 // some are minutes off
	}
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelInstanceTypeStable: spec.Instance,
		rackLabel: m.Rack()}, Annotations: map[string]string{"site/asset": "a-" + name}}}
	m.discover(n)
	n.Spec.Taints = append([]corev1.Taint{{Key: "site/gpu", Value: "only", Effect: corev1.TaintEffectNoSchedule}}, taints...)
	n.Status = m.status(n, corev1.ConditionTrue)
	stored, err := c.API.Create("kubelet", n)
	if err != nil {
		c.Say("kubelet     cannot register %s: %v", name, err)
		return nil
	}
	m.UID = stored.GetUID()
	m.Truth = c.TruthOf(m.UID)
	c.Machines[name] = m
	if m.Shares != "" {
		m.noteSharing()
	}
	m.noteOffer()
	m.startDriver()
	c.After(5*time.Second, m.lookAtPods)
	return m
}

// status that the kubelet tells.
func (m *Machine) status(n *corev1.Node, ready corev1.ConditionStatus) corev1.NodeStatus {
	s := *n.Status.DeepCopy()
	s.NodeInfo = corev1.NodeSystemInfo{BootID: fmt.Sprintf("boot-%s-%d", m.Name, m.boot), KernelVersion: "6.8"}
	if s.Capacity == nil {
		s.Capacity = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("66"), corev1.ResourceMemory: resource.MustParse("2Ti")}
	}
	s.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64")}
	m.offer(&s)
	i := slices.IndexFunc(s.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	if i < 0 {
		s.Conditions = append(s.Conditions, corev1.NodeCondition{Type: corev1.NodeReady})
		i = len(s.Conditions) - 1
	}
	if s.Conditions[i].Status != ready {
		s.Conditions[i].Status, s.Conditions[i].LastTransitionTime = ready, metav1.NewTime(m.cluster.Now().Add(m.jumped))
	}
	return s
}

// Node is the machine's Node as the API server has it; nil: it has none.
func (m *Machine) Node() *corev1.Node {
	n := kube.Find[*corev1.Node](m.cluster.API, m.Name)
	if n == nil || n.UID != m.UID {
		return nil
	}
	return n
}

// Reached: the API server and the kubelet of the machine hear of each other.
func (m *Machine) Reached() bool { return !m.Cut && m.Node() != nil }

// report the status of the machine.
func (m *Machine) report(ready corev1.ConditionStatus) {
	if n := m.Node(); n != nil && !(m.Cut && ready == corev1.ConditionTrue) { // nobody hears what a machine says that is cut off
		next := n.DeepCopy()
		next.Status = m.status(n, ready)
		m.lie(next)
		_, _ = m.cluster.API.Update("kubelet", next, true)
	}
}

var unreachable = []corev1.Taint{{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule}, {Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}}

// CutOff the machine from the API server for a while, or for good. Kubernetes notices after 40 s, and gives its pods up after five minutes.
func (m *Machine) CutOff(d time.Duration, forGood bool) {
	m.Cut, m.forGood = true, forGood
	since := m.cluster.Now()
	still := func() bool { return m.Cut && m.Node() != nil && !m.cluster.Now().Before(since) }
	m.cluster.After(40*time.Second, func() {
		if still() {
			m.report(corev1.ConditionUnknown)
			m.cluster.Edit("lifecycle", m.Name, func(n *corev1.Node) { n.Spec.Taints = append(Without(n, corev1.TaintNodeUnreachable), unreachable...) })
		}
	})
	m.cluster.After(340*time.Second, func() {
		for _, pod := range m.Pods() {
			if still() {
				_ = m.cluster.API.Delete("lifecycle", "Pod", client.ObjectKeyFromObject(pod))
			}
		}
	})
	if !forGood {
		m.cluster.After(d, m.comeBack)
	}
}

// comeBack to the API server, which hears what became of the programs.
func (m *Machine) comeBack() {
	if !m.Cut || m.forGood {
		return
	}
	m.Cut = false
	m.report(corev1.ConditionTrue)
	m.cluster.Edit("lifecycle", m.Name, func(n *corev1.Node) { n.Spec.Taints = Without(n, corev1.TaintNodeUnreachable) })
	m.publish()
	m.lookAtPods()
}

// Jump of the machine's clock.
func (m *Machine) Jump(by time.Duration) { m.clock, m.jumped = m.clock+by, m.jumped+by }

// Heal what is broken, but for what is slow.
func (m *Machine) Heal() {
	m.Jump(-m.jumped)
	m.Garbled, m.Hangs, m.Disturbed = 0, 0, 0
	m.comeBack()
	m.restore()
	for _, p := range m.cluster.Running(m) {
		if p.hangs && p.Pod.Labels[v1alpha1.LabelBenchmark] != "" {
			p.end("", 137)
		}
	}
}

// lookAtPods of the node, those of a machine that had its name before among them.
func (m *Machine) lookAtPods() {
	for _, pod := range m.Pods() {
		m.cluster.kubelet(client.ObjectKeyFromObject(pod))
	}
}

// Reboot ends all programs.
func (m *Machine) Reboot() {
	m.boot++
	for _, p := range m.cluster.Running(m) {
		p.end("", 255)
	}
	m.report(corev1.ConditionTrue)
}

// Without says which taints a node has but for those with a key.
func Without(n *corev1.Node, key string) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return t.Key == key })
}

// Pods of the machine, as the API server has them.
func (m *Machine) Pods() []*corev1.Pod {
	return list.Where(kube.All[*corev1.Pod](m.cluster.API), func(p *corev1.Pod) bool { return p.Spec.NodeName == m.Name })
}
