package controllers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/verdict"
	"github.com/assay-dev/assay/internal/workload"
)

// groupScope is one group of nodes and one benchmark, measured now or before.
type groupScope struct {
	// id is the name of its result.
	id    string
	task  int
	nodes []v1alpha1.ObjectReference
	// stored is the result in the cluster, nil for none; result is what it is to become.
	stored, result *v1alpha1.ValidationResult
	// refused: the API server would not take the result as it was judged in this pass.
	refused bool
	jobs    []*jobScope
	// wanted: an attempt is due, in this round of the tournament (0: none).
	wanted   bool
	round    int32
	reason   string
	decision verdict.Decision
}

// jobScope is one MPIJob of the run.
type jobScope struct {
	name           string
	uid            types.UID
	made           string // the configuration it was made for
	attempt, round int32
	terminating    bool
	facts          workload.JobFacts
	// ended: its attempt is in the result.
	ended bool
	// waits says why it does not measure yet.
	waits string
	// busy says which worker cannot be placed, and so why the job ends; givenUp, that the group is to wait and be started again.
	busy    string
	givenUp bool
}

func (g *groupScope) attempts() []v1alpha1.Attempt {
	if g.result == nil || len(g.result.Benchmarks) == 0 {
		return nil
	}
	return g.result.Benchmarks[0].Attempts
}

func (g *groupScope) names() []string {
	out := make([]string, len(g.nodes))
	for i, n := range g.nodes {
		out[i] = n.Name
	}
	return out
}

// others names the group's nodes but one, for that node's row.
func (g *groupScope) others(name string) string {
	return listed(slices.DeleteFunc(g.names(), func(n string) bool { return n == name }))
}

// listed joins names, and counts where there are many.
func listed(names []string) string {
	if len(names) > 4 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// hasGroups: the run has a benchmark of scope Group.
func (s *scope) hasGroups() bool {
	return slices.ContainsFunc(s.tasks, task.isGroup)
}

func (t task) isGroup() bool { return t.benchmark.Spec.Scope == v1alpha1.ScopeGroup }

// group finds the group of a benchmark and nodes, or makes it known.
func (s *scope) group(task int, nodes []v1alpha1.ObjectReference) *groupScope {
	id := groupResultName(s.run, s.tasks[task].name(), nodes)
	if g := s.groups[id]; g != nil {
		return g
	}
	g := &groupScope{id: id, task: task, nodes: nodes}
	s.groups[id] = g
	return g
}

// groupOf finds the group of a benchmark and named nodes of the run.
func (s *scope) groupOf(task int, names []string) *groupScope {
	names = slices.Sorted(slices.Values(names))
	nodes := make([]v1alpha1.ObjectReference, len(names))
	for i, name := range names {
		nodes[i].Name = name
		if n := s.node(name); n.node != nil {
			nodes[i].UID = n.node.UID
		}
	}
	return s.group(task, nodes)
}

func (s *scope) taskNamed(name string) int {
	return slices.IndexFunc(s.tasks, func(t task) bool { return t.name() == name })
}

// observeGroupResult takes a stored result of a group into the scope. Two runs over the same nodes have a result each.
func (s *scope) observeGroupResult(v *v1alpha1.ValidationResult) {
	if len(v.Benchmarks) == 0 || v.Run.UID != s.run.UID {
		return
	}
	i := s.taskNamed(v.Benchmarks[0].Name)
	if i < 0 || v.Name != groupResultName(s.run, s.tasks[i].name(), v.Group.Nodes) {
		return
	}
	g := s.group(i, v.Group.Nodes)
	g.stored, g.result = v, v
}

// mpiJobs are read past the cache and without their specs: the kind need not exist, and its pods tell what happens.
func mpiJobs() *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(mpi.SchemeGroupVersion.WithKind("MPIJobList"))
	return list
}

// listJobs returns the MPIJobs of a run; known is false where the cluster does not know the kind.
func (r *RunReconciler) listJobs(ctx context.Context, run *v1alpha1.ValidationRun) (jobs []metav1.PartialObjectMetadata, known bool, err error) {
	list := mpiJobs()
	err = r.Live.List(ctx, list, client.InNamespace(r.Settings.Namespace), client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)})
	switch {
	case meta.IsNoMatchError(err) || apierrors.IsNotFound(err):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("listing the MPIJobs of run %s: %w", run.Name, err)
	}
	return slices.DeleteFunc(list.Items, func(j metav1.PartialObjectMetadata) bool { return !metav1.IsControlledBy(&j, run) }), true, nil
}

