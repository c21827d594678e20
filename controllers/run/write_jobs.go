package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/controllers/run/owned"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
)

// launchJobs creates the MPIJobs that are due. One run at a time does so, and sees the MPIJobs of all others: two jobs of which
// each holds a node that the other one waits for would both wait for ever.
func (w *writer) launchJobs(ctx context.Context) error {
	if len(w.out.LaunchJobs) == 0 {
		return nil
	}
	w.launches.Lock()
	defer w.launches.Unlock()
	claims, err := w.own.Held(ctx, w.run)
	if err != nil {
		return err
	}
	return controllers.Each(w.out.LaunchJobs, func(l assess.JobLaunch) error { return w.launchJob(ctx, l, claims) })
}

// launchJob creates the MPIJob of an attempt, unless somebody else holds one of its nodes.
func (w *writer) launchJob(ctx context.Context, l assess.JobLaunch, claims map[string]string) error {
	t := l.Task
	for _, node := range l.Nodes {
		busy, err := w.own.Busy(ctx, t.Benchmark, node.Name)
		if err != nil {
			return err
		}
		busy = cmp.Or(busy, claims[node.Name])
		w.recent.MarkBusy(node.Name, busy, w.in.Now)
		if busy != "" {
			w.note(node.Name, func(n *assess.NodeWritten) { n.Busy = busy })
			return nil
		}
	}
	if seen, err := w.asSeen(ctx, l.Result, l.Stored); err != nil || !seen {
		return err
	}
	launch := workload.GroupLaunch{Run: w.run, Benchmark: t.Benchmark, Argv: t.Argv, Nodes: l.Nodes, Quarantines: l.Quarantines,
		Attempt: l.Attempt, Round: l.Round, Machines: l.Machines, Fabric: l.Fabric}
	job := workload.MPIJob(launch, w.Settings)
	if err := w.own.OfferClaims(ctx, w.run, launch.Claim()); err != nil {
		return err
	}
	err := w.own.OpenNetwork(ctx, w.run, job.Name)
	if err == nil {
		err = w.Create(ctx, job, controllers.FieldOwner)
	}
	if apierrors.IsAlreadyExists(err) {
		return w.checkJobOwner(ctx, job)
	}
	if err != nil {
		return fmt.Errorf("creating the MPIJob of benchmark %s on nodes %s: %w", t.Name(), l.Names(), err)
	}
	return nil
}

// checkJobOwner makes sure that an MPIJob which was there already is this run's own.
func (w *writer) checkJobOwner(ctx context.Context, job *mpi.MPIJob) error {
	jobs, _, err := w.own.Jobs(ctx, w.run)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(jobs, func(j metav1.PartialObjectMetadata) bool { return j.Name == job.Name }) {
		return fmt.Errorf(owned.NameTaken, "MPIJob", job.Name, job.Namespace)
	}
	return nil
}

// deleteJob removes an MPIJob by name and UID, and only once its attempt is stored, or it is not wanted; one that may have begun to measure is looked at again. Its pods follow by
// their owner references, and its NetworkPolicy once no MPIJob of this name comes again: another leader may have started the attempt anew by now.
func (w *writer) deleteJob(ctx context.Context, d assess.JobDeletion) error {
	if w.isUnstored(d.After) {
		return nil
	}
	for _, name := range d.Unplaced {
		w.recent.MarkBusy(name, d.Busy, w.in.Now)
	}
	as := client.Preconditions{UID: &d.UID}
	if d.AsSeen != "" {
		if ended, err := w.stopLauncher(ctx, d, &as); ended || err != nil {
			return w.unlessConflict(err)
		}
	}
	if err := w.own.RemoveJob(ctx, d.Name, as); err != nil || d.After == "" {
		return w.unlessConflict(err)
	}
	return w.own.CloseNetwork(ctx, d.Name)
}

// stopLauncher deletes the launcher of a job that is given up under the version by which it is seen not to have ended, so that nothing it measures is lost. The
// job's own version does not tell: the MPI Operator notes a launcher's end seconds later. But it notes that one has begun long before that can end.
func (w *writer) stopLauncher(ctx context.Context, d assess.JobDeletion, as *client.Preconditions) (ended bool, err error) {
	launcher, err := w.own.Launcher(ctx, d.Name)
	switch {
	case err != nil:
		return false, err
	case launcher == nil || launcher.Spec.NodeName == "":
		as.ResourceVersion = &d.AsSeen
	case launcher.DeletionTimestamp != nil: // of a job before this one, or on its way out
	case workload.HasEnded(launcher):
		w.recheckSoon()
		return true, nil
	default:
		err = w.own.RemovePod(ctx, launcher, client.Preconditions{UID: &launcher.UID, ResourceVersion: &launcher.ResourceVersion})
	}
	return false, err
}
