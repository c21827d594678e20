package workload

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const (
	workerInfix    = "-worker-"
	launcherSuffix = "-launcher"
)

// JobPod is a pod of an MPIJob with its role, which was decided once, when the pod was placed.
type JobPod struct {
	*corev1.Pod
	Launcher bool
}

// JobOwner is the MPIJob that a pod belongs to.
type JobOwner struct {
	// Name of the MPIJob.
	Name string
	// UID of the MPIJob; empty for a launcher, which a Job of the MPIJob owns.
	UID types.UID
	// Launcher says whether the pod is the launcher's, not a worker.
	Launcher bool
}

// OwnerOf reads from a pod's owner reference which MPIJob it belongs to; known is false for any other pod. Labels and annotations
// say nothing here: a kubelet may change those of the pods bound to its node, but not their owner, name, node or time of creation.
func OwnerOf(pod metav1.Object) (owner JobOwner, known bool) {
	ref := metav1.GetControllerOf(pod)
	if ref == nil {
		return JobOwner{}, false
	}
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	switch {
	case err != nil:
	case gv.Group == mpi.GroupName && ref.Kind == mpi.Kind:
		return JobOwner{Name: ref.Name, UID: ref.UID}, true
	case gv.Group == batchv1.GroupName && ref.Kind == "Job":
		if name, ok := strings.CutSuffix(ref.Name, launcherSuffix); ok {
			return JobOwner{Name: name, Launcher: true}, true
		}
	}
	return JobOwner{}, false
}

// Add takes a pod that the job owns in. It is believed only where it has a name that the MPI Operator gives and runs on a node of
// the group, no two workers on the same one. Otherwise what the job measures is not the group, and nothing of it is believed.
func (f *JobFacts) Add(job string, pod *corev1.Pod, launcher bool) {
	if doubt := f.doubt(job, pod, launcher); doubt != "" {
		f.Doubt = cmp.Or(f.Doubt, doubt)
		return
	}
	f.Pods = append(f.Pods, JobPod{pod, launcher})
}

func (f *JobFacts) doubt(job string, pod *corev1.Pod, launcher bool) string {
	node := pod.Spec.NodeName
	switch {
	case launcher && !strings.HasPrefix(pod.Name, job+launcherSuffix+"-"):
		return fmt.Sprintf("pod %s poses as the launcher of MPIJob %s, but its name does not begin with %s%s-", pod.Name, job, job, launcherSuffix)
	case !launcher && !f.isWorker(job, pod.Name):
		return fmt.Sprintf("pod %s poses as a worker of MPIJob %s, but is none of %s0 to %d", pod.Name, job, job+workerInfix, f.Workers-1)
	case node == "":
		return ""
	case !slices.Contains(f.Nodes, node):
		return fmt.Sprintf("pod %s of MPIJob %s runs on node %s, which is not in its group", pod.Name, job, node)
	}
	if launcher {
		return ""
	}
	for _, p := range f.Pods {
		if !p.Launcher && p.Spec.NodeName == node {
			return fmt.Sprintf("workers %s and %s of MPIJob %s both run on node %s: each node should have one", p.Name, pod.Name, job, node)
		}
	}
	return ""
}

func (f *JobFacts) isWorker(job, name string) bool {
	index, ok := strings.CutPrefix(name, job+workerInfix)
	i, err := strconv.Atoi(index)
	return ok && err == nil && i >= 0 && i < f.Workers && strconv.Itoa(i) == index
}
