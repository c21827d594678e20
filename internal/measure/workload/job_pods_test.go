package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func TestOwnerOf(t *testing.T) {
	controlled := func(apiVersion, kind, name string) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: name, UID: "u1", Controller: new(true)}}
	}
	type answer struct {
		Owner JobOwner
		Known bool
	}
	cases := map[string]struct {
		owners []metav1.OwnerReference
		want   answer
	}{
		"a worker":                                  {controlled("kubeflow.org/v2beta1", "MPIJob", "g-pairs-1"), answer{JobOwner{Name: "g-pairs-1", UID: "u1"}, true}},
		"a worker by a later version of the API":    {controlled("kubeflow.org/v3", "MPIJob", "g-pairs-1"), answer{JobOwner{Name: "g-pairs-1", UID: "u1"}, true}},
		"a launcher":                                {controlled("batch/v1", "Job", "g-pairs-1-launcher"), answer{JobOwner{Name: "g-pairs-1", Launcher: true}, true}},
		"a pod of a node's own benchmark":           {controlled("assay.dev/v1alpha1", "ValidationRun", "nightly"), answer{}},
		"a pod of somebody's Job":                   {controlled("batch/v1", "Job", "g-pairs-1"), answer{}},
		"a CronJob with a launcher's name":          {controlled("batch/v1", "CronJob", "g-pairs-1-launcher"), answer{}},
		"a Job of another API":                      {controlled("example.com/v1", "Job", "g-pairs-1-launcher"), answer{}},
		"an MPIJob of another API":                  {controlled("example.com/v2beta1", "MPIJob", "g-pairs-1"), answer{}},
		"another kind of the MPI Operator's API":    {controlled("kubeflow.org/v2beta1", "PyTorchJob", "g-pairs-1"), answer{}},
		"an API version that is none":               {controlled("a/b/c", "MPIJob", "g-pairs-1"), answer{}},
		"an owner that does not control it":         {[]metav1.OwnerReference{{APIVersion: "kubeflow.org/v2beta1", Kind: "MPIJob", Name: "g-pairs-1"}}, answer{}},
		"a pod without an owner, whatever it tells": {nil, answer{}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{OwnerReferences: c.owners,
				Labels: map[string]string{v1alpha1.LabelJob: "g-pairs-1", v1alpha1.LabelJobRole: v1alpha1.JobRoleWorker}}}
			owner, known := OwnerOf(pod)
			if diff := cmp.Diff(c.want, answer{owner, known}); diff != "" {
				t.Errorf("another owner (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAdd: what a pod is follows from its name and node; where these do not fit the job, the job is doubted.
func TestAdd(t *testing.T) {
	const job = "g-pairs-1"
	type pod struct {
		name, node string
		launcher   bool
	}
	type facts struct {
		Pods  []string
		Doubt string
	}
	cases := map[string]struct {
		pods []pod
		want facts
	}{
		"two workers and their launcher, on a node of theirs": {
			[]pod{{job + "-worker-0", "gpu-0", false}, {job + "-worker-1", "gpu-1", false}, {job + "-launcher-x7gk2", "gpu-1", true}},
			facts{Pods: []string{job + "-worker-0", job + "-worker-1", job + "-launcher-x7gk2"}}},
		"the launcher comes first": {
			[]pod{{job + "-launcher-x7gk2", "gpu-1", true}, {job + "-worker-1", "gpu-1", false}},
			facts{Pods: []string{job + "-launcher-x7gk2", job + "-worker-1"}}},
		"two workers that are not placed yet": {
			[]pod{{job + "-worker-0", "", false}, {job + "-worker-1", "", false}}, facts{Pods: []string{job + "-worker-0", job + "-worker-1"}}},
		"a launcher that is not placed yet": {[]pod{{job + "-launcher-x7gk2", "", true}}, facts{Pods: []string{job + "-launcher-x7gk2"}}},
		"a worker beyond the last": {[]pod{{job + "-worker-2", "gpu-1", false}},
			facts{Doubt: "pod g-pairs-1-worker-2 poses as a worker of MPIJob g-pairs-1, but is none of g-pairs-1-worker-0 to 1"}},
		"a worker before the first": {[]pod{{job + "-worker--1", "gpu-1", false}},
			facts{Doubt: "pod g-pairs-1-worker--1 poses as a worker of MPIJob g-pairs-1, but is none of g-pairs-1-worker-0 to 1"}},
		"a worker whose number is written otherwise": {[]pod{{job + "-worker-01", "gpu-1", false}},
			facts{Doubt: "pod g-pairs-1-worker-01 poses as a worker of MPIJob g-pairs-1, but is none of g-pairs-1-worker-0 to 1"}},
		"a worker without a number": {[]pod{{job + "-worker-", "gpu-1", false}},
			facts{Doubt: "pod g-pairs-1-worker- poses as a worker of MPIJob g-pairs-1, but is none of g-pairs-1-worker-0 to 1"}},
		"a worker of another name": {[]pod{{"1", "gpu-1", false}},
			facts{Doubt: "pod 1 poses as a worker of MPIJob g-pairs-1, but is none of g-pairs-1-worker-0 to 1"}},
		"a launcher of another name": {[]pod{{job + "-worker-0", "gpu-1", true}},
			facts{Doubt: "pod g-pairs-1-worker-0 poses as the launcher of MPIJob g-pairs-1, but its name does not begin with g-pairs-1-launcher-"}},
		"a worker on a node of no concern": {[]pod{{job + "-worker-0", "gpu-9", false}},
			facts{Doubt: "pod g-pairs-1-worker-0 of MPIJob g-pairs-1 runs on node gpu-9, which is not in its group"}},
		"a launcher on a node of no concern": {[]pod{{job + "-launcher-x7gk2", "gpu-9", true}},
			facts{Doubt: "pod g-pairs-1-launcher-x7gk2 of MPIJob g-pairs-1 runs on node gpu-9, which is not in its group"}},
		"two workers on one node": {[]pod{{job + "-worker-0", "gpu-1", false}, {job + "-worker-1", "gpu-1", false}},
			facts{Pods: []string{job + "-worker-0"}, Doubt: "workers g-pairs-1-worker-0 and g-pairs-1-worker-1 of MPIJob g-pairs-1 both run on node gpu-1: each node should have one"}},
		"of two doubts the first is told": {[]pod{{job + "-worker-0", "gpu-9", false}, {job + "-worker-7", "gpu-1", false}},
			facts{Doubt: "pod g-pairs-1-worker-0 of MPIJob g-pairs-1 runs on node gpu-9, which is not in its group"}},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			f := JobFacts{Workers: 2, Nodes: []string{"gpu-0", "gpu-1"}}
			for _, p := range c.pods {
				f.Add(job, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.name}, Spec: corev1.PodSpec{NodeName: p.node}}, p.launcher)
			}
			got := facts{Doubt: f.Doubt}
			for _, p := range f.Pods {
				got.Pods = append(got.Pods, p.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("the job is another (-want +got):\n%s", diff)
			}
		})
	}
}
