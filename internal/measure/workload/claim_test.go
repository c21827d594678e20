package workload

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/dra"
)

// published is a node of which a DRA driver publishes so many GPUs; a device plugin offers eight more, which nobody takes.
func published(name string, gpus int64) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "node-uid"}}
	n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8"), "cpu": resource.MustParse("64")}
	return dra.Show(n, dra.Offer{Driver: "gpu.nvidia.com", Class: "gpu.nvidia.com", Resource: "nvidia.com/gpu", Has: gpus, Offers: gpus}, true)
}

func claiming(l *Launch) {
	l.Node, l.Benchmark.Spec.Needs.DeviceResource = published("gpu-1", 4), "nvidia.com/gpu"
	l.Benchmark.Spec.Needs.Limits = corev1.ResourceList{"memory": resource.MustParse("1Gi")}
}

func TestPodClaimsPublishedDevices(t *testing.T) {
	l := launch(claiming)
	pod, template := Pod(l, settings), l.Claim().Template(settings)
	r := pod.Spec.Containers[0].Resources
	if _, requested := r.Limits["nvidia.com/gpu"]; requested || r.Limits.Memory().String() != "1Gi" || len(r.Requests) != 0 {
		t.Errorf("it limits %v and requests %v", r.Limits, r.Requests)
	}
	if diff := cmp.Diff([]corev1.ResourceClaim{{Name: "devices"}}, r.Claims); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]corev1.PodResourceClaim{{Name: "devices", ResourceClaimTemplateName: &template.Name}}, pod.Spec.ResourceClaims); diff != "" {
		t.Error(diff)
	}
	want := []resourcev1.DeviceRequest{{Name: "devices", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.nvidia.com", AllocationMode: "ExactCount", Count: 4}}}
	if diff := cmp.Diff(want, template.Spec.Spec.Devices.Requests); diff != "" {
		t.Error(diff)
	}
	if problems := validation.IsDNS1123Subdomain(template.Name); problems != nil || !metav1.IsControlledBy(template, l.Run) || template.Namespace != settings.Namespace {
		t.Errorf("the template is %v: %v", template.ObjectMeta, problems)
	}
	if GPUsOf(pod) != 4 {
		t.Errorf("it holds %d GPUs", GPUsOf(pod))
	}
	if diff := cmp.Diff(noOther(), pod.Spec.Affinity.PodAntiAffinity); diff != "" { // a device with a new name is free to the scheduler
		t.Error(diff)
	}
}

// A benchmark of other devices, or of none, claims nothing there.
func TestPodClaimsNothingElse(t *testing.T) {
	for _, other := range []string{"", "amd.com/gpu"} {
		l := launch(claiming)
		l.Benchmark.Spec.Needs.DeviceResource = other
		if pod := Pod(l, settings); l.Claim() != nil || pod.Spec.ResourceClaims != nil || pod.Spec.Containers[0].Resources.Claims != nil {
			t.Errorf("%q: %+v", other, pod.Spec)
		}
	}
	if l := launch(func(l *Launch) { l.Benchmark.Spec.Needs.DeviceResource = "nvidia.com/gpu" }); l.Claim() != nil {
		t.Error("what a device plugin offers is claimed")
	}
}

// One template serves a run; others have their own.
func TestTemplateNames(t *testing.T) {
	name := launch(claiming).Claim().Name()
	for what, c := range map[string]func(*Launch){
		"another run":   func(l *Launch) { l.Run.UID = "other" },
		"another count": func(l *Launch) { l.Node = published("gpu-1", 8) },
	} {
		if launch(claiming, c).Claim().Name() == name {
			t.Errorf("%s has the same", what)
		}
	}
	if launch(claiming, func(l *Launch) { l.Node = published("gpu-2", 4) }).Claim().Name() != name {
		t.Error("another node has another")
	}
}

func TestWorkersClaimPublishedDevices(t *testing.T) {
	l := GroupLaunch{Run: launch().Run, Benchmark: launch(claiming).Benchmark, Argv: []string{"mpirun", "x"}, Attempt: 1,
		Nodes: []*corev1.Node{published("gpu-1", 8), published("gpu-2", 4)}}
	l.Benchmark.Spec.Group = &v1alpha1.Group{SlotsPerWorker: intstr.FromString(v1alpha1.SlotsDevices)}
	job, err := MPIJob(l, settings)
	if err != nil {
		t.Fatal(err)
	}
	worker, launcher := job.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeWorker].Template.Spec, job.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeLauncher].Template.Spec
	if c := worker.ResourceClaims; len(c) != 1 || *c[0].ResourceClaimTemplateName != l.Claim().Name() || l.Claim().Count != 4 || !strings.Contains(*c[0].ResourceClaimTemplateName, "-4-") {
		t.Errorf("a worker claims %+v", c)
	}
	if _, requested := worker.Containers[0].Resources.Limits["nvidia.com/gpu"]; requested || len(worker.Containers[0].Resources.Claims) != 1 || worker.Affinity.PodAntiAffinity == nil {
		t.Errorf("a worker has %+v", worker.Containers[0].Resources)
	}
	if launcher.ResourceClaims != nil {
		t.Errorf("the launcher claims %+v", launcher.ResourceClaims)
	}
	if *job.Spec.SlotsPerWorker != 4 {
		t.Errorf("%d slots", *job.Spec.SlotsPerWorker)
	}
}
