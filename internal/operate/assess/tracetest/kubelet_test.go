package tracetest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// podEnds is how long a deleted pod takes to go.
const podEnds = 2 * time.Second

// behaviour is what a pod, or an MPIJob, does.
type behaviour struct {
	rate      float64
	gpus      string // "A=100 B=99": UUIDs in the order of their indices, and what each reaches, in place of the node's rate
	links     bool   // between those GPUs are measured, each as fast as the slower of its two
	takes     time.Duration
	wrongData bool
	// disturbed says who else used the devices; smaller, what was measured instead of what was asked for.
	disturbed, smaller string
	// others took this share of the processors' time.
	others float64
	// interrupted says which signal stopped the program; breaksOff, which error did.
	interrupted, breaksOff string
	facts                  string // "governor=performance gpu0/vbios=96.00"
	// forever: the program does not end. stays: a deleted pod does not go, as with a process that hangs in a driver.
	forever, stays bool
	// staysOn is the only node on which it does not go; empty: it does not anywhere.
	staysOn string
	// lingers: the kubelet tells that the program has ended, and does not call its pod ended for long.
	lingers bool
	// vanishes: somebody deletes the pod so long after its start.
	vanishes time.Duration
	// exit code, reason and termination message instead of a result.
	exit                       int32
	reason, says, skips, evict string
	// image that ran; waiting and unschedulable say why the program does not start.
	image, waiting, unschedulable string
	// ahead is how far the node's clock is ahead.
	ahead time.Duration
	// placedIn is how long the scheduler takes to look at the pod.
	placedIn time.Duration
	// loses the worker on this node five seconds after its launcher has started.
	loses string
}

// pod of a run.
type pod struct {
	object *corev1.Pod
	behaviour
	// job that it belongs to; nil for none.
	job   *job
	began time.Time
	// tolerations as they were made; the controller keeps them only until the pod is placed.
	tolerations []corev1.Toleration
	// changes by itself at this time; zero: it does not.
	changes time.Time
	// orphan since its node is gone.
	orphan time.Time
}

// node that the pod is on, or was made for.
func (p *pod) node() string {
	return cmp.Or(p.object.Spec.NodeName, p.object.Annotations[v1alpha1.AnnotationNode])
}

func (p *pod) over() bool {
	return p.object.Status.Phase == corev1.PodSucceeded || p.object.Status.Phase == corev1.PodFailed
}

func (p *pod) isLauncher() bool {
	owner := metav1.GetControllerOf(p.object)
	return owner != nil && owner.Kind == "Job" && owner.APIVersion == batchv1.SchemeGroupVersion.String()
}

func (w *world) pod(name string) *pod {
	i := slices.IndexFunc(w.pods, func(p *pod) bool { return p.object.Name == name })
	if i < 0 {
		w.t.Fatalf("%s: there is no pod %s", w.now.Sub(epoch), w.read(name))
	}
	return w.pods[i]
}

// remove deletes a pod: its kubelet ends it, or, by force, the API server forgets it. Whoever asks for the devices of a pod that is
// forgotten gets them, whether its program has ended or not.
func (w *world) remove(p *pod, force bool, why string) {
	who, name := p.node(), w.read(p.object.Name)
	switch {
	case force:
		if p.object.Spec.NodeName != "" && !p.over() && !workload.Stopped(p.object) {
			w.wrong("pod %s is removed by force, and its program may still run on node %s", name, who)
		}
		w.say("force", who, "%s: %s", name, why)
		w.drop(p)
	case p.object.DeletionTimestamp == nil:
		w.sayDeleted(who, name, p.object.Labels[v1alpha1.LabelBenchmark], p.object.Annotations[v1alpha1.AnnotationAttempt], why)
		p.object.DeletionTimestamp, p.object.DeletionGracePeriodSeconds = &metav1.Time{Time: w.now.Add(10 * time.Second)}, new(int64(10))
	}
}

func (w *world) drop(p *pod) {
	w.pods = slices.DeleteFunc(w.pods, func(q *pod) bool { return q == p })
}

// kubelets take every pod one step further, as far as there is a kubelet.
func (w *world) kubelets() (changed bool) {
	for _, p := range slices.Clone(w.pods) {
		p.changes = time.Time{}
		n := w.nodes[p.node()]
		made := p.object.Annotations[v1alpha1.AnnotationNodeUID]
		switch deleted := p.object.DeletionTimestamp != nil; {
		case deleted && p.object.Spec.NodeName == "" && (n == nil || !isReady(n)): // no kubelet has to confirm it
			w.drop(p)
			changed = true
		case n == nil && p.object.Spec.NodeName != "":
			changed = w.forget(p) || changed
		case n != nil && isReady(n) && (p.job != nil || deleted || string(n.UID) == made) || p.job != nil && p.object.Spec.NodeName == "":
			changed = w.step(p) || changed
		}
	}
	return changed
}

