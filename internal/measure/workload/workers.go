package workload

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// awaited reads a job of which the MPI Operator has still to make a pod; o is what the others of it say.
func (f JobFacts) awaited(o Observation, workers []*corev1.Pod, now time.Time) Observation {
	since := f.since()
	if since.IsZero() {
		return o
	}
	due := list.Latest(since, f.Alive).Add(operatorGrace)
	progress := workersExist(len(workers), f.Workers)
	if final.MatchString(f.Complaint) && f.Stalled(now) {
		return Observation{Ended: true, Reason: v1alpha1.ReasonMPIJobRejected,
			Message: operatorComplains(progress, f.Complaint) + ": correct the Benchmark's group or the quota of the namespace"}
	}
	if !now.Before(due) {
		if f.Over {
			return Observation{Ended: true, Reason: v1alpha1.ReasonEvicted,
				Message: "the MPIJob is over, but the pod of its launcher is gone and the result with it: find out who deleted it"}
		}
		if f.Complaint != "" {
			progress = operatorComplains(progress, f.Complaint)
		}
		return Observation{Ended: true, Reason: v1alpha1.ReasonMPIOperatorSilent, Message: fmt.Sprintf("%s, and nothing more came for %s: look at "+
			"the MPI Operator's pod and log (kubectl -n mpi-operator get pods)", progress, operatorGrace)}
	}
	// Look early for a complaint, then for the end of the grace.
	early := since.Add(stallNotice)
	if !now.Before(early) {
		early = due
	}
	o.Recheck = sooner(o.Recheck, early)
	return o
}

// Unplaced nodes of the group: none of its workers runs there. Where a worker cannot be placed, one of these is busy.
func (f JobFacts) Unplaced() []string {
	_, workers := f.split()
	return slices.DeleteFunc(slices.Clone(f.Nodes), func(node string) bool {
		return slices.ContainsFunc(workers, func(w *corev1.Pod) bool { return w.Spec.NodeName == node })
	})
}

// sooner of two times; zero means never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// workerStarting reads a worker that is not ready: as any pod until its container runs, then by its readiness.
func workerStarting(w *corev1.Pod, now time.Time) Observation {
	name := worker(w)
	for _, c := range w.Status.ContainerStatuses {
		if c.State.Running == nil {
			continue
		}
		limit := startOf(w, c.State.Running.StartedAt.Time).Add(ScheduleGrace)
		if now.Before(limit) {
			return Observation{Recheck: limit}
		}
		return Observation{Ended: true, Reason: v1alpha1.ReasonPodStartFailed,
			Message: fmt.Sprintf("%s is not listening for SSH %s after it started: check the image and group.sshPort of the Benchmark", name,
				ScheduleGrace)}
	}
	o := starting(w, now)
	if o.Reason == v1alpha1.ReasonNodeBusy {
		// The other workers hold their nodes meanwhile, and must not do so forever.
		o.Recheck = w.CreationTimestamp.Add(ScheduleGrace)
		if o.Ended = !now.Before(o.Recheck); o.Ended {
			return o
		}
	}
	if o.Message != "" {
		o.Message = name + ": " + o.Message
	}
	return o
}

// worker names a worker pod for a message.
func worker(pod *corev1.Pod) string {
	name := "a worker"
	if i := strings.LastIndex(pod.Name, workerInfix); i >= 0 && i+len(workerInfix) < len(pod.Name) {
		name = "worker " + pod.Name[i+len(workerInfix):]
	}
	return name + atNode(pod.Spec.NodeName)
}
