package controllers_test

import (
	"context"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// background outlives a test's own context, for its cleanup.
var background = context.Background()

// program is what a pod does.
type program struct {
	// rate measured, in GB/s. Zero: 100.
	rate float64
	// wrongData: the program's check of its own data fails.
	wrongData bool
	// disturbed says who else used the devices.
	disturbed string
	// facts that it finds.
	facts []result.Fact
	// takes this long. Zero: 10 seconds.
	takes time.Duration
	// status of the pod instead of an ordinary life.
	status *corev1.PodStatus
	// message in the termination message instead of a result.
	message string
	// exit code.
	exit int32
	// reason that the container ended for.
	reason string
	// skips says why the program cannot run here.
	skips string
	// hangs: a deleted pod never goes by itself, as with a process that hangs in a driver.
	hangs bool
	// forever: the program does not end.
	forever bool
	// image ID that ran. Empty: that of every other pod.
	image string
}

func (l *lab) programOf(pod *corev1.Pod) program {
	if l.plays == nil {
		return program{}
	}
	attempt, _ := strconv.Atoi(pod.Annotations[v1alpha1.AnnotationAttempt])
	node := placeOf(pod)
	return l.plays(node[strings.LastIndex(node, "-")+1:], pod.Labels[v1alpha1.LabelBenchmark], attempt)
}

// placeOf a pod is where it runs, or is to.
func placeOf(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	return pod.Annotations[v1alpha1.AnnotationNode]
}

// kubelet takes every pod of the run one step further, and says when a program ends next. It is scheduler, too.
func (l *lab) kubelet() (changed bool, next time.Time) {
	l.t.Helper()
	for _, pod := range l.pods() {
		if ofJob(&pod) {
			continue // those are played together with their MPIJob
		}
		node := &corev1.Node{}
		gone := api.Get(l.t.Context(), client.ObjectKey{Name: placeOf(&pod)}, node) != nil
		another := !l.lying && string(node.UID) != pod.Annotations[v1alpha1.AnnotationNodeUID]
		deleted := pod.DeletionTimestamp != nil
		if gone && deleted {
			l.collect(&pod)
			changed = true
		}
		if gone || another && !deleted || !isReady(node) {
			continue // no kubelet is there
		}
		did, at := l.playPod(&pod)
		changed = changed || did
		next = earlier(next, at)
	}
	if l.mpi == nil {
		return changed, next
	}
	did, at := l.mpi.play(l)
	return changed || did, earlier(next, at)
}

// collect a deleted pod whose node is gone, as Kubernetes' garbage collector does.
func (l *lab) collect(pod *corev1.Pod) {
	l.t.Helper()
	l.must(client.IgnoreNotFound(api.Delete(l.t.Context(), pod, client.GracePeriodSeconds(0))))
}

// earlier of two times, of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func isReady(n *corev1.Node) bool {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// playPod is the next step in the life of one pod.
func (l *lab) playPod(pod *corev1.Pod) (changed bool, next time.Time) {
	l.t.Helper()
	p := l.programOf(pod)
	switch {
	case pod.DeletionTimestamp != nil:
		if p.hangs {
			return false, time.Time{}
		}
		err := api.Delete(l.t.Context(), pod, client.GracePeriodSeconds(0))
		l.must(client.IgnoreNotFound(err))
		return true, time.Time{}
	case p.status != nil:
		if pod.Status.Phase == p.status.Phase && pod.Status.StartTime != nil {
			return false, time.Time{}
		}
		status := p.status.DeepCopy()
		status.StartTime = &metav1.Time{Time: l.clock.Now()}
		l.setStatus(pod, *status)
		return true, time.Time{}
	case pod.Spec.NodeName == "":
		l.bind(pod)
		l.setStatus(pod, containerStatus(corev1.PodRunning, corev1.ContainerState{
			Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(l.clock.Now())}}))
		return true, time.Time{}
	case pod.Status.Phase != corev1.PodRunning || p.forever:
		return false, time.Time{}
	}
	takes := p.takes
	if takes == 0 {
		takes = 10 * time.Second
	}
	began := pod.Status.ContainerStatuses[0].State.Running.StartedAt
	if ends := began.Add(takes); l.clock.Now().Before(ends) {
		return false, ends
	}
	l.setStatus(pod, l.ended(pod, p, began))
	return true, time.Time{}
}

func (l *lab) bind(pod *corev1.Pod) {
	l.t.Helper()
	binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: pod.Annotations[v1alpha1.AnnotationNode]}}
	err := api.SubResource("binding").Create(l.t.Context(), pod, binding)
	if !apierrors.IsConflict(err) {
		l.must(client.IgnoreNotFound(err))
	}
	l.must(client.IgnoreNotFound(api.Get(l.t.Context(), client.ObjectKeyFromObject(pod), pod)))
}

// setStatus writes a pod's status as a kubelet does. A manager that runs beside may have deleted the pod.
func (l *lab) setStatus(pod *corev1.Pod, status corev1.PodStatus) {
	l.t.Helper()
	changed := pod.DeepCopy()
	conditions := changed.Status.Conditions
	changed.Status = status
	if status.Conditions == nil {
		changed.Status.Conditions = conditions
	}
	l.must(client.IgnoreNotFound(api.Status().Patch(l.t.Context(), changed, client.MergeFrom(pod))))
}

func containerStatus(phase corev1.PodPhase, s corev1.ContainerState) corev1.PodStatus {
	return corev1.PodStatus{Phase: phase, ContainerStatuses: []corev1.ContainerStatus{{Name: workload.ProgramContainer,
		Image: "registry.example/rate:1", ImageID: "registry.example/rate@sha256:1", State: s}}}
}

// ended is the status of a pod whose program is through.
func (l *lab) ended(pod *corev1.Pod, p program, began metav1.Time) corev1.PodStatus {
	l.t.Helper()
	phase, message := corev1.PodSucceeded, p.message
	if p.exit != 0 || p.reason != "" {
		phase = corev1.PodFailed
	} else if message == "" {
		message = l.envelope(pod, p, began.Time)
	}
	status := containerStatus(phase, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: p.exit, Reason: p.reason,
		Message: message, StartedAt: began, FinishedAt: metav1.NewTime(l.clock.Now())}})
	if p.image != "" {
		status.ContainerStatuses[0].ImageID = p.image
	}
	return status
}

// envelope is what the runner leaves.
func (l *lab) envelope(pod *corev1.Pod, p program, began time.Time) string {
	l.t.Helper()
	if p.rate == 0 {
		p.rate = 100
	}
	e := result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Start: began, End: l.clock.Now(),
		Document: &result.Document{Schema: result.Schema, Benchmark: pod.Labels[v1alpha1.LabelBenchmark], Version: "1",
			Measurements: []result.Measurement{{Name: "rate", Unit: "GB/s", Better: result.BetterHigher, Parts: []result.Part{{At: result.NodePart, Value: p.rate}}}},
			Checks:       []result.Check{{Name: "data", OK: !p.wrongData}, {Name: v1alpha1.CheckUndisturbed, OK: p.disturbed == "", Message: p.disturbed}}, Facts: p.facts}}
	if p.skips != "" {
		e.Outcome, e.Reason, e.Message, e.Document = result.OutcomeSkipped, v1alpha1.ReasonCannotRunHere, p.skips, nil
	}
	text, err := result.Encode(e)
	l.must(err)
	return text
}
