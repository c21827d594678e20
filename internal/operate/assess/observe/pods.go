package observe

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// placePod gives a pod to what it belongs to: the run's own to their tasks; those of other runs hold a node. Whose a pod is follows
// from its owner, which a kubelet cannot change; labels and annotations it can.
func (o *observation) placePod(pod *corev1.Pod) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || owner.Kind != "ValidationRun" {
		o.placeJobPod(o.byName, pod)
		return
	}
	// The node that it is on or, while it is on none, the one that it was made for: a webhook may have taken its annotations away.
	name := cmp.Or(pod.Spec.NodeName, workload.MadeFor(pod), pod.Annotations[v1alpha1.AnnotationNode])
	if owner.UID != o.Run.UID {
		over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		if n := o.byName[name]; n != nil && !over {
			n.Busy = WaitsForRun(owner.Name)
		}
		return
	}
	n := o.adopt(name)
	n.Pods = append(n.Pods, o.identify(n, pod))
}

// identify says which attempt a pod of the run is. A pod's name is made of the run, the node's UID, the benchmark and the attempt, so
// that it proves what the pod's annotations say; where they say anything else, the name is compared with those that the
// run gives to pods of this node. A pod of no such name is none of its attempts.
func (s *Observed) identify(n *ObservedNode, pod *corev1.Pod) *ObservedPod {
	p := &ObservedPod{Pod: pod, Task: -1}
	claimed, _ := strconv.ParseInt(pod.Annotations[v1alpha1.AnnotationAttempt], 10, 32)
	uid := types.UID(pod.Annotations[v1alpha1.AnnotationNodeUID])
	if i := s.TaskNamed(pod.Labels[v1alpha1.LabelBenchmark]); i >= 0 && s.isAttempt(pod, uid, i, int32(claimed)) {
		p.Task, p.Attempt, p.NodeUID = i, int32(claimed), uid
		return p
	}
	var uids []types.UID
	if n.Node != nil {
		uids = append(uids, n.Node.UID)
		p.NodeUID = n.Node.UID
	}
	if n.Stored != nil {
		uids = append(uids, n.Stored.Node.UID)
	}
	for _, uid := range uids {
		for i := range s.Tasks {
			for attempt := int32(1); attempt <= plan.MaxAttempts; attempt++ {
				if s.isAttempt(pod, uid, i, attempt) {
					p.Task, p.Attempt, p.NodeUID = i, attempt, uid
					return p
				}
			}
		}
	}
	return p
}

func (s *Observed) isAttempt(pod *corev1.Pod, node types.UID, task int, attempt int32) bool {
	return !s.Tasks[task].IsGroup() && pod.Name == workload.PodName(s.Run.UID, node, s.Tasks[task].Name(), attempt)
}

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
