package run

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/hand"
)

// TestARunThatIsGoneIsForgotten, however it went: its memory is the largest thing that the operator holds.
func TestARunThatIsGoneIsForgotten(t *testing.T) {
	for sentence, leave := range map[string]func(*testing.T, *hand.Cluster, *Reconciler, *v1alpha1.ValidationRun){
		"nobody has seen it go": func(*testing.T, *hand.Cluster, *Reconciler, *v1alpha1.ValidationRun) {},
		"another one has its name": func(t *testing.T, h *hand.Cluster, _ *Reconciler, _ *v1alpha1.ValidationRun) {
			again := finishedRun()
			again.UID = "another"
			if err := h.Create(t.Context(), again); err != nil {
				t.Fatal(err)
			}
		},
		"it is on its way out, without its finalizer": func(t *testing.T, _ *hand.Cluster, r *Reconciler, run *v1alpha1.ValidationRun) {
			run.DeletionTimestamp = &metav1.Time{Time: begin}
			if _, err := r.finalize(t.Context(), run); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			run := finishedRun()
			h := hand.New(t, run)
			r := reconcilerOf(h)
			pass := func() {
				if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(run)}); err != nil {
					t.Fatal(err)
				}
			}
			pass()
			r.memoryOf(run)
			if err := h.Delete(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			leave(t, h, r, run)
			if run.DeletionTimestamp == nil {
				pass()
			}
			if _, known := r.memories.Get(run.Name); known {
				t.Error("it is still remembered")
			}
		})
	}
}

// finishedRun is over, and has no finalizer.
func finishedRun() *v1alpha1.ValidationRun {
	run := startedRun()
	run.Finalizers, run.UID = nil, types.UID("gone")
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue}}
	return run
}
