package run

import (
	"strings"
	"testing"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/test/hand"
)

// TestAForgedLabelDeletesNoJobOfAnotherRun (P10): a kubelet gives its worker of another run's MPIJob the label of a run that is over, and the API server is too busy
// to list MPIJobs just then.
func TestAForgedLabelDeletesNoJobOfAnotherRun(t *testing.T) {
	run, other := startedRun(), startedRun()
	other.Name, other.UID = "other", "other-uid"
	job := &mpi.MPIJob{ObjectMeta: metav1.ObjectMeta{Name: "g-other", Namespace: "bench", UID: "other-job", Labels: workload.Labels(other), OwnerReferences: workload.OwnedBy(other)}}
	forged := podNamed("g-other-worker-0")
	forged.Labels, forged.Spec.NodeName = map[string]string{v1alpha1.LabelRunUID: string(run.UID)}, "liar"
	forged.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job, mpi.SchemeGroupVersionKind)}
	h := hand.New(t, run, other, nodeOf("liar"), job, forged, workload.JobPolicy(other, job.Name, workload.Settings{Namespace: "bench"}))
	h.Unread = only("MPIJob", apierrors.NewTooManyRequests("try again", 1))
	if left, err := reconcilerOf(h).own.DeleteAll(t.Context(), run); left != 1 || err == nil {
		t.Errorf("%d pods are left, error %v; want the forged one, and that it does not know of all MPIJobs", left, err)
	}
	if wrote := strings.Join(h.Writes, "\n"); strings.Contains(wrote, "MPIJob") || strings.Contains(wrote, "NetworkPolicy") {
		t.Errorf("the MPIJob of another run is deleted: %q", h.Writes)
	}
}

// TestADeletedRunGoesThoughSomebodyHoldsItsMPIJob (P3) by a finalizer of their own: it has no pod, and holds no node.
func TestADeletedRunGoesThoughSomebodyHoldsItsMPIJob(t *testing.T) {
	run := startedRun()
	run.DeletionTimestamp = &metav1.Time{Time: begin.Add(-time.Minute)}
	job := &mpi.MPIJob{ObjectMeta: metav1.ObjectMeta{Name: "g-net", Namespace: "bench", UID: "job-uid", Labels: workload.Labels(run), OwnerReferences: workload.OwnedBy(run)}}
	job.Finalizers = []string{"kueue.x-k8s.io/managed-resources"}
	h := hand.New(t, run, nodeOf("a"), job)
	r := reconcilerOf(h)
	clock := testclock.NewFakePassiveClock(begin)
	r.Clock = clock
	r.own = r.objects()
	if took := passes(t.Context(), r, clock, func() bool { return runIn(t, h) == nil }); took > 2*time.Minute {
		t.Errorf("it goes only after %s; it wrote %q", took, h.Writes)
	}
}
