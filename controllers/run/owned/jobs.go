package owned

import (
	"cmp"
	"context"
	"fmt"
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
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// mpiJobs are read past the cache and without their specs: the kind need not exist, and its pods tell what happens.
func mpiJobs() *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(mpi.SchemeGroupVersion.WithKind("MPIJobList"))
	return list
}

// Jobs returns the MPIJobs of a run; known is false where the cluster does not know the kind.
func (o *Objects) Jobs(ctx context.Context, run *v1alpha1.ValidationRun) (jobs []metav1.PartialObjectMetadata, known bool, err error) {
	found := mpiJobs()
	err = o.listOwn(ctx, run, found)
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return nil, false, nil
	}
	return found.Items, err == nil, err
}

// Launcher of an MPIJob, past the cache, which may be behind; nil: there is none.
func (o *Objects) Launcher(ctx context.Context, job string) (*corev1.Pod, error) {
	var pods corev1.PodList
	if err := o.Live.List(ctx, &pods, client.InNamespace(o.Settings.Namespace), client.MatchingLabels{v1alpha1.LabelJob: job}); err != nil {
		return nil, fmt.Errorf("looking for the launcher of MPIJob %s: %w", job, err)
	}
	var found workload.JobFacts
	for p := range list.Each(pods.Items) {
		if owner, _ := workload.OwnerOf(p); owner.Launcher && owner.Name == job {
			found.Pods = append(found.Pods, workload.JobPod{Pod: p, Launcher: true})
		}
	}
	return found.Launcher(), nil
}

// RemoveJob deletes an MPIJob under preconditions, and its NetworkPolicy is for later. Never the other way round: where only one is deleted, a job that is wanted
// again would go on without a network, but a policy without a job is only in nobody's way until the run ends.
func (o *Objects) RemoveJob(ctx context.Context, name string, as client.Preconditions) error {
	job := &metav1.PartialObjectMetadata{}
	job.SetGroupVersionKind(mpi.SchemeGroupVersionKind)
	job.Name, job.Namespace = name, o.Settings.Namespace
	err := o.Delete(ctx, job, as, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting MPIJob %s: %w", name, err)
	}
	return nil
}

// deleteJobs deletes these MPIJobs of a run.
func (o *Objects) deleteJobs(ctx context.Context, jobs []metav1.PartialObjectMetadata) error {
	return controllers.Each(jobs, func(j metav1.PartialObjectMetadata) error {
		if err := o.RemoveJob(ctx, j.Name, client.Preconditions{UID: &j.UID}); !meta.IsNoMatchError(err) {
			return err
		}
		return nil
	})
}

// Complaints reads the latest warning about each stalled MPIJob. All are asked for at once, as the whole of a round may wait. Events
// only explain: where they cannot be read, that is all there is to tell.
func (o *Objects) Complaints(ctx context.Context, stalled map[types.UID]bool) map[types.UID]string {
	if len(stalled) == 0 {
		return nil
	}
	latest, complaints := map[types.UID]time.Time{}, map[types.UID]string{}
	var events corev1.EventList
	warnings := fields.AndSelectors(fields.OneTermEqualSelector("involvedObject.kind", mpi.Kind), fields.OneTermEqualSelector("type", corev1.EventTypeWarning))
	if err := o.Live.List(ctx, &events, client.InNamespace(o.Settings.Namespace), client.MatchingFieldsSelector{Selector: warnings}); err != nil {
		for job := range stalled {
			complaints[job] = fmt.Sprintf(eventsUnread, cmp.Or(apierrors.ReasonForError(err), "Unknown"))
		}
		return complaints
	}
	for e := range list.Each(events.Items) {
		job, at := e.InvolvedObject.UID, e.LastTimestamp.Time
		if stalled[job] && !at.Before(latest[job]) {
			latest[job], complaints[job] = at, e.Reason+": "+e.Message
		}
	}
	return complaints
}

// Held says by node which other run has an MPIJob on it, whether that has pods by now or not.
func (o *Objects) Held(ctx context.Context, run *v1alpha1.ValidationRun) (map[string]string, error) {
	found := mpiJobs()
	if err := o.Live.List(ctx, found, client.InNamespace(o.Settings.Namespace), client.HasLabels{v1alpha1.LabelRunUID}); err != nil {
		return nil, fmt.Errorf("listing the MPIJobs of other runs: %w", err)
	}
	out := map[string]string{}
	for j := range list.Each(found.Items) {
		nodes, err := workload.JobNodes(j)
		if err != nil || metav1.IsControlledBy(j, run) {
			continue
		}
		for _, n := range nodes {
			out[n.Name] = observe.WaitsForRun(j.Labels[v1alpha1.LabelRunName])
		}
	}
	return out, nil
}
