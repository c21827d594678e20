package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
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
	found := mpiJobs()
	err = r.listOwn(ctx, run, found)
	if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return nil, false, nil
	}
	return found.Items, err == nil, err
}

// listOwn lists what a run controls, past the cache: nothing else of such objects is ever needed.
func (r *Reconciler) listOwn(ctx context.Context, run *v1alpha1.ValidationRun, into client.ObjectList, options ...client.ListOption) error {
	options = append(options, client.InNamespace(r.Settings.Namespace), ofRun(run.UID))
	if err := r.Live.List(ctx, into, options...); err != nil {
		return fmt.Errorf("listing what belongs to run %s: %w", run.Name, err)
	}
	all, err := meta.ExtractList(into)
	own := list.Where(all, func(o runtime.Object) bool { return metav1.IsControlledBy(o.(metav1.Object), run) })
	return errors.Join(err, meta.SetList(into, own))
}

func named(name string) client.ListOption {
	return client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector(metav1.ObjectNameField, name)}
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
