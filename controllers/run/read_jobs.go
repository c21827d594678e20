package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
	"github.com/assay-dev/assay/internal/list"
)

// mpiJobs are read past the cache and without their specs: the kind need not exist, and its pods tell what happens.
func mpiJobs() *metav1.PartialObjectMetadataList {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(mpi.SchemeGroupVersion.WithKind("MPIJobList"))
	return list
}

// listJobs returns the MPIJobs of a run; known is false where the cluster does not know the kind.
func (r *Reconciler) listJobs(ctx context.Context, run *v1alpha1.ValidationRun) (jobs []metav1.PartialObjectMetadata, known bool, err error) {
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

// readComplaints reads the latest warning about each stalled MPIJob. All are asked for at once, as the whole of a round may wait. Events
// only explain: where they cannot be read, that is all there is to tell.
func (r *Reconciler) readComplaints(ctx context.Context, stalled map[types.UID]bool) map[types.UID]string {
	if len(stalled) == 0 {
		return nil
	}
	latest, complaints := map[types.UID]time.Time{}, map[types.UID]string{}
	var events corev1.EventList
	warnings := fields.AndSelectors(fields.OneTermEqualSelector("involvedObject.kind", mpi.Kind), fields.OneTermEqualSelector("type", corev1.EventTypeWarning))
	if err := r.Live.List(ctx, &events, client.InNamespace(r.Settings.Namespace), client.MatchingFieldsSelector{Selector: warnings}); err != nil {
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
