package campaign

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/kube"
)

const gpu = corev1.ResourceName("nvidia.com/gpu")

// machine is what a node is in truth, whatever the API server says of it.
type machine struct {
	cluster *cluster
	name    string
	// spec that it began with, or that of the machine which had its name before.
	spec  cases.NodeSpec
	uid   types.UID // of its Node
	truth *machineTruth
	// gpus that it offers, of full that it has.
	gpus, full int
	// slow says by benchmark which share of what is expected it reaches; what is not there is 1.
	slow map[string]float64
	// bad is which of its GPUs is slow, where one is.
	bad int
	// second is another one that is; -1: none is. lost is the one that is not offered, where it offers less than it has.
	second, lost int
	boot         int
	// cut off: its kubelet and the API server do not hear of each other, and its programs run on.
	cut bool
	// forGood: it never comes back.
	forGood bool
	// garbled is how many of its next programs leave nonsense; hangs, how many do not end, nor go when they are told to.
	garbled, hangs int
	// stoppable: those that do not end go when they are told to.
	stoppable bool
	// disturbed is how many of its next programs measure too little, although the machine is fit.
	disturbed int
	// shares says how it divides its GPUs among pods; empty: not at all.
	shares    string
	published published
	// serials tell GPUs that had the same place apart.
	serials []int
	// plugin: a device plugin offers the GPUs beside the driver.
	plugin      bool
	pluginSince time.Time
	// lies are what its kubelet lies about.
	lies  []string
	clock time.Duration
}

// addNode puts a new machine into the cluster, with these taints; nil: the API server does not take its Node.
func (c *cluster) addNode(spec cases.NodeSpec, taints ...corev1.Taint) *machine {
	name := spec.Name
	m := &machine{cluster: c, name: name, spec: spec, shares: sharing(spec, spec.Shares), gpus: spec.GPUs, full: spec.GPUs, serials: make([]int, spec.GPUs+1), plugin: spec.Plugin, slow: map[string]float64{}, clock: c.Between("clock/"+name, -2*time.Second, 2*time.Second), bad: int(c.Draw("bad/"+name) % 8), second: -1}
	if c.Draw("off/"+name)%5 == 0 {
		m.clock *= 200 // some are minutes off
	}
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelInstanceTypeStable: spec.Instance,
		"site/rack": "r1"}, Annotations: map[string]string{"site/asset": "a-" + name}}}
	m.discover(n)
	n.Spec.Taints = append([]corev1.Taint{{Key: "site/gpu", Value: "only", Effect: corev1.TaintEffectNoSchedule}}, taints...)
	n.Status = m.status(n, corev1.ConditionTrue)
	stored, err := c.api.Create("kubelet", n)
	if err != nil {
		c.Say("kubelet     cannot register %s: %v", name, err)
		return nil
	}
	m.uid = stored.GetUID()
	m.truth = c.truthOf(m.uid)
	c.machines[name] = m
	if m.shares != "" {
		m.noteSharing()
	}
	m.noteOffer()
	m.startDriver()
	c.After(5*time.Second, m.lookAtPods)
	return m
}

// status that the kubelet tells.
func (m *machine) status(n *corev1.Node, ready corev1.ConditionStatus) corev1.NodeStatus {
	s := *n.Status.DeepCopy()
	s.NodeInfo = corev1.NodeSystemInfo{BootID: fmt.Sprintf("boot-%s-%d", m.name, m.boot), KernelVersion: "6.8"}
	if s.Capacity == nil {
		s.Capacity = corev1.ResourceList{}
	}
	s.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("64")}
	m.offer(&s)
	i := slices.IndexFunc(s.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	if i < 0 {
		s.Conditions = append(s.Conditions, corev1.NodeCondition{Type: corev1.NodeReady})
		i = len(s.Conditions) - 1
	}
	if s.Conditions[i].Status != ready {
		s.Conditions[i].Status, s.Conditions[i].LastTransitionTime = ready, metav1.NewTime(m.cluster.Now())
	}
	return s
}

// node is the machine's Node as the API server has it; nil: it has none.
func (m *machine) node() *corev1.Node {
	n := kube.Find[*corev1.Node](m.cluster.api, m.name)
	if n == nil || n.UID != m.uid {
		return nil
	}
	return n
}

// report the status of the machine.
func (m *machine) report(ready corev1.ConditionStatus) {
	if n := m.node(); n != nil && !(m.cut && ready == corev1.ConditionTrue) { // nobody hears what a machine says that is cut off
		next := n.DeepCopy()
		next.Status = m.status(n, ready)
		m.lie(next)
		_, _ = m.cluster.api.Update("kubelet", next, true)
	}
}

var unreachable = []corev1.Taint{{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoSchedule}, {Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute}}

// cutOff the machine from the API server for a while, or for good. Kubernetes notices after 40 s, and gives its pods up after five minutes.
func (m *machine) cutOff(d time.Duration, forGood bool) {
	m.cut, m.forGood = true, forGood
	since := m.cluster.Now()
	still := func() bool { return m.cut && m.node() != nil && !m.cluster.Now().Before(since) }
	m.cluster.After(40*time.Second, func() {
		if still() {
			m.report(corev1.ConditionUnknown)
			m.cluster.edit("lifecycle", m.name, func(n *corev1.Node) { n.Spec.Taints = append(without(n, corev1.TaintNodeUnreachable), unreachable...) })
		}
	})
	m.cluster.After(340*time.Second, func() {
		for _, pod := range m.pods() {
			if still() {
				_ = m.cluster.api.Delete("lifecycle", "Pod", client.ObjectKeyFromObject(pod))
			}
		}
	})
	if !forGood {
		m.cluster.After(d, m.comeBack)
	}
}

// comeBack to the API server, which hears what became of the programs.
func (m *machine) comeBack() {
	if !m.cut || m.forGood {
		return
	}
	m.cut = false
	m.report(corev1.ConditionTrue)
	m.cluster.edit("lifecycle", m.name, func(n *corev1.Node) { n.Spec.Taints = without(n, corev1.TaintNodeUnreachable) })
	m.publish()
	m.lookAtPods()
}

// lookAtPods of the node, those of a machine that had its name before among them.
func (m *machine) lookAtPods() {
	for _, pod := range m.pods() {
		m.cluster.kubelet(client.ObjectKeyFromObject(pod))
	}
}

// reboot ends all programs.
func (m *machine) reboot() {
	m.boot++
	for _, p := range m.cluster.running(m) {
		p.end("", 255)
	}
	m.report(corev1.ConditionTrue)
}

func without(n *corev1.Node, key string) []corev1.Taint {
	return slices.DeleteFunc(slices.Clone(n.Spec.Taints), func(t corev1.Taint) bool { return t.Key == key })
}

// pods of the machine, as the API server has them.
func (m *machine) pods() (pods []*corev1.Pod) {
	for _, p := range kube.All[*corev1.Pod](m.cluster.api) {
		if p.Spec.NodeName == m.name {
			pods = append(pods, p)
		}
	}
	return pods
}
