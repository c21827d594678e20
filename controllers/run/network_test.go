package run

import (
	"context"
	"errors"
	"testing"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/test/hand"
)

// TestALateLeaderClosesNoNetwork (P10): a leader deletes an MPIJob that is to be started anew, or those of a run that is suspended and invalid, and stalls. Another
// one starts it, as the run was put right and resumed, finds its NetworkPolicy there, and goes on with it. Then the first one wakes.
func TestALateLeaderClosesNoNetwork(t *testing.T) {
	run := startedRun()
	suspended := run.DeepCopy()
	suspended.Spec.Suspend, suspended.ResourceVersion = true, "1" // by now it is another one
	for sentence, deletes := range map[string]func(*Reconciler) error{
		"started anew": func(r *Reconciler) error {
			return writerOf(t, r, run, nodeOf("a")).deleteJob(t.Context(), assess.JobDeletion{Name: "g-net", UID: "first"})
		},
		"suspended": func(r *Reconciler) error {
			if _, err := r.invalid(t.Context(), suspended.DeepCopy(), observe.Invalid("there is no Benchmark x")); !apierrors.IsConflict(err) {
				return errors.Join(errors.New("it is told"), err)
			}
			return nil
		},
	} {
		t.Run(sentence, func(t *testing.T) { closesNoNetwork(t, run, deletes) })
	}
}

// closesNoNetwork of the MPIJob that another leader starts while a late one deletes the one of before.
func closesNoNetwork(t *testing.T, run *v1alpha1.ValidationRun, deletes func(late *Reconciler) error) {
	t.Helper()
	job := func(uid types.UID) *mpi.MPIJob {
		return &mpi.MPIJob{ObjectMeta: metav1.ObjectMeta{Name: "g-net", Namespace: "bench", UID: uid, Labels: workload.Labels(run), OwnerReferences: workload.OwnedBy(run)}}
	}
	h := hand.New(t, run, job("first"), workload.JobPolicy(run, "g-net", workload.Settings{Namespace: "bench"}))
	late := reconcilerOf(h)
	late.Client = interceptor.NewClient(h, interceptor.Funcs{Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
		err := c.Delete(ctx, o, opts...)
		if o.GetName() != "g-net" || err != nil || h.Get(ctx, client.ObjectKeyFromObject(o), job("first")) == nil {
			return err
		}
		if err := reconcilerOf(h).own.OpenNetwork(ctx, run, "g-net"); err != nil {
			t.Error(err)
		}
		return h.Create(ctx, job("second"))
	}})
	late.own = late.objects()
	if err := deletes(late); err != nil {
		t.Fatal(err)
	}
	is := job("")
	if err := h.Get(t.Context(), client.ObjectKeyFromObject(is), is); err != nil || is.UID != "second" {
		t.Fatalf("the MPIJob is %s: %v", is.UID, err)
	}
	if err := h.Get(t.Context(), client.ObjectKeyFromObject(is), &networkingv1.NetworkPolicy{}); err != nil {
		t.Errorf("the MPIJob that runs has no network: %v", err)
	}
}
