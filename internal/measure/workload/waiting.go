package workload

import (
	"fmt"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// starting reads a pod whose program has not started.
func starting(pod *corev1.Pod, now time.Time) Observation {
	if o, bad := unschedulable(pod, now); bad {
		return o
	}
	for _, c := range append(append([]corev1.ContainerStatus(nil), pod.Status.InitContainerStatuses...), pod.Status.ContainerStatuses...) {
		if w := c.State.Waiting; w != nil {
			if o, bad := waiting(pod, c, w, now); bad {
				return o
			}
		}
	}
	limit := pod.CreationTimestamp.Add(pullLimit)
	if !now.Before(limit) {
		return Observation{Ended: true, Reason: v1alpha1.ReasonPodStartFailed,
			Message: fmt.Sprintf("the program did not start within %s%s: see the pod's events", pullLimit, atNode(nodeOf(pod)))}
	}
	return Observation{Recheck: limit}
}

// waiting reads a container that does not start. bad is false where that is only the usual way to a start.
func waiting(pod *corev1.Pod, c corev1.ContainerStatus, w *corev1.ContainerStateWaiting, now time.Time) (o Observation, bad bool) {
	var grace time.Duration
	switch w.Reason {
	case "InvalidImageName", "ErrImageNeverPull":
		o.Reason = v1alpha1.ReasonImagePullFailed
	case "ErrImagePull", "ImagePullBackOff", "ImageInspectError", "RegistryUnavailable":
		o.Reason, grace = v1alpha1.ReasonImagePullFailed, StartGrace
	case "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "CrashLoopBackOff":
		o.Reason, grace = v1alpha1.ReasonPodStartFailed, StartGrace
	default:
		return Observation{}, false
	}
	o.Message = containerWaits(c.Image, w.Reason, w.Message, c.Name == installContainer)
	o.Recheck = pod.CreationTimestamp.Add(grace)
	o.Ended = !now.Before(o.Recheck)
	return o, true
}

// passing matches what the scheduler says of a node whose devices are taken, requested or claimed, or which another benchmark holds.
var passing = regexp.MustCompile(`Insufficient [a-z0-9.-]+/|cannot allocate all claims|anti-affinity rules`)

// unschedulable reads what the scheduler said. A pod that waits for devices, or for another benchmark on its node, waits
// for something that passes by itself, and is left alone.
func unschedulable(pod *corev1.Pod, now time.Time) (Observation, bool) {
	for _, c := range pod.Status.Conditions {
		if c.Type != corev1.PodScheduled || c.Status != corev1.ConditionFalse {
			continue
		}
		if passing.MatchString(c.Message) {
			return Observation{Reason: v1alpha1.ReasonNodeBusy, Message: "waiting for the scheduler: " + theirWords(c.Message)}, true
		}
		limit := pod.CreationTimestamp.Add(ScheduleGrace)
		return Observation{Ended: !now.Before(limit), Recheck: limit, Reason: v1alpha1.ReasonUnschedulable,
			Message: fmt.Sprintf("the scheduler cannot place the pod%s: %s: compare the Benchmark's needs with the node", atNode(nodeOf(pod)),
				theirWords(c.Message))}, true
	}
	return Observation{}, false
}
