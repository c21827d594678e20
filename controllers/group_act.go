package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/plan"
	"github.com/assay-dev/assay/internal/workload"
)

func (r *RunReconciler) storeGroupResult(ctx context.Context, g *groupScope) error {
	if g.result == g.stored {
		return nil
	}
	next, refused, err := r.writeResult(ctx, g.stored, g.result)
	if err != nil {
		return fmt.Errorf("storing the result of the group %s: %w", listed(g.names()), err)
	}
	g.stored, g.result, g.refused = next, next, refused
	return nil
}

// launchJobs creates the MPIJobs that are due. One run at a time does so, and sees the MPIJobs of all others: two jobs of which
// each holds a node that the other one waits for would both wait for ever.
func (r *RunReconciler) launchJobs(ctx context.Context, s *scope, due []plan.Action) error {
	if len(due) == 0 {
		return nil
	}
	s.wake(s.now.Add(jobCheck))
	if due = s.inTurn(due); len(due) == 0 {
		return nil
	}
	r.launches.Lock()
	defer r.launches.Unlock()
	claims, err := r.claims(ctx, s.run)
	if err != nil {
		return err
	}
	return each(due, func(a plan.Action) error { return r.launchJob(ctx, s, a, claims) })
}

// inTurn holds back the launches that the MPI Operator could not get round to.
func (s *scope) inTurn(due []plan.Action) []plan.Action {
	behind := 0
	for _, g := range s.groups {
		for _, j := range g.jobs {
			if len(j.facts.Pods) == 0 && !j.terminating && !j.ended {
				behind++
			}
		}
	}
	room := min(max(maxJobsBehind-behind, 0), len(due))
	for _, a := range due[room:] {
		for _, name := range s.groups[a.Group].names() {
			s.plan.Waiting[name] = "waiting for the MPI Operator, which has still to begin other MPIJobs of this run"
		}
	}
	return due[:room]
}

// claims says by node which other run has an MPIJob on it, whether that has pods by now or not.
func (r *RunReconciler) claims(ctx context.Context, run *v1alpha1.ValidationRun) (map[string]string, error) {
	list := mpiJobs()
	if err := r.Live.List(ctx, list, client.InNamespace(r.Settings.Namespace), client.HasLabels{v1alpha1.LabelRunUID}); err != nil {
		return nil, fmt.Errorf("listing the MPIJobs of other runs: %w", err)
	}
	out := map[string]string{}
	for i := range list.Items {
		j := &list.Items[i]
		nodes, err := workload.JobNodes(j)
		if err != nil || metav1.IsControlledBy(j, run) {
			continue
		}
		for _, n := range nodes {
			out[n.Name] = fmt.Sprintf("waiting for run %s, which measures this node", j.Labels[v1alpha1.LabelRunName])
		}
	}
	return out, nil
}

// launchJob creates the MPIJob of an attempt, unless somebody else holds one of its nodes.
func (r *RunReconciler) launchJob(ctx context.Context, s *scope, a plan.Action, claims map[string]string) error {
	g := s.groups[a.Group]
	t := s.tasks[g.task]
	nodes := make([]*corev1.Node, 0, len(g.nodes))
	quarantines := map[string]*v1alpha1.Quarantine{}
	for _, name := range g.names() {
		n := s.node(name)
		busy, err := r.busy(ctx, t.benchmark, name)
		if err != nil {
			return err
		}
		busy = cmp.Or(busy, claims[name])
		r.memory.markBusy(name, busy, s.now)
		if busy != "" {
			n.occupied = busy
			return nil
		}
		nodes = append(nodes, n.node)
		if n.validation != nil {
			quarantines[name] = n.validation.Quarantine
		}
	}
	if seen, err := r.asSeen(ctx, s.run, g.id, g.stored); err != nil || !seen {
		s.wake(s.now.Add(batchDelay))
		return err
	}
	job, err := workload.MPIJob(workload.GroupLaunch{Run: s.run, Benchmark: t.benchmark, Argv: t.argv, Nodes: nodes, Quarantines: quarantines,
		Attempt: a.Attempt, Round: g.round}, r.Settings)
	if err != nil {
		return fmt.Errorf("making the MPIJob of benchmark %s: %w", t.name(), err)
	}
	err = r.openNetwork(ctx, s.run, job.Name)
	if err == nil {
		err = r.Create(ctx, job, client.FieldOwner(fieldOwner))
	}
	if apierrors.IsAlreadyExists(err) {
		return r.checkJobOwner(ctx, s, job)
	}
	if err != nil {
		return fmt.Errorf("creating the MPIJob of benchmark %s on nodes %s: %w", t.name(), listed(g.names()), err)
	}
	return nil
}

// checkJobOwner makes sure that an MPIJob which was there already is this run's own.
func (r *RunReconciler) checkJobOwner(ctx context.Context, s *scope, job *mpi.MPIJob) error {
	jobs, _, err := r.listJobs(ctx, s.run)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(jobs, func(j metav1.PartialObjectMetadata) bool { return j.Name == job.Name }) {
		return fmt.Errorf("creating MPIJob %s: somebody else has made one of this name in namespace %s: delete it", job.Name, job.Namespace)
	}
	return nil
}

// deleteJob removes an MPIJob by name and UID, and only once its attempt is stored, or it is not wanted. Its pods follow by
// their owner references.
func (r *RunReconciler) deleteJob(ctx context.Context, s *scope, a plan.Action) error {
	g := s.groups[a.Group]
	i := slices.IndexFunc(g.jobs, func(j *jobScope) bool { return j.name == a.Pod })
	if i < 0 || g.jobs[i].ended && g.stored != g.result {
		return nil
	}
	if j := g.jobs[i]; j.busy != "" { // the next job would wait there as well
		for _, name := range j.facts.Unplaced() {
			r.memory.markBusy(name, j.busy, s.now)
		}
	}
	return r.removeJob(ctx, g.jobs[i].name, g.jobs[i].uid)
}

// removeJob deletes an MPIJob and then its NetworkPolicy. Never the other way round: where only one is deleted, a job that is wanted
// again would go on without a network, but a policy without a job is only in nobody's way until the run ends.
func (r *RunReconciler) removeJob(ctx context.Context, name string, uid types.UID) error {
	job := &metav1.PartialObjectMetadata{}
	job.SetGroupVersionKind(mpi.SchemeGroupVersionKind)
	job.Name, job.Namespace = name, r.Settings.Namespace
	err := r.Delete(ctx, job, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting MPIJob %s: %w", name, err)
	}
	return r.closeNetwork(ctx, name)
}

// deleteJobs deletes these MPIJobs of a run, and all its NetworkPolicies.
func (r *RunReconciler) deleteJobs(ctx context.Context, run *v1alpha1.ValidationRun, jobs []metav1.PartialObjectMetadata) error {
	deleted := each(jobs, func(j metav1.PartialObjectMetadata) error {
		if j.DeletionTimestamp != nil {
			return nil
		}
		err := r.removeJob(ctx, j.Name, j.UID)
		if meta.IsNoMatchError(err) {
			return nil
		}
		return err
	})
	return errors.Join(deleted, r.deletePolicies(ctx, run))
}
