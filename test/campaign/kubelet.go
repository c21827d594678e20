package campaign

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// program of a pod, on its machine.
type program struct {
	m         *machine
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

// follow a change as the rest of Kubernetes does.
func (w *world) follow(c kube.Change) {
	if c.Kind == "Pod" && c.By != "kubelet" {
		key := client.ObjectKeyFromObject(c.Object())
		w.after(w.between("kubelet/"+key.Name, 50*time.Millisecond, 2*time.Second), func() { w.kubelet(key) })
	}
	if c.Kind == "MPIJob" && c.Before == nil {
		key := client.ObjectKeyFromObject(c.After)
		w.after(w.between("mpi/"+key.Name, 100*time.Millisecond, time.Second), func() { w.operate(key) })
	}
	if c.After == nil {
		w.after(w.between("gc", time.Second, 4*time.Second), w.collectGarbage)
		if c.Kind == "Node" {
			w.after(w.between("podgc", 40*time.Second, 70*time.Second), func() { w.forgetPods(c.Before.GetName()) })
		}
	}
}

// collectGarbage deletes what lost its owners.
func (w *world) collectGarbage() {
	for _, o := range w.api.Orphans() {
		if w.now.Before(w.slicesStay) && w.api.KindOf(o) == "ResourceSlice" {
			continue
		}
		_ = w.api.Delete("gc", w.api.KindOf(o), client.ObjectKeyFromObject(o))
	}
}

// forgetPods of a node that is gone.
func (w *world) forgetPods(node string) {
	if kube.Find[*corev1.Node](w.api, node) != nil {
		return
	}
	for _, p := range kube.All[*corev1.Pod](w.api) {
		if p.Spec.NodeName == node {
			_ = w.api.Delete("podgc", "Pod", client.ObjectKeyFromObject(p), client.GracePeriodSeconds(0))
		}
	}
}

// kubelet, and before it the scheduler, take a pod one step further.
func (w *world) kubelet(key client.ObjectKey) {
	pod, ok := w.api.Get("Pod", key).(*corev1.Pod)
	if !ok {
		return
	}
	if pod.Spec.NodeName == "" {
		w.schedule(pod)
		return
	}
	m, p := w.machines[pod.Spec.NodeName], w.programs[string(pod.UID)]
	if p != nil && p.m != m { // of the machine that had the name before
		p.over, p.m, p.exit = true, m, 255
	}
	switch {
	case m == nil || m.cut || m.node() == nil:
	case pod.DeletionTimestamp != nil:
		w.stop(pod, p)
	case p == nil && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed:
		w.begin(m, pod)
	case p != nil && p.over:
		p.report()
	}
}

// schedule binds a pod to a node that it asks for, or says why not.
func (w *world) schedule(pod *corev1.Pod) {
	key, why := client.ObjectKeyFromObject(pod), "1 node(s) didn't match Pod's node affinity/selector."
	next := pod.DeepCopy()
	for _, name := range wanted(pod) {
		if why = w.noRoom(pod, name); why == "" {
			next.Spec.NodeName = name
			w.allocate(next, w.machines[name])
			break
		}
	}
	if why != "" {
		next.Status.Phase = corev1.PodPending
		c := corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/9 nodes are available: " + why}
		next.Status.Conditions = []corev1.PodCondition{c}
		_, _ = w.api.Update("kubelet", next, true)
		w.after(3*time.Second, func() { w.kubelet(key) })
		return
	}
	if len(next.Spec.ResourceClaims) > 0 {
		_, _ = w.api.Update("claims", next, true)
		next.ResourceVersion = ""
	}
	if _, err := w.api.Update("scheduler", next, false); err == nil {
		w.after(w.between("start/"+key.Name, 300*time.Millisecond, 3*time.Second), func() { w.kubelet(key) })
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
func (w *world) noRoom(pod *corev1.Pod, name string) string {
	n := kube.Find[*corev1.Node](w.api, name)
	switch {
	case n == nil || n.Spec.Unschedulable:
		return "1 node(s) didn't match Pod's node affinity/selector."
	case slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule && !tolerates(pod, t) }):
		return "1 node(s) had untolerated taint(s)."
	}
	free := n.Status.Allocatable[gpu]
	for _, other := range kube.All[*corev1.Pod](w.api) {
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
	if len(pod.Spec.ResourceClaims) > 0 {
		if want := w.claims(pod); want == 0 || want > int64(len(w.free(w.machines[name], pod))) {
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

// begin the program of a pod.
func (w *world) begin(m *machine, pod *corev1.Pod) {
	need := asks(pod)
	has := need.Value() + w.claims(pod)
	p := &program{m: m, pod: pod, benchmark: pod.Labels[v1alpha1.LabelBenchmark], devices: has > 0, began: w.now, reached: map[string]float64{}}
	w.programs[string(pod.UID)] = p
	if w.strangers[pod.UID] {
		w.beginStranger(p)
		return
	}
	if isWorker := pod.Labels[v1alpha1.LabelJob] != "" && !isLauncher(pod); isWorker || p.benchmark == "" { // or somebody's work: it does not end by itself
		if isWorker {
			w.truth.began(p)
		}
		p.tell(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(w.now)}})
		return
	}
	if m.disturbed > 0 && !isLauncher(pod) {
		m.disturbed--
		p.disturbed = true
	}
	w.truth.began(p)
	w.truth.checkAll(p, int(has))
	p.tell(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(w.now.Add(m.clock))}})
	if isLauncher(pod) {
		w.after(w.between("takes/"+pod.Name, 8*time.Second, 30*time.Second), func() { p.end(w.together(p)) })
		return
	}
	p.says, p.exit = m.output(p)
	if m.hangs > 0 {
		m.hangs--
		p.hangs, p.stoppable = true, m.stoppable
		return
	}
	w.after(w.between("takes/"+pod.Name, 8*time.Second, 50*time.Second), func() { p.end(p.says, p.exit) })
}

// end of a program by itself.
func (p *program) end(says string, exit int32) {
	if p.over {
		return
	}
	p.over, p.exit, p.says = true, exit, says
	p.m.w.kubelet(client.ObjectKeyFromObject(p.pod))
}

// report how the program ended.
func (p *program) report() {
	phase := corev1.PodSucceeded
	if p.exit != 0 {
		phase = corev1.PodFailed
	}
	p.tell(phase, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: p.exit, Message: p.says,
		StartedAt: metav1.NewTime(p.began.Add(p.m.clock)), FinishedAt: metav1.NewTime(p.m.w.now.Add(p.m.clock))}})
}