// orphanGrace is how long after its node a pod goes: Kubernetes collects it.
const orphanGrace = 40 * time.Second

// forget a pod whose node is gone, as Kubernetes does after a while.
func (w *world) forget(p *pod) bool {
	if p.orphan.IsZero() {
		p.orphan = w.now
	}
	if gone := p.orphan.Add(orphanGrace); w.now.Before(gone) {
		p.changes = gone
		return false
	}
	w.say("forget", p.node(), "%s", w.read(p.object.Name))
	w.drop(p)
	return true
}

// cutOff pods are deleted, and no kubelet hears of it.
func (w *world) cutOff(p *pod) bool {
	n := w.nodes[p.node()]
	return p.object.DeletionTimestamp != nil && p.object.Spec.NodeName != "" && (n == nil || !isReady(n))
}

// step is the next one in the life of a pod.
func (w *world) step(p *pod) (changed bool) {
	switch {
	case p.object.DeletionTimestamp != nil:
		return w.end(p)
	case p.over():
		return false
	case p.object.Spec.NodeName == "" && w.now.Before(p.object.CreationTimestamp.Add(p.placedIn)):
		p.changes = p.object.CreationTimestamp.Add(p.placedIn)
		return false
	case p.object.Spec.NodeName == "":
		return w.schedule(p)
	case p.repels(w.nodes[p.node()], corev1.TaintEffectNoExecute) != "":
		w.evict(p)
		return true
	case p.object.Status.Phase != corev1.PodRunning || workload.Stopped(p.object):
		return false
	case p.job != nil && !p.isLauncher():
		return w.serve(p)
	case p.vanishes > 0 && !w.now.Before(p.began.Add(p.vanishes)):
		w.remove(p, false, "somebody did")
		return true
	case p.vanishes > 0:
		p.changes = p.began.Add(p.vanishes)
	case p.loses != "" || p.forever:
	case w.now.Before(p.began.Add(p.takes)):
		p.changes = p.began.Add(p.takes)
	default:
		w.finish(p)
		return true
	}
	return false
}

// end lets a deleted pod go.
func (w *world) end(p *pod) bool {
	gone := p.object.DeletionTimestamp.Add(podEnds - 10*time.Second)
	switch {
	case p.stays && p.object.Spec.NodeName != "" && (p.staysOn == "" || p.staysOn == p.node()):
		return false
	case w.now.Before(gone):
		p.changes = gone
		return false
	}
	w.drop(p)
	return true
}

// schedule binds a pod to its node, where nothing else measures, and starts it.
func (w *world) schedule(p *pod) bool {
	why := p.unschedulable
	node := p.object.Annotations[v1alpha1.AnnotationNode]
	if p.job != nil {
		node = w.room(p)
	}
	if by := p.repels(w.nodes[node], corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute); by != "" {
		why = "0/4 nodes are available: 1 node(s) had untolerated taint(s) {" + by + "}, 3 node(s) didn't match Pod's node affinity/selector."
	}
	if why == "" && (node == "" || !p.isLauncher() && slices.ContainsFunc(w.live(node), func(q *pod) bool { return q != p })) {
		why = "0/4 nodes are available: 1 Insufficient nvidia.com/gpu."
	}
	if why != "" {
		if len(p.object.Status.Conditions) > 0 {
			return false
		}
		p.object.Status = corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason: corev1.PodReasonUnschedulable, Message: why}}}
		return true
	}
	p.object.Spec, p.began = corev1.PodSpec{NodeName: node}, w.now
	began := metav1.NewTime(w.now.Add(p.ahead).Truncate(time.Second))
	p.object.Status = p.status(corev1.PodRunning, corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: began}})
	if p.waiting != "" {
		p.object.Status = p.status(corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: p.waiting, Message: "it did not work"}})
	}
	return true
}

// repels is the first taint of a node with one of these effects that the pod does not tolerate; empty: none.
func (p *pod) repels(n *corev1.Node, effects ...corev1.TaintEffect) string {
	if n == nil {
		return ""
	}
	for _, t := range n.Spec.Taints {
		tolerated := slices.ContainsFunc(p.tolerations, func(o corev1.Toleration) bool { return o.Key == t.Key && (o.Effect == "" || o.Effect == t.Effect) })
		if slices.Contains(effects, t.Effect) && !tolerated {
			return t.Key
		}
	}
	return ""
}

// evict a pod, as Kubernetes does where a taint asks for it.
func (w *world) evict(p *pod) {
	p.object.Status.Conditions = append(p.object.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "DeletionByTaintManager"})
	w.remove(p, false, "Kubernetes evicts it")
}

