package observe

import (
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// kindGrace is how long MPIJobs may be unknown to a run that has begun to measure by them: whoever installs the MPI Operator anew
// may take its CRD away for a moment, and with it only the jobs that run.
const kindGrace = 30 * time.Second

// placeJobs gives the run's MPIJobs to their groups. A job whose nodes or benchmark the run does not know, or whose name is not the
// one that follows from them, says nothing about the group that it names: it is removed like any job that is not wanted.
func (o *observation) placeJobs() {
	if !slices.ContainsFunc(o.Tasks, Task.IsGroup) {
		return
	}
	o.observeKind(o.JobKind)
	for i := range o.Jobs {
		j := &o.Jobs[i]
		nodes, err := workload.JobNodes(j)
		task := o.TaskNamed(j.Labels[v1alpha1.LabelBenchmark])
		attempt, _ := strconv.ParseInt(j.Annotations[v1alpha1.AnnotationAttempt], 10, 32)
		if err != nil || task < 0 || j.Name != workload.JobName(o.Run.UID, o.Tasks[task].Name(), nodes, int32(attempt)) {
			task, nodes = max(task, 0), nil
		}
		o.seeStatus(j)
		g := o.group(task, nodes)
		round, _ := strconv.ParseInt(j.Annotations[v1alpha1.AnnotationRound], 10, 32)
		g.Jobs = append(g.Jobs, &ObservedJob{Name: j.Name, Version: j.ResourceVersion, UID: j.UID, Attempt: int32(attempt), Round: int32(round),
			Made: j.Annotations[v1alpha1.AnnotationConfiguration], Machines: j.Annotations[v1alpha1.AnnotationMachine],
			Terminating: j.DeletionTimestamp != nil,
			Facts: workload.JobFacts{Created: j.CreationTimestamp.Time, Over: endNoted(j), Workers: len(nodes), Nodes: g.Names(),
				Timeout: o.Tasks[task].Timeout(), Complaint: o.Complaints[j.UID]}})
	}
}

// observeKind decides what it means that the cluster knows MPIJobs, or does not. A run that has not begun with them does not wait.
func (s *Observed) observeKind(k JobKind) {
	if k.Known {
		return
	}
	until := k.MissingSince.Add(kindGrace)
	s.MPIInterrupted = (k.Seen || len(s.Groups) > 0) && s.Now.Before(until)
	s.MPIMissing = !s.MPIInterrupted
	if s.MPIInterrupted {
		list.Sooner(&s.Recheck, until)
	}
}

// seeOperator takes note of a sign of life of the MPI Operator: a pod that it made, or a status that it wrote.
func (s *Observed) seeOperator(at metav1.Time) {
	if at.After(s.OperatorSeen) {
		s.OperatorSeen = at.Time
	}
}

// seeStatus takes the time of a job's status from its metadata, for the rest of it is not read.
func (s *Observed) seeStatus(job metav1.Object) {
	for _, f := range job.GetManagedFields() {
		if f.Subresource == "status" && f.Time != nil {
			s.seeOperator(*f.Time)
		}
	}
}

// endNoted: the MPI Operator has written when the job was over, before which it cleans up nothing. That it has is in the metadata, too.
func endNoted(job metav1.Object) bool {
	return slices.ContainsFunc(job.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool {
		return f.Subresource == "status" && f.FieldsV1 != nil && strings.Contains(f.FieldsV1.GetRawString(), `"f:completionTime"`)
	})
}

// tellJobs tells every job when the MPI Operator was last seen at work on any of them.
func (s *Observed) tellJobs() {
	for _, g := range s.Groups {
		for _, j := range g.Jobs {
			j.Facts.Alive = s.OperatorSeen
		}
	}
}

// stalledJobs are those that the MPI Operator does nothing about: it tells of an MPIJob that it refuses by an event only.
func (s *Observed) stalledJobs() map[types.UID]bool {
	stalled := map[types.UID]bool{}
	for _, g := range s.Groups {
		for _, j := range g.Jobs {
			if !j.Terminating && j.Facts.Stalled(s.Now) {
				stalled[j.UID] = true
			}
		}
	}
	return stalled
}
