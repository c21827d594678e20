package run

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/test/hand"
)

// launcherOn a node, of MPIJob j; empty: it is not placed yet.
func launcherOn(node string, phase corev1.PodPhase) *corev1.Pod {
	p := podNamed("j-launcher-x")
	owner := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j-launcher", UID: "uid-of-launchers"}}
	p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, batchv1.SchemeGroupVersion.WithKind("Job"))}
	p.Labels, p.Spec.NodeName, p.Status.Phase = map[string]string{v1alpha1.LabelJob: "j"}, node, phase
	return p
}

// TestAJobThatMayHaveMeasuredIsDeletedAsItWasSeen (P10): a leader gives a job up, and stalls before it looks at the launcher, or before it deletes what it has looked
// at. What the launcher measures meanwhile is not lost.
func TestAJobThatMayHaveMeasuredIsDeletedAsItWasSeen(t *testing.T) {
	const stop, remove = "delete uid-j-launcher-x of Pod j-launcher-x", "delete uid-j of MPIJob j"
	ends := func(ctx context.Context, c client.Client) error {
		p := &corev1.Pod{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(launcherOn("a", "")), p); err != nil {
			return err
		}
		p.Status.Phase = corev1.PodSucceeded
		return c.Update(ctx, p)
	}
	begins := func(ctx context.Context, c client.Client) error { // as the MPI Operator notes
		j := &mpi.MPIJob{}
		if err := c.Get(ctx, client.ObjectKey{Namespace: "bench", Name: "j"}, j); err != nil {
			return err
		}
		j.Status.Conditions = []mpi.JobCondition{{Type: mpi.JobRunning, Status: corev1.ConditionTrue}}
		return c.Update(ctx, j)
	}
	goes := launcherOn("a", corev1.PodRunning)
	goes.DeletionTimestamp, goes.Finalizers = &metav1.Time{Time: begin}, []string{"batch.kubernetes.io/job-tracking"}
	for sentence, c := range map[string]struct {
		launcher *corev1.Pod
		stored   bool // what the launcher had found when it was seen to have ended
		before   string
		then     func(context.Context, client.Client) error // before this write
		want     []string
		stays    bool
	}{
		"it is at work":                         {launcherOn("a", corev1.PodRunning), false, "", nil, []string{stop, remove}, false},
		"it has ended":                          {launcherOn("a", corev1.PodSucceeded), false, "", nil, nil, true},
		"it has ended, and that is stored":      {launcherOn("a", corev1.PodSucceeded), true, "", nil, []string{remove}, false},
		"it ends once it was looked at":         {launcherOn("a", corev1.PodRunning), false, stop, ends, []string{stop}, true},
		"it goes already":                       {goes, false, "", nil, []string{remove}, false},
		"there is none":                         {nil, false, "", nil, []string{remove}, false},
		"there is one once it was looked for":   {nil, false, remove, begins, []string{remove}, true},
		"it is not placed":                      {launcherOn("", corev1.PodPending), false, "", nil, []string{remove}, false},
		"it is placed once it was looked at":    {launcherOn("", corev1.PodPending), false, remove, begins, []string{remove}, true},
		"the MPI Operator writes of what stops": {launcherOn("a", corev1.PodRunning), false, remove, begins, []string{stop, remove}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			job := &mpi.MPIJob{ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "bench", UID: "uid-j"}}
			h := hand.New(t, slices.DeleteFunc([]client.Object{job, c.launcher}, func(o client.Object) bool { return o == (*corev1.Pod)(nil) })...)
			if err := h.Get(t.Context(), client.ObjectKeyFromObject(job), job); err != nil {
				t.Fatal(err)
			}
			r := reconcilerOf(h)
			r.Client = interceptor.NewClient(h, interceptor.Funcs{Delete: func(ctx context.Context, inner client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
				if c.then != nil && strings.HasSuffix(c.before, " "+o.GetName()) {
					if err := c.then(ctx, h.WithWatch); err != nil {
						return err
					}
				}
				return inner.Delete(ctx, o, opts...)
			}})
			r.own = r.objects()
			w, d := writerOf(t, r, startedRun(), nodeOf("a")), assess.JobDeletion{Name: "j", UID: "uid-j", AsSeen: job.ResourceVersion}
			if c.stored {
				d.AsSeen = ""
			}
			h.Writes = nil
			if err := w.deleteJob(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, slices.DeleteFunc(h.Writes, func(s string) bool { return strings.HasPrefix(s, "update") })); diff != "" {
				t.Errorf("other writes (-want +got):\n%s", diff)
			}
			stays := h.Get(t.Context(), client.ObjectKeyFromObject(job), job) == nil
			if again := !w.written.Recheck.IsZero(); stays != c.stays || again != c.stays {
				t.Errorf("the job stays: %v, and is looked at again soon: %v; want %v", stays, again, c.stays)
			}
		})
	}
}
