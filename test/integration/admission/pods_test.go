package admission_test

import (
	"testing"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	podsPolicy     = "assay-benchmark-pods"
	onlyAssayPods  = "may not create pods in namespace assay-benchmarks: only Assay and the MPI Operator create benchmark pods"
	onlyMPIJobs    = "may not create or change Jobs in namespace assay-benchmarks: only the MPI Operator does"
	onlyAssayJobs  = "may not create or change MPIJobs in namespace assay-benchmarks: only Assay does"
	labelsNeverMay = "the assay.dev/... labels and annotations of a benchmark pod cannot change"
	allControllers = "system:kube-controller-manager"
)

func ownedBy[T client.Object](o T, apiVersion, kind string) T {
	o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: "owner", UID: "uid", Controller: new(true)}})
	return o
}

func elsewhere[T client.Object](o T) T {
	o.SetNamespace("default")
	return o
}

func newJob(name string) *batchv1.Job {
	template := corev1.PodTemplateSpec{Spec: newPod("").Spec}
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: batchv1.JobSpec{Template: template, Suspend: new(true), BackoffLimit: new(int32(0))}}
}

func newMPIJob(name string) *mpi.MPIJob {
	replica := &mpi.ReplicaSpec{Replicas: new(int32(1)), Template: corev1.PodTemplateSpec{Spec: newPod("").Spec}}
	return &mpi.MPIJob{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: mpi.MPIJobSpec{MPIReplicaSpecs: map[mpi.MPIReplicaType]*mpi.ReplicaSpec{mpi.MPIReplicaTypeLauncher: replica, mpi.MPIReplicaTypeWorker: replica}}}
}

func TestWhoMakesBenchmarkPods(t *testing.T) {
	mirror := newPod("mirror")
	mirror.Spec.NodeName = "n1"
	mirror.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "hash"}
	cases := map[string]struct {
		user string
		o    client.Object
		want string
	}{
		"the operator makes pods":                           {operator, newPod("p"), ""},
		"the operator makes MPIJobs":                        {operator, newMPIJob("m"), ""},
		"the MPI Operator makes workers":                    {mpiOperator, ownedBy(newPod("p"), "kubeflow.org/v2beta1", "MPIJob"), ""},
		"the MPI Operator makes launchers' Jobs":            {mpiOperator, newJob("j"), ""},
		"the Job controller makes launchers":                {jobController, ownedBy(newPod("p"), "batch/v1", "Job"), ""},
		"so does a controller manager with one user":        {allControllers, ownedBy(newPod("p"), "batch/v1", "Job"), ""},
		"which makes no pods of a ReplicaSet":               {allControllers, ownedBy(newPod("p"), "apps/v1", "ReplicaSet"), onlyAssayPods},
		"nor of a Job of another kind":                      {jobController, ownedBy(newPod("p"), "example.com/v1", "Job"), onlyAssayPods},
		"an admin makes no pod":                             {admin, newPod("p"), "user alice " + onlyAssayPods},
		"nor one that looks like a launcher":                {admin, ownedBy(newPod("p"), "batch/v1", "Job"), onlyAssayPods},
		"nor a Job":                                         {admin, newJob("j"), "user alice " + onlyMPIJobs},
		"nor an MPIJob":                                     {admin, newMPIJob("m"), "user alice " + onlyAssayJobs},
		"the CronJob controller makes no Job":               {"system:serviceaccount:kube-system:cronjob-controller", newJob("j"), onlyMPIJobs},
		"the MPI Operator makes no MPIJob":                  {mpiOperator, newMPIJob("m"), onlyAssayJobs},
		"another's service account mpi-operator is no such": {"system:serviceaccount:tenant:mpi-operator", newPod("p"), onlyAssayPods},
		"a kubelet makes no mirror pod":                     {"system:node:n1", mirror, onlyAssayPods},
		"everybody makes pods in other namespaces":          {admin, elsewhere(newPod("p")), ""},
		"and Jobs":    {admin, elsewhere(newJob("j")), ""},
		"and MPIJobs": {admin, elsewhere(newMPIJob("m")), ""},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			check(t, podsPolicy, as(c.user).Create(t.Context(), c.o.DeepCopyObject().(client.Object), client.DryRunAll), c.want)
		})
	}
}

