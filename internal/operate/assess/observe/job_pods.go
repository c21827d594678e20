package observe

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// placeJobPod gives a pod that an MPIJob made to its job, by its owner and never by its labels, which the kubelet of its node may
// change. One whose job is gone is on its way out, and holds its node until then. A pod of no MPIJob is none of ours.
func (s *Observed) placeJobPod(byName map[string]*ObservedNode, pod *corev1.Pod) {
	owner, known := workload.OwnerOf(pod)
	if !known {
		return
	}
	if j := s.job(owner, pod); j != nil {
		s.seeOperator(pod.CreationTimestamp)
		j.Facts.Add(j.Name, pod, owner.Launcher)
		return
	}
	// The label alone makes a pod a leftover, too, for of a job that was given up nothing is stored: a kubelet that lies has
	// a pod of its own node deleted, which it can do by itself.
	ours := s.Index.jobs[owner.Name] || pod.Labels[v1alpha1.LabelRunUID] == string(s.Run.UID)
	if ours {
		s.seeOperator(pod.CreationTimestamp)
		s.Leftovers = append(s.Leftovers, pod)
	}
	over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	n := byName[pod.Spec.NodeName]
	if n == nil || over || owner.Launcher {
		return
	}
	if ours {
		n.Ending = fmt.Sprintf("waiting for pod %s of the previous measurement to end", pod.Name)
		return
	}
	n.Busy = WaitsForRun(cmp.Or(pod.Labels[v1alpha1.LabelRunName], "of MPIJob "+owner.Name))
}

// job finds the MPIJob that owns a pod: its workers by its UID, its launcher by the name of the Job between them. A launcher that is
// older than the MPIJob is that of one of the same name before it.
func (s *Observed) job(owner workload.JobOwner, pod *corev1.Pod) *ObservedJob {
	if !owner.Launcher {
		return s.Index.byUID[owner.UID]
	}
	if j := s.Index.byName[owner.Name]; j != nil && !pod.CreationTimestamp.Time.Before(j.Facts.Created) {
		return j
	}
	return nil
}

// OwnJobPod says whether a pod belongs to one of the run's MPIJobs: those that exist by their owner, others by label.
func OwnJobPod(run *v1alpha1.ValidationRun, jobs []metav1.PartialObjectMetadata, pod *corev1.Pod) bool {
	owner, known := workload.OwnerOf(pod)
	return known && (pod.Labels[v1alpha1.LabelRunUID] == string(run.UID) || slices.ContainsFunc(jobs, func(j metav1.PartialObjectMetadata) bool {
		return j.UID == owner.UID || owner.Launcher && j.Name == owner.Name
	}))
}

// groupIndex finds in one step what else each node and each pod would have to look for in all groups.
type groupIndex struct {
	// Nodes: by name, the UIDs of the nodes of this name that took part in a group.
	Nodes map[string][]types.UID
	// byUID and byName are the jobs that exist; jobs are the names of these and of those that left an attempt. A name follows from
	// the UID of the run, so that no other run has it.
	byUID  map[types.UID]*ObservedJob
	byName map[string]*ObservedJob
	jobs   map[string]bool
}

func (s *Observed) indexGroups() {
	s.Index = groupIndex{Nodes: map[string][]types.UID{}, byUID: map[types.UID]*ObservedJob{}, byName: map[string]*ObservedJob{}, jobs: map[string]bool{}}
	for _, g := range s.Groups {
		if g.Stored == nil && len(g.Jobs) == 0 {
			continue
		}
		for _, ref := range g.Nodes {
			if uids := s.Index.Nodes[ref.Name]; !slices.Contains(uids, ref.UID) {
				s.Index.Nodes[ref.Name] = append(uids, ref.UID)
			}
		}
		for _, j := range g.Jobs {
			s.Index.byUID[j.UID], s.Index.byName[j.Name], s.Index.jobs[j.Name] = j, j, true
		}
		for _, a := range AttemptsOf(g.Stored) {
			s.Index.jobs[a.Pod] = a.Pod != "" // one that was refused never had a job
		}
	}
}

// WaitsForRun is for a node that another run is measuring.
func WaitsForRun(run string) string {
	return fmt.Sprintf("waiting for run %s, which is measuring this node", run)
}
