package workload

import (
	"slices"
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
	want := []resourcev1.DeviceRequest{{Name: "devices", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.nvidia.com", AllocationMode: "ExactCount", Count: 4,
		Tolerations: []resourcev1.DeviceToleration{{Key: "assay.dev/unfit", Operator: "Exists"}}}}}
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
		"another run":           func(l *Launch) { l.Run.UID = "other" },
		"another count":         func(l *Launch) { l.Node = published("gpu-1", 8) },
		"another taint to bear": func(l *Launch) { l.Quarantine = outOfService("site/slow") },
	} {
		if launch(claiming, c).Claim().Name() == name {
			t.Errorf("%s has the same", what)
		}
	}
	if launch(claiming, func(l *Launch) { l.Node = published("gpu-2", 4) }).Claim().Name() != name {
		t.Error("another node has another")
	}
}

func outOfService(key string) *v1alpha1.Quarantine {
	return &v1alpha1.Quarantine{Key: key, Devices: []string{"GPU-3"}}
}

// A claim tolerates that devices are out of service by the run's own key, by that of the node's quarantine, and by the one that other runs use.
func TestClaimsTolerateOwnTaints(t *testing.T) {
	ofRun := func(l *Launch) {
		l.Run.Spec.OnFailure = &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{Key: "assay.dev/a"}}
	}
	ofNode := func(l *Launch) { l.Quarantine = outOfService("site/slow") }
	for name, c := range map[string]struct {
		edit []func(*Launch)
		want []string
	}{
		"no taint known":        {nil, []string{"assay.dev/unfit"}},
		"of the run":            {[]func(*Launch){ofRun}, []string{"assay.dev/a", "assay.dev/unfit"}},
		"of the node's devices": {[]func(*Launch){ofRun, ofNode}, []string{"assay.dev/a", "assay.dev/unfit", "site/slow"}},
		"of the node itself":    {[]func(*Launch){func(l *Launch) { l.Quarantine = &v1alpha1.Quarantine{Key: "site/slow"} }}, []string{"assay.dev/unfit"}},
	} {
		if keys := launch(append([]func(*Launch){claiming}, c.edit...)...).Claim().Keys; !slices.Equal(keys, c.want) {
			t.Errorf("%s: it tolerates %v, want %v", name, keys, c.want)
		}
	}
	group := GroupLaunch{Run: launch().Run, Benchmark: launch(claiming).Benchmark, Nodes: []*corev1.Node{published("gpu-1", 8), published("gpu-2", 8)},
		Quarantines: map[string]*v1alpha1.Quarantine{"gpu-1": outOfService("site/slow"), "gpu-2": outOfService("site/old")}}
	if keys := group.Claim().Keys; !slices.Equal(keys, []string{"assay.dev/unfit", "site/old", "site/slow"}) {
		t.Errorf("workers tolerate %v", keys)
	}
}

// A template is as it was made, but for tolerations that the API server does not know.
func TestIsTheTemplate(t *testing.T) {
	c := launch(claiming).Claim()
	for name, is := range map[string]struct {
		edit func(*resourcev1.ExactDeviceRequest)
		want bool
	}{
		"as it was made":      {func(*resourcev1.ExactDeviceRequest) {}, true},
		"without tolerations": {func(r *resourcev1.ExactDeviceRequest) { r.Tolerations = nil }, true},
		"with others":         {func(r *resourcev1.ExactDeviceRequest) { r.Tolerations[0].Key = "" }, false},
		"with more": {func(r *resourcev1.ExactDeviceRequest) {
			r.Tolerations = append(r.Tolerations, resourcev1.DeviceToleration{Operator: "Exists"})
		}, false},
		"of fewer devices":        {func(r *resourcev1.ExactDeviceRequest) { r.Count-- }, false},
		"of fewer, and with none": {func(r *resourcev1.ExactDeviceRequest) { r.Count, r.Tolerations = 1, nil }, false},
	} {
		found := c.Template(settings)
		is.edit(found.Spec.Spec.Devices.Requests[0].Exactly)
		if c.Is(found, settings) != is.want {
			t.Errorf("%s: it is taken for another, or another for it", name)
		}
	}
}

func TestWorkersClaimPublishedDevices(t *testing.T) {
	l := GroupLaunch{Run: launch().Run, Benchmark: launch(claiming).Benchmark, Argv: []string{"mpirun", "x"}, Attempt: 1,
		Nodes: []*corev1.Node{published("gpu-1", 8), published("gpu-2", 4)}}
	l.Benchmark.Spec.Group = &v1alpha1.Group{SlotsPerWorker: intstr.FromString(v1alpha1.SlotsDevices)}
	job := MPIJob(l, settings)
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
