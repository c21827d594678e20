package workload

import (
	"fmt"
	"regexp"
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

// MayMeasure: the job's launcher had not ended when this was seen. What is in doubt measures nothing.
func (f JobFacts) MayMeasure() bool {
	launcher := f.Launcher()
	return f.Doubt == "" && (launcher == nil || !HasEnded(launcher))
}

// Launcher is the latest one that there is; nil: none.
func (f JobFacts) Launcher() *corev1.Pod {
	launcher, _ := f.split()
	return launcher
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
