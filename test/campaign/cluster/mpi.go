package cluster

import (
	"fmt"
	"strconv"
	"time"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// operate is what the MPI Operator does for a job, again and again for as long as there is one: workers, the launcher once all listen, and the end.
func (c *Cluster) operate(key client.ObjectKey) {
	job, ok := c.API.Get("MPIJob", key).(*mpi.MPIJob)
	if !ok || job.DeletionTimestamp != nil {
		return
	}
	c.After(c.Between("mpi/"+key.Name, 500*time.Millisecond, 2*time.Second), func() { c.operate(key) })
	if c.Now().Before(c.MPIAway) {
		return
	}
	launcher, ready, workers := (*corev1.Pod)(nil), 0, int(*job.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeWorker].Replicas)
	for _, p := range c.jobPods(job.Name) {
		switch {
		case IsLauncher(p):
			launcher = p
		case p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil:
			ready++
		}
	}
	switch {
	case launcher != nil:
		c.follow(job, launcher.Status.Phase)
	case ready == workers:
		c.launch(job)
	default:
		for i := range workers {
			p := c.podOf(job, mpi.MPIReplicaTypeWorker, fmt.Sprintf("%s-worker-%d", job.Name, i), *metav1.NewControllerRef(job, mpi.SchemeGroupVersionKind))
			p.Labels[mpi.ReplicaIndexLabel] = strconv.Itoa(i)
			_, _ = c.API.Create("mpi", p) // most are there
		}
	}
}

// follow the launcher of a job: note that it runs, and that it has ended.
func (c *Cluster) follow(job *mpi.MPIJob, launcher corev1.PodPhase) {
	switch {
	case launcher == corev1.PodSucceeded || launcher == corev1.PodFailed:
		c.conclude(job)
	case launcher == corev1.PodRunning && len(job.Status.Conditions) == 0:
		next := job.DeepCopy()
		next.Status.Conditions = []mpi.JobCondition{{Type: mpi.JobRunning, Status: corev1.ConditionTrue}}
		_, _ = c.API.Update("mpi", next, true)
	}
}

// jobPods are the pods of an MPIJob.
func (c *Cluster) jobPods(job string) []*corev1.Pod {
	return list.Where(kube.All[*corev1.Pod](c.API), func(p *corev1.Pod) bool { return p.Labels[v1alpha1.LabelJob] == job })
}

func (c *Cluster) podOf(job *mpi.MPIJob, role mpi.MPIReplicaType, name string, owner metav1.OwnerReference) *corev1.Pod {
	template := job.Spec.MPIReplicaSpecs[role].Template.DeepCopy()
	p := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	p.Name, p.Namespace, p.OwnerReferences = name, job.Namespace, []metav1.OwnerReference{owner}
	return p
}

// launch the launcher, by a Job of its own.
func (c *Cluster) launch(job *mpi.MPIJob) {
	own := &batchv1.Job{}
	own.Name, own.Namespace = job.Name+"-launcher", job.Namespace
	own.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(job, mpi.SchemeGroupVersionKind)}
	stored, err := c.API.Create("mpi", own)
	if err != nil {
		return
	}
	owner := metav1.NewControllerRef(stored, batchv1.SchemeGroupVersion.WithKind("Job"))
	uid := string(stored.GetUID())
	_, _ = c.API.Create("mpi", c.podOf(job, mpi.MPIReplicaTypeLauncher, own.Name+"-x"+uid[len(uid)-6:], *owner))
}

// conclude notes that the launcher of a job has ended, and deletes its workers.
func (c *Cluster) conclude(job *mpi.MPIJob) {
	if job.Status.CompletionTime == nil {
		next := job.DeepCopy()
		next.Status.CompletionTime = new(metav1.NewTime(c.Now()))
		_, _ = c.API.Update("mpi", next, true)
	}
	for _, p := range c.jobPods(job.Name) {
		if !IsLauncher(p) && p.DeletionTimestamp == nil {
			_ = c.API.Delete("mpi", "Pod", client.ObjectKeyFromObject(p))
		}
	}
}

// IsLauncher of a group: it starts the ranks, and measures nothing itself.
func IsLauncher(pod *corev1.Pod) bool {
	return pod.Labels[v1alpha1.LabelJobRole] == v1alpha1.JobRoleLauncher
}
