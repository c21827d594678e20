package workload

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// workerFailure is the end of a worker while the job needed it.
type workerFailure struct {
	at      time.Time
	message string
}

// failedWorker is the first failure of a worker; nil for none. Workers serve until they are deleted: none ends by itself. finished
// is when the launcher ended. Once the MPI Operator has noted that, it deletes the workers, so that only what came before is a failure.
func (f JobFacts) failedWorker(workers []*corev1.Pod, launcher *corev1.Pod, finished time.Time) *workerFailure {
	// Times have whole seconds. The clean-up takes a second to begin, but by a node's clock that is ahead it may seem to begin at once.
	kept := slices.ContainsFunc(workers, func(w *corev1.Pod) bool { return !deletionAsked(w).Equal(finished) })
	cleaned := func(asked time.Time) bool { return f.Over && (asked.After(finished) || !kept) }
	var first *workerFailure
	for _, w := range workers {
		at, why := failureOf(w, launcher, finished, cleaned)
		if why == "" || first != nil && !at.Before(first.at) {
			continue
		}
		first = &workerFailure{at, workerFailed(worker(w), why)}
	}
	if first == nil && !finished.IsZero() && !f.Over && len(workers) < f.Workers {
		return &workerFailure{finished, workerFailed("a worker"+amongNodes(f.Unplaced()), "its pod is gone")}
	}
	return first
}

// failureOf is when and why a worker is of no more use to its launcher; why is empty for one that serves, or served until the
// launcher ended. cleaned says of the time of a deletion whether that was the clean-up.
func failureOf(w, launcher *corev1.Pod, finished time.Time, cleaned func(time.Time) bool) (at time.Time, why string) {
	if born := w.CreationTimestamp; launcher != nil && born.After(launcher.CreationTimestamp.Time) {
		return born.Time, "its first pod is gone and was replaced"
	}
	asked := deletionAsked(w)
	if w.Status.Phase == corev1.PodFailed || w.Status.Phase == corev1.PodSucceeded {
		if o := ended(w); asked.IsZero() || !o.Finished.IsZero() && o.Finished.Before(asked) {
			if at = o.Finished; at.IsZero() {
				at = w.CreationTimestamp.Time
			}
			if !finished.IsZero() && at.After(finished) {
				return time.Time{}, ""
			}
			return at, failureWords(o, w)
		}
	}
	if asked.IsZero() || cleaned(asked) {
		return time.Time{}, ""
	}
	return asked, "its pod was deleted"
}

// deletionAsked is when somebody deleted a pod; zero: nobody has.
func deletionAsked(pod *corev1.Pod) time.Time {
	if pod.DeletionTimestamp == nil {
		return time.Time{}
	}
	if g := pod.DeletionGracePeriodSeconds; g != nil {
		return pod.DeletionTimestamp.Add(-time.Duration(*g) * time.Second)
	}
	return pod.DeletionTimestamp.Time
}

func failureWords(o Observation, w *corev1.Pod) string {
	if o.Reason == v1alpha1.ReasonOOMKilled || o.Reason == v1alpha1.ReasonEvicted || o.Reason == v1alpha1.ReasonPodStartFailed {
		return o.Message
	}
	for _, c := range w.Status.ContainerStatuses {
		if t := c.State.Terminated; t != nil {
			return fmt.Sprintf("its container exited with code %d", t.ExitCode)
		}
	}
	return o.Message
}
