package workload

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	// StartGrace is how long an image pull or the start of a container may keep failing before it counts.
	StartGrace = 45 * time.Second
	// ScheduleGrace is how long a pod may be unschedulable for a reason that does not pass by itself.
	ScheduleGrace = 60 * time.Second
	// runGrace is how long a pod may outlive the program's time limit before it is given up.
	runGrace = 120 * time.Second
	// clockTolerance is how far a node's clock may be behind unnoticed: runGrace makes up for it.
	clockTolerance = 60 * time.Second
	// pullLimit bounds the time from a pod's creation to the start of its program.
	pullLimit = startAllowance * time.Second
)

// Observation is how a pod or MPIJob fares, as far as it can be seen from outside.
type Observation struct {
	// Ended says whether the attempt is over; otherwise it goes on.
	Ended bool
	// Termination is the program's termination message, where the runner left one.
	Termination string
	// Reason and Message say why there is no result, or what the pod waits for. Where the program ended well and left a
	// Termination, the reason is NoOutput until somebody has read that.
	Reason, Message string
	// ImageID that ran.
	ImageID string
	// Started and Finished times of the program; zero where not known.
	Started, Finished time.Time
	// Recheck at this time although nothing has changed; zero: wait for a change.
	Recheck time.Time
}

// Observe reads a pod at the time now.
func Observe(pod *corev1.Pod, timeout time.Duration, now time.Time) Observation {
	switch {
	case HasEnded(pod):
		return ended(pod)
	case pod.Status.Phase == corev1.PodRunning:
		return running(pod, timeout, now)
	default:
		return starting(pod, now)
	}
}

// HasEnded: the program of a pod has ended, as far as its kubelet has said so.
func HasEnded(pod *corev1.Pod) bool {
	switch pod.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed:
		return true
	case corev1.PodRunning:
		return programEnded(pod)
	}
	return false
}

// programEnded says whether the program of a running pod has ended by itself. The kubelet tells so a second before it calls the pod ended:
// it first takes down what the pod stood on. What ends because the pod is deleted or evicted is not a result.
func programEnded(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && pod.Status.Reason == "" &&
		slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool {
			return c.Name == ProgramContainer && c.State.Terminated != nil
		})
}

// Stopped says whether no container of a benchmark's pod runs any more, although its kubelet has not called it ended yet. None is started
// again, so that deleting the pod need not wait for the kubelet. Where it claimed devices, that has to wait: the claim would be free before the kubelet
// has given them back, which takes it a minute then, and who claims them meanwhile waits for that.
func Stopped(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodRunning && len(pod.Status.ContainerStatuses) > 0 && len(pod.Status.ResourceClaimStatuses) == 0 &&
		!slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return c.State.Terminated == nil })
}

func ended(pod *corev1.Pod) Observation {
	o := Observation{Ended: true}
	for _, c := range pod.Status.ContainerStatuses {
		if t := c.State.Terminated; c.Name == ProgramContainer && t != nil {
			o.Termination, o.ImageID = t.Message, c.ImageID
			o.Started, o.Finished = t.StartedAt.Time, t.FinishedAt.Time
			o.Reason, o.Message = terminated(t)
		}
	}
	switch {
	case pod.Status.Reason == "DeadlineExceeded":
		o.Reason, o.Message = v1alpha1.ReasonTimedOut, "the pod reached its activeDeadlineSeconds and was stopped"
	case pod.Status.Reason != "":
		o.Reason, o.Message = v1alpha1.ReasonEvicted, fmt.Sprintf("the kubelet ended the pod: %s%s", pod.Status.Reason, andWords(pod.Status.Message))
	case o.Reason == "":
		o.Reason, o.Message = initFailure(pod)
	}
	return o
}

func terminated(t *corev1.ContainerStateTerminated) (reason, why string) {
	switch {
	case t.Reason == "OOMKilled":
		return v1alpha1.ReasonOOMKilled, "the program ran out of memory: raise needs.limits.memory of the Benchmark, or choose a smaller size"
	case t.Reason == "StartError" || t.Reason == "ContainerCannotRun":
		return v1alpha1.ReasonPodStartFailed, "the container could not be started" + andWords(t.Message)
	case t.ExitCode == 0 && t.Message != "":
		return v1alpha1.ReasonNoOutput, "the program has ended, and its result is about to be stored"
	case t.ExitCode == 0:
		return v1alpha1.ReasonNoOutput, "the program exited with code 0 and left no result"
	}
	return v1alpha1.ReasonProgramFailed, fmt.Sprintf("the program exited with code %d%s", t.ExitCode, andWords(t.Message))
}

func initFailure(pod *corev1.Pod) (reason, why string) {
	for _, c := range pod.Status.InitContainerStatuses {
		if t := c.State.Terminated; t != nil && t.ExitCode != 0 {
			return v1alpha1.ReasonPodStartFailed,
				fmt.Sprintf("init container %s exited with code %d%s: check the operator's --runner-image", c.Name, t.ExitCode, andWords(t.Message))
		}
	}
	return v1alpha1.ReasonNoOutput, "the pod ended, and nothing says how its program did: see the pod's events"
}

func running(pod *corev1.Pod, timeout time.Duration, now time.Time) Observation {
	for _, c := range pod.Status.ContainerStatuses {
		if c.Name != ProgramContainer || c.State.Running == nil {
			continue
		}
		limit := startOf(pod, c.State.Running.StartedAt.Time).Add(timeout + runGrace)
		if now.Before(limit) {
			return Observation{Recheck: limit}
		}
		return Observation{Ended: true, Started: c.State.Running.StartedAt.Time, Finished: now, ImageID: c.ImageID,
			Reason: v1alpha1.ReasonTimedOut, Message: fmt.Sprintf("the pod is still running %s after its time limit of %s: look at the node, "+
				"where a process may hang in a driver", runGrace, timeout)}
	}
	return starting(pod, now)
}

// startOf a program is when it started by the node's clock, if that can be true: no program starts before its pod was created, nor
// after pullLimit. Where the node's clock is wrong, the latest possible start counts, so that no program is given up early.
func startOf(pod *corev1.Pod, told time.Time) time.Time {
	latest := pod.CreationTimestamp.Add(pullLimit)
	if told.After(latest) || told.Add(clockTolerance).Before(pod.CreationTimestamp.Time) {
		return latest
	}
	return told
}

// nodeOf a pod, for a message: once it is bound, the annotation is the kubelet's to change. The pods of an MPIJob have none
// until they are placed.
func nodeOf(pod *corev1.Pod) string {
	return cmp.Or(pod.Spec.NodeName, pod.Annotations[v1alpha1.AnnotationNode])
}

// Readiness of a node, and since when.
func Readiness(node *corev1.Node) (ready bool, since time.Time) {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue, c.LastTransitionTime.Time
		}
	}
	return false, node.CreationTimestamp.Time
}