func (p *program) tell(phase corev1.PodPhase, s corev1.ContainerState) {
	pod, ok := p.m.w.api.Get("Pod", client.ObjectKeyFromObject(p.pod)).(*corev1.Pod)
	if !ok || pod.UID != p.pod.UID {
		return
	}
	next := pod.DeepCopy()
	next.Status.Phase = phase
	next.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
	if phase == corev1.PodRunning {
		next.Status.Conditions = append(next.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(p.m.w.now)})
	}
	next.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: workload.ProgramContainer, Image: "bench:1", ImageID: "bench@sha256:1", State: s}}
	p.m.lieOf(next)
	_, _ = p.m.w.api.Update("kubelet", next, true)
}

// stop the program of a pod that is deleted, and let the pod go.
func (w *world) stop(pod *corev1.Pod, p *program) {
	key := client.ObjectKeyFromObject(pod)
	if p != nil && p.hangs && !p.stoppable && !w.healed && pod.Labels[v1alpha1.LabelBenchmark] != "" { // in a driver: nobody can stop it
		w.after(20*time.Second, func() { w.kubelet(key) })
		return
	}
	if p != nil && !p.over {
		p.over = true
	}
	_ = w.api.Delete("kubelet", "Pod", key, client.GracePeriodSeconds(0), client.Preconditions{UID: &pod.UID})
}

// running programs of benchmarks on a machine, by the names of their pods.
func (w *world) running(m *machine) (all []*program) {
	for _, p := range w.programs {
		if p.m == m && !p.over {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *program) int { return a.began.Compare(b.began)*2 + compareNames(a, b) })
	return all
}

func compareNames(a, b *program) int {
	switch {
	case a.pod.Name < b.pod.Name:
		return -1
	case a.pod.Name > b.pod.Name:
		return 1
	}
	return 0
}
