package workload

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

const (
	// operatorGrace is how long the MPI Operator may show no sign of life while a pod of a job is due. It takes one job after
	// the other, about one a second by its own limit of requests, so that the last of many jobs waits for long and rightly.
	operatorGrace = 60 * time.Second
	// workerFailureGrace is how long a launcher may go on after a worker has failed: mpirun should notice by itself.
	workerFailureGrace = 20 * time.Second
)

// JobFacts is what the cluster says of an MPIJob.
type JobFacts struct {
	// Created is when the MPIJob was created.
	Created time.Time
	// Alive is the last sign of life of the MPI Operator, in this job or any other of the run; zero if there was none.
	Alive time.Time
	// Over says that the MPI Operator has noted the launcher's end, and deletes the workers from then on.
	Over bool
	// Workers that it asks for.
	Workers int
	// Nodes of its group, by name.
	Nodes []string
	// Pods of it that exist and are believed, in any order: see Add.
	Pods []JobPod
	// Doubt says why what the job measures is not its group; empty: nothing does.
	Doubt string
	// Complaint is the latest warning event about the MPIJob, as "Reason: message"; empty: none. It is looked up only once
	// Stalled says so.
	Complaint string
	// Timeout of the program.
	Timeout time.Duration
}

// Stalled says that the MPI Operator has not made the pods that are due, so that it is worth asking for its complaints.
func (f JobFacts) Stalled(now time.Time) bool {
	since := f.since()
	return !since.IsZero() && !now.Before(since.Add(stallNotice))
}

// final matches complaints about what does not change by itself: a job that the MPI Operator finds invalid, and pods that a
// quota or an admission policy refuses. It tries anything else again, such as a name that the last job's parts still have.
var final = regexp.MustCompile(`^ValidationError:|exceeded quota|\bis forbidden:|denied the request`)

// stallNotice is when to say that nothing comes: a healthy operator makes pods within a second or two.
const stallNotice = 3 * time.Second

// since when the next pod is the operator's to make; zero where none is.
func (f JobFacts) since() time.Time {
	launcher, workers := f.split()
	if launcher != nil {
		return time.Time{}
	}
	if len(workers) < f.Workers {
		return f.Created
	}
	last := f.Created
	for _, w := range workers {
		at, ready := readySince(w)
		if !ready {
			return time.Time{}
		}
		last = list.Latest(last, at)
	}
	return last
}

func (f JobFacts) split() (launcher *corev1.Pod, workers []*corev1.Pod) {
	for _, p := range f.Pods {
		switch {
		case !p.Launcher:
			workers = append(workers, p.Pod)
		case launcher == nil || launcher.CreationTimestamp.Before(&p.CreationTimestamp):
			launcher = p.Pod
		}
	}
	return launcher, workers
}

func readySince(pod *corev1.Pod) (time.Time, bool) {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.LastTransitionTime.Time, c.Status == corev1.ConditionTrue
		}
	}
	return time.Time{}, false
}

// ObserveJob reads an MPIJob by its pods at the time now. The launcher has the result; a worker that ended or cannot
// start, and an operator that does nothing, end the attempt in Assay's own words, for the MPI Operator leaves such a job as it is.
func ObserveJob(f JobFacts, now time.Time) Observation {
	if f.Doubt != "" {
		return Observation{Ended: true, Reason: v1alpha1.ReasonPodNotBelieved, Message: f.Doubt + ": find out who else creates pods in the namespace"}
	}
	launcher, workers := f.split()
	o := Observation{}
	if launcher != nil {
		o = Observe(launcher, f.Timeout, now)
		if o.Ended && o.Reason == v1alpha1.ReasonNoOutput && o.Termination != "" { // it ended well
			return o
		}
	}
	if failed := f.failedWorker(workers, launcher, o.Finished); failed != nil {
		if launcher == nil || o.Ended || !now.Before(failed.at.Add(workerFailureGrace)) {
			return Observation{Ended: true, Reason: v1alpha1.ReasonWorkerLost, Message: failed.message,
				Started: o.Started, Finished: o.Finished, ImageID: o.ImageID}
		}
		return Observation{Recheck: failed.at.Add(workerFailureGrace)}
	}
	if launcher != nil {
		return o
	}
	return f.starting(workers, now)
}

// starting reads a job whose launcher does not exist yet.
func (f JobFacts) starting(workers []*corev1.Pod, now time.Time) Observation {
	var o, busy Observation
	for _, w := range workers {
		if _, ready := readySince(w); ready {
			continue
		}
		next := workerStarting(w, now)
		if next.Ended && next.Reason == v1alpha1.ReasonNodeBusy {
			if !busy.Ended {
				busy = next
				busy.Message = fmt.Sprintf("%s was not placed%s within %s because others hold what it needs: %s", worker(w),
					amongNodes(f.Unplaced()), ScheduleGrace, next.Message)
			}
			continue
		}
		if next.Ended {
			return next
		}
		if o.Reason == "" {
			o.Reason, o.Message = next.Reason, next.Message
		}
		o.Recheck = sooner(o.Recheck, next.Recheck)
	}
	if busy.Ended {
		return busy
	}
	return f.awaited(o, workers, now)
}

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
