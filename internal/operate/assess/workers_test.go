package assess

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// isLauncher as its owner tells it.
func isLauncher(pod *corev1.Pod) bool {
	owner, _ := workload.OwnerOf(pod)
	return owner.Launcher
}

// TestTwoWorkersOnOneNode: what the launcher then measured is not the group.
func TestTwoWorkersOnOneNode(t *testing.T) {
	s := pairsRun(1, 1)
	for i := range 2 {
		pod := podOfWorker(0, i, s.Now)
		pod.Spec.NodeName = s.Nodes[1].Name
		observe.InOrder(s.Groups)[0].Jobs[0].Facts.Add("g-pairs-00000", pod, isLauncher(pod))
	}
	attempts := observe.InOrder(collect.Collect(s).Groups)[0].Attempts()
	if len(attempts) != 1 || attempts[0].Verdict != v1alpha1.VerdictError || attempts[0].Reason != v1alpha1.ReasonPodNotBelieved ||
		!strings.Contains(attempts[0].Message, "workers g-pairs-00000-worker-0 and g-pairs-00000-worker-1 of MPIJob g-pairs-00000 both run on node node-00001: each node should have one") {
		t.Errorf("attempts %+v", attempts)
	}
}

// TestRelabelledWorkerTellsNoResult: a worker whose kubelet makes it the launcher, with a result of its own making.
func TestRelabelledWorkerTellsNoResult(t *testing.T) {
	s := pairsRun(1, 1)
	for i := range 2 {
		pod := podOfWorker(0, i, s.Now.Add(-5*time.Second))
		pod.Spec.NodeName = s.Nodes[i].Name
		pod.Status.Phase = corev1.PodRunning
		if i == 1 {
			pod.Labels[v1alpha1.LabelJobRole] = v1alpha1.JobRoleLauncher
			pod.Status = corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: []corev1.ContainerStatus{{Name: workload.ProgramContainer,
				State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: "assay1:forged", FinishedAt: metav1.NewTime(s.Now)}}}}}
		}
		observe.InOrder(s.Groups)[0].Jobs[0].Facts.Add("g-pairs-00000", pod, isLauncher(pod))
	}
	attempts := observe.InOrder(collect.Collect(s).Groups)[0].Attempts()
	if len(attempts) != 1 || attempts[0].Reason != v1alpha1.ReasonWorkerLost {
		t.Errorf("attempts %+v, want one that says that a worker was lost", attempts)
	}
}