// observeJobs reads the run's MPIJobs. A job whose nodes or benchmark the run does not know, or whose name is not the one that follows
// from them, says nothing about the group that it names: it is removed like any job that is not wanted.
func (r *RunReconciler) observeJobs(ctx context.Context, s *scope) error {
	if !s.hasGroups() {
		return nil
	}
	jobs, known, err := r.listJobs(ctx, s.run)
	if err != nil {
		return err
	}
	r.observeKind(s, known)
	for i := range jobs {
		j := &jobs[i]
		nodes, err := workload.JobNodes(j)
		task := s.taskNamed(j.Labels[v1alpha1.LabelBenchmark])
		attempt, _ := strconv.ParseInt(j.Annotations[v1alpha1.AnnotationAttempt], 10, 32)
		if err != nil || task < 0 || j.Name != workload.JobName(s.run.UID, s.tasks[task].name(), nodes, int32(attempt)) {
			task, nodes = max(task, 0), nil
		}
		s.seeStatus(j)
		g := s.group(task, nodes)
		round, _ := strconv.ParseInt(j.Annotations[v1alpha1.AnnotationRound], 10, 32)
		g.jobs = append(g.jobs, &jobScope{name: j.Name, uid: j.UID, made: j.Annotations[v1alpha1.AnnotationConfiguration], attempt: int32(attempt), round: int32(round),
			terminating: j.DeletionTimestamp != nil,
			facts:       workload.JobFacts{Created: j.CreationTimestamp.Time, Over: noted(j), Workers: len(nodes), Nodes: g.names(), Timeout: s.tasks[task].timeout()}})
	}
	return nil
}

// seeOperator takes note of a sign of life of the MPI Operator: a pod that it made, or a status that it wrote.
func (s *scope) seeOperator(at metav1.Time) {
	if at.After(s.operatorSeen) {
		s.operatorSeen = at.Time
	}
}

// seeStatus takes the time of a job's status from its metadata, for the rest of it is not read.
func (s *scope) seeStatus(job metav1.Object) {
	for _, f := range job.GetManagedFields() {
		if f.Subresource == "status" && f.Time != nil {
			s.seeOperator(*f.Time)
		}
	}
}

// noted: the MPI Operator has written when the job was over, before which it cleans up nothing. That it has is in the metadata, too.
func noted(job metav1.Object) bool {
	return slices.ContainsFunc(job.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool {
		return f.Subresource == "status" && f.FieldsV1 != nil && strings.Contains(f.FieldsV1.GetRawString(), `"f:completionTime"`)
	})
}

// observeOperator tells every job when the MPI Operator was last seen at work on any of them.
func (s *scope) observeOperator() {
	for _, g := range s.groups {
		for _, j := range g.jobs {
			j.facts.Alive = s.operatorSeen
		}
	}
}

// observeComplaints asks for the events of jobs that the MPI Operator does nothing about: it tells of an MPIJob that it
// refuses by an event only. All are asked for at once, as the whole of a round may wait.
func (r *RunReconciler) observeComplaints(ctx context.Context, s *scope) error {
	stalled := map[types.UID]*jobScope{}
	for _, g := range s.groups {
		for _, j := range g.jobs {
			if !j.terminating && j.facts.Stalled(s.now) {
				stalled[j.uid] = j
			}
		}
	}
	if len(stalled) == 0 {
		return nil
	}
	var events corev1.EventList
	warnings := fields.AndSelectors(fields.OneTermEqualSelector("involvedObject.kind", mpi.Kind), fields.OneTermEqualSelector("type", corev1.EventTypeWarning))
	if err := r.Live.List(ctx, &events, client.InNamespace(r.Settings.Namespace), client.MatchingFieldsSelector{Selector: warnings}); err != nil {
		return fmt.Errorf("listing the events of MPIJobs: %w", err)
	}
	latest := map[types.UID]time.Time{}
	for i := range events.Items {
		e := &events.Items[i]
		j, at := stalled[e.InvolvedObject.UID], e.LastTimestamp.Time
		if j != nil && !at.Before(latest[j.uid]) {
			latest[j.uid], j.facts.Complaint = at, e.Reason+": "+e.Message
		}
	}
	return nil
}

// busyJobs: an MPIJob or a pod of one is still there.
func (s *scope) busyJobs() bool {
	if len(s.leftovers) > 0 {
		return true
	}
	for _, g := range s.groups {
		if len(g.jobs) > 0 {
			return true
		}
	}
	return false
}
