package workload

import (
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// loss of a worker while the job needed it.
type loss struct {
	at      time.Time
	message string
}

// lostWorker is the first loss of a worker; nil for none. Workers serve until they are removed: none ends by itself. finished is
// when the launcher ended: the MPI Operator then deletes all workers, in the order of their numbers, but not before the Job
// controller has seen that end, which it does a second later.
func (f JobFacts) lostWorker(workers []*corev1.Pod, launcher *corev1.Pod, finished time.Time) *loss {
	const lost = "%s was lost before the measurement was done: %s: look at the node"
	var first *loss
	for _, w := range workers {
		at, why := lossOf(w, launcher, finished)
		if why == wasDeleted && at.Equal(finished) && cleanedUpAt(workers, finished) || why == "" || first != nil && !at.Before(first.at) {
			continue
		}
		first = &loss{at, fmt.Sprintf(lost, worker(w), why)}
	}
	if first == nil && !finished.IsZero() && f.goneBeforeOthers(workers) {
		return &loss{finished, fmt.Sprintf(lost, "a worker"+f.onUnplaced(), "its pod is gone")}
	}
	return first
}

// cleanedUpAt says that the clean-up began in this second, as it can by a node's clock that is ahead of the API server's.
func cleanedUpAt(workers []*corev1.Pod, second time.Time) bool {
	begun := 0
	for _, w := range workers {
		if workerNumber(w) <= 1 && deletionAsked(w).Equal(second) {
			begun++
		}
	}
	return begun == 2
}

// goneBeforeOthers says that a worker's pod is gone and that of one with a lower number is not even being deleted.
func (f JobFacts) goneBeforeOthers(workers []*corev1.Pod) bool {
	there := map[int]bool{}
	lowest := f.Workers
	for _, w := range workers {
		n := workerNumber(w)
		there[n] = true
		if deletionAsked(w).IsZero() {
			lowest = min(lowest, n)
		}
	}
	for n := max(lowest, 0) + 1; n < f.Workers; n++ {
		if !there[n] {
			return true
		}
	}
	return false
}

const wasDeleted = "its pod was deleted"

// lossOf is when and why a worker is of no more use to its launcher, which ended in the second finished; zero: it has not. why is
// empty for a worker that serves, or served to that end.
func lossOf(w, launcher *corev1.Pod, finished time.Time) (at time.Time, why string) {
	over := func(at time.Time) bool { return !finished.IsZero() && at.After(finished) }
	// A lost worker is replaced until the Job controller has seen the launcher's end.
	if born := w.CreationTimestamp; launcher != nil && born.After(launcher.CreationTimestamp.Time) && !over(born.Add(-time.Second)) {
		return born.Time, "its first pod is gone and was replaced"
	}
	asked := deletionAsked(w)
	if w.Status.Phase == corev1.PodFailed || w.Status.Phase == corev1.PodSucceeded {
		if o := ended(w); asked.IsZero() || !o.Finished.IsZero() && o.Finished.Before(asked) {
			at, why = lossAt(o, w), lossWords(o, w)
		}
	}
	if why == "" && !asked.IsZero() {
		at, why = asked, wasDeleted
	}
	if over(at) {
		return time.Time{}, ""
	}
	return at, why
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

func lossAt(o Outcome, w *corev1.Pod) time.Time {
	if o.Finished.IsZero() {
		return w.CreationTimestamp.Time
	}
	return o.Finished
}

func lossWords(o Outcome, w *corev1.Pod) string {
	if o.Reason == v1alpha1.ReasonOOMKilled || o.Reason == v1alpha1.ReasonEvicted || o.Reason == v1alpha1.ReasonPodStartFailed {
		return o.Message
	}
	return "its container ended with exit code " + strconv.Itoa(int(exitCode(w)))
}