func TestWhoChangesBenchmarkPods(t *testing.T) {
	pod, job, mpiJob := newPod("changed"), newJob("changed"), newMPIJob("changed")
	pod.Labels = map[string]string{"assay.dev/run": "r"}
	pod.Annotations = map[string]string{"assay.dev/node": "n1"}
	create(t, operator, pod)
	create(t, mpiOperator, job)
	create(t, operator, mpiJob)
	label := func(key, value string) func(client.Object) {
		return func(o client.Object) { o.SetLabels(with(o.GetLabels(), key, value)) }
	}
	annotate := func(key, value string) func(client.Object) {
		return func(o client.Object) { o.SetAnnotations(with(o.GetAnnotations(), key, value)) }
	}
	resume := func(o client.Object) {
		if m, ok := o.(*mpi.MPIJob); ok {
			m.Spec.RunPolicy.Suspend = new(true)
			return
		}
		o.(*batchv1.Job).Spec.Suspend = new(false)
	}
	cases := map[string]struct {
		user      string
		o         client.Object
		change    func(client.Object)
		subsystem string
		want      string
	}{
		"a pod of another node":                     {admin, pod, annotate("assay.dev/node", "n2"), "", labelsNeverMay},
		"the same by a kubelet, through its status": {"system:node:n5", pod, annotate("assay.dev/node", "n2"), "status", labelsNeverMay},
		"a pod of another run":                      {admin, pod, label("assay.dev/run", "s"), "", labelsNeverMay},
		"a pod of no run":                           {admin, pod, func(o client.Object) { o.SetLabels(nil) }, "", labelsNeverMay},
		"one more annotation of Assay":              {admin, pod, annotate("assay.dev/attempt", "2"), "", labelsNeverMay},
		"the operator may not either":               {operator, pod, annotate("assay.dev/node", "n2"), "status", labelsNeverMay},
		"others' annotations are free":              {admin, pod, annotate("cni.example.com/ip", "10.0.0.1"), "", ""},
		"others' labels are free":                   {admin, pod, label("example.com/x", "y"), "", ""},
		"a kubelet tells how the pod fares": {"system:node:n1", pod, func(o client.Object) {
			o.(*corev1.Pod).Status.Phase = corev1.PodRunning
		}, "status", ""},
		"the MPI Operator resumes its Job":              {mpiOperator, job, resume, "", ""},
		"nobody else resumes it":                        {admin, job, resume, "", onlyMPIJobs},
		"the garbage collector takes finalizers off":    {"system:serviceaccount:kube-system:generic-garbage-collector", job, annotate("x", "y"), "", ""},
		"the operator changes an MPIJob":                {operator, mpiJob, resume, "", ""},
		"the MPI Operator changes an MPIJob":            {mpiOperator, mpiJob, resume, "", ""},
		"nobody else changes one":                       {admin, mpiJob, resume, "", onlyAssayJobs},
		"its metadata is free, as finalizers are there": {admin, mpiJob, annotate("x", "y"), "", ""},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			changed := c.o.DeepCopyObject().(client.Object)
			c.change(changed)
			user := as(c.user)
			if c.user == operator {
				user = asMaster(operator) // its rights do not go as far, but the policy has to hold when they do
			}
			var err error
			if patch := client.MergeFrom(c.o); c.subsystem == "" {
				err = user.Patch(t.Context(), changed, patch, client.DryRunAll)
			} else {
				err = user.SubResource(c.subsystem).Patch(t.Context(), changed, patch, client.DryRunAll)
			}
			check(t, podsPolicy, err, c.want)
		})
	}
}

func TestNobodyEntersBenchmarkPods(t *testing.T) {
	const policy = "assay-pod-access"
	pod, free := newPod("closed"), elsewhere(newPod("open"))
	create(t, operator, pod)
	create(t, admin, free)
	for _, way := range []string{"exec", "attach"} {
		check(t, policy, inside(t.Context(), namespace, pod.Name, way), "nobody may use pods/"+way+" in namespace assay-benchmarks")
		if err := inside(t.Context(), free.Namespace, free.Name, way); refusedBy(policy, err) {
			t.Errorf("%s into a pod of another namespace: %v", way, err)
		}
	}
	debug := func(pod *corev1.Pod) error {
		before := pod.DeepCopy()
		pod.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{
			Name: "debug", Image: "i", ImagePullPolicy: corev1.PullIfNotPresent, TerminationMessagePolicy: corev1.TerminationMessageReadFile}}}
		return as(admin).SubResource("ephemeralcontainers").Patch(t.Context(), pod, client.StrategicMergeFrom(before), client.DryRunAll)
	}
	check(t, policy, debug(pod), "nobody may use pods/ephemeralcontainers in namespace assay-benchmarks")
	check(t, policy, debug(free), "")
}

// newPin is what keeps the catalogue of a run.
func newPin(name string) *appsv1.ControllerRevision {
	return &appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Revision: 1,
		Data: runtime.RawExtension{Raw: []byte(`{"benchmarks":[]}`)}}
}

func TestWhoPinsACatalogue(t *testing.T) {
	const policy = "assay-pins"
	check(t, policy, as(admin).Create(t.Context(), newPin("forged"), client.DryRunAll), "may not create ControllerRevisions in namespace assay-benchmarks: only Assay does")
	check(t, policy, as(operator).Create(t.Context(), newPin("own"), client.DryRunAll), "")
	free := newPin("free")
	free.Namespace = "default"
	check(t, policy, as(admin).Create(t.Context(), free, client.DryRunAll), "")
}

// asMaster is a user whom no missing right stops.
func asMaster(user string) client.Client {
	c := impersonated(admin)
	c.Impersonate.UserName = user
	out, err := client.New(c, client.Options{Scheme: scheme, Mapper: api.RESTMapper()})
	if err != nil {
		panic(err)
	}
	return out
}

func create(t *testing.T, user string, o client.Object) {
	t.Helper()
	if err := as(user).Create(t.Context(), o); err != nil {
		t.Fatalf("creating %s: %v", o.GetName(), err)
	}
}

func with(m map[string]string, key, value string) map[string]string {
	out := map[string]string{key: value}
	for k, v := range m {
		if k != key {
			out[k] = v
		}
	}
	return out
}