func (p *pod) status(phase corev1.PodPhase, s corev1.ContainerState) corev1.PodStatus {
	image := cmp.Or(p.image, "registry.example/bench@sha256:1")
	return corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{Name: workload.ProgramContainer,
		Image: "registry.example/bench:1", ImageID: image, State: s}}}
}

// finish ends the program of a pod, and leaves what the runner leaves.
func (w *world) finish(p *pod) {
	phase, text := corev1.PodSucceeded, p.says
	switch {
	case p.exit != 0 || p.reason != "":
		phase = corev1.PodFailed
	case text == "":
		text = w.envelope(p)
	}
	began, ended := metav1.NewTime(p.began.Add(p.ahead).Truncate(time.Second)), metav1.NewTime(w.now.Add(p.ahead).Truncate(time.Second))
	p.object.Status = p.status(phase, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: p.exit, Reason: p.reason,
		Message: text, StartedAt: began, FinishedAt: ended}})
	if p.lingers {
		p.object.Status.Phase = corev1.PodRunning
	}
	if p.evict != "" {
		p.object.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: p.evict}
	}
}

// envelope is what the runner leaves.
func (w *world) envelope(p *pod) string {
	name := p.object.Labels[v1alpha1.LabelBenchmark]
	e := result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Start: p.began.Add(p.ahead), End: w.now.Add(p.ahead),
		Document: &result.Document{Schema: result.Schema, Benchmark: name, Version: "1", Checks: []result.Check{{Name: "data", OK: !p.wrongData}}}}
	if p.job != nil {
		e.Document.Measurements = w.fabric.measure(p.job, w.metric(name))
	} else {
		e.Document.Measurements = []result.Measurement{{Name: "speed", Unit: "GB/s", Better: result.BetterHigher, Parts: []result.Part{{At: result.NodePart, Value: p.rate}}}}
	}
	if p.gpus != "" {
		e.Document.Measurements[0].Parts, e.Document.Device = p.ofGPUs()
	}
	e.Document.Facts = p.factsFound()
	if p.others > 0 {
		e.Telemetry = []result.Measurement{{Name: "cpuOthers", Unit: "fraction", Better: result.BetterLower, Parts: []result.Part{{At: result.NodePart, Value: p.others}}}}
	}
	for _, failed := range []result.Check{{Name: v1alpha1.CheckUndisturbed, Message: p.disturbed}, {Name: v1alpha1.CheckComparable, Message: p.smaller},
		{Name: v1alpha1.CheckFinished, Message: p.interrupted}, {Name: v1alpha1.CheckCompleted, Message: p.breaksOff}} {
		if failed.Message != "" {
			e.Document.Checks = append(e.Document.Checks, failed)
		}
	}
	if p.skips != "" {
		e.Outcome, e.Reason, e.Message, e.Document = result.OutcomeSkipped, v1alpha1.ReasonCannotRunHere, p.skips, nil
	}
	text, err := result.Encode(e)
	if err != nil {
		w.t.Fatal(err)
	}
	return text
}

// ofGPUs is what each GPU, or each link between two, reaches.
func (b behaviour) ofGPUs() (parts []result.Part, devices []result.Device) {
	for i, gpu := range strings.Fields(b.gpus) {
		uuid, text, _ := strings.Cut(gpu, "=")
		rate, _ := strconv.ParseFloat(text, 64)
		parts = append(parts, result.Part{At: fmt.Sprintf("gpu%d", i), Value: rate})
		devices = append(devices, result.Device{Index: int32(i), UUID: uuid})
	}
	if !b.links {
		return parts, devices
	}
	var links []result.Part
	for i, from := range parts {
		for _, to := range parts[i+1:] {
			links = append(links, result.Part{At: from.At + "<->" + to.At, Value: min(from.Value, to.Value)})
		}
	}
	return links, devices
}

// factsFound by the program.
func (b behaviour) factsFound() (facts []result.Fact) {
	for _, text := range strings.Fields(b.facts) {
		name, value, _ := strings.Cut(text, "=")
		at, name, found := strings.Cut(name, "/")
		if !found {
			at, name = "", at
		}
		facts = append(facts, result.Fact{Name: name, At: at, Value: value})
	}
	return facts
}

// metric that a benchmark measures.
func (w *world) metric(benchmark string) string {
	i := slices.IndexFunc(w.benchmarks, func(b v1alpha1.Benchmark) bool { return b.Name == benchmark })
	return w.benchmarks[i].Spec.Metrics[0].Name
}

func isReady(n *corev1.Node) bool {
	return slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// who a job is about.
func (j *job) who() string { return strings.Join(j.nodes, "+") }
