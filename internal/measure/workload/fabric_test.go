package workload

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func rdmaNode(name string, offers ...string) *corev1.Node {
	n := gpuNode(name, "8", "64")
	for _, o := range offers {
		n.Status.Allocatable[corev1.ResourceName(o)] = resource.MustParse("8")
	}
	return n
}

// TestFabricOf: what a profile says wins over what nodes show; nodes that differ share nothing.
func TestFabricOf(t *testing.T) {
	said := &v1alpha1.Fabric{Resource: "example.com/rails", HostNetwork: true, Interface: "bond0"}
	network := &v1alpha1.Fabric{Networks: "rail-0,rail-1"}
	for name, c := range map[string]struct {
		said  []*v1alpha1.Fabric
		nodes []*corev1.Node
		want  *v1alpha1.Fabric
	}{
		"nothing":                        {[]*v1alpha1.Fabric{nil, nil}, []*corev1.Node{rdmaNode("a"), rdmaNode("b")}, nil},
		"shown by both":                  {[]*v1alpha1.Fabric{nil, nil}, []*corev1.Node{rdmaNode("a", "rdma/hca"), rdmaNode("b", "rdma/hca")}, &v1alpha1.Fabric{Resource: "rdma/hca"}},
		"an SR-IOV resource":             {[]*v1alpha1.Fabric{nil}, []*corev1.Node{rdmaNode("a", "openshift.io/mlnxnics")}, &v1alpha1.Fabric{Resource: "openshift.io/mlnxnics"}},
		"shown by one":                   {[]*v1alpha1.Fabric{nil, nil}, []*corev1.Node{rdmaNode("a", "rdma/hca"), rdmaNode("b")}, nil},
		"several: nobody can choose":     {[]*v1alpha1.Fabric{nil}, []*corev1.Node{rdmaNode("a", "rdma/hca", "rdma/storage")}, nil},
		"said and shown":                 {[]*v1alpha1.Fabric{said, said}, []*corev1.Node{rdmaNode("a", "rdma/hca"), rdmaNode("b", "rdma/hca")}, said},
		"a network said, devices shown":  {[]*v1alpha1.Fabric{network}, []*corev1.Node{rdmaNode("a", "rdma/hca")}, &v1alpha1.Fabric{Networks: "rail-0,rail-1", Resource: "rdma/hca"}},
		"profiles that disagree":         {[]*v1alpha1.Fabric{said, network}, []*corev1.Node{rdmaNode("a"), rdmaNode("b")}, nil},
		"a profile of some of the nodes": {[]*v1alpha1.Fabric{said, nil}, []*corev1.Node{rdmaNode("a"), rdmaNode("b")}, nil},
	} {
		if diff := cmp.Diff(c.want, FabricOf(c.said, c.nodes)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestJobOverAFabric: what its pods are given, and what not.
func TestJobOverAFabric(t *testing.T) {
	plain := mpiJob(t)
	over := func(f *v1alpha1.Fabric) *mpi.MPIJob {
		return mpiJob(t, func(l *GroupLaunch) {
			l.Fabric = f
			l.Argv = []string{"mpirun", "--mca", "btl_tcp_if_include", "eth0", "rdma", "--gid-index", "-1"}
		})
	}
	job := over(&v1alpha1.Fabric{Resource: "rdma/hca", Count: new(int32(4)), HostNetwork: true, Interface: "bond0", GIDIndex: new(int32(3)),
		Env: []v1alpha1.FabricVar{{Name: "NCCL_IB_HCA", Value: "mlx5"}, {Name: "UCX_IB_GID_INDEX", Value: "5"}}})
	w, l := workers(job), launcher(job)
	if !w.HostNetwork || !l.HostNetwork {
		t.Error("workers and launcher are not on the host network")
	}
	if n := w.Containers[0].Resources.Limits["rdma/hca"]; n.Value() != 4 {
		t.Errorf("a worker asks for %s of rdma/hca, want 4", n.String())
	}
	if n := l.Containers[0].Resources.Limits["rdma/hca"]; !n.IsZero() {
		t.Errorf("the launcher asks for %s of rdma/hca, want none", n.String())
	}
	if c := w.Containers[0].SecurityContext.Capabilities.Add; len(c) > 0 || *w.Containers[0].SecurityContext.RunAsUser == 0 {
		t.Errorf("a worker has capabilities %v, as user %d, which nobody asked for", c, *w.Containers[0].SecurityContext.RunAsUser)
	}
	want := []string{"mpirun", "-x", "NCCL_SOCKET_IFNAME", "-x", "NCCL_IB_GID_INDEX", "-x", "NCCL_IB_HCA", "-x", "UCX_IB_GID_INDEX", "--mca", "btl_tcp_if_include", "bond0", "rdma", "--gid-index", "3"}
	if args := l.Containers[0].Command; !endsWith(append(slices.Clone(args), l.Containers[0].Args...), want) {
		t.Errorf("the launcher runs %q %q, want at its end %q", args, l.Containers[0].Args, want)
	}
	if !slices.Contains(l.Containers[0].Env, corev1.EnvVar{Name: "UCX_IB_GID_INDEX", Value: "5"}) {
		t.Errorf("the launcher's environment is %v: a variable of the fabric's own wins", l.Containers[0].Env)
	}
	if plain.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeWorker].Template.Annotations[networksAnnotation] != "" {
		t.Error("Multus is asked for a network that nobody named")
	}
	job = over(&v1alpha1.Fabric{Networks: "rail-0,rail-1"})
	for role, r := range job.Spec.MPIReplicaSpecs {
		if got := r.Template.Annotations[networksAnnotation]; got != "rail-0,rail-1" {
			t.Errorf("%s has the networks %q", role, got)
		}
	}
	job = over(&v1alpha1.Fabric{Resource: "rdma/hca", LockMemoryAsRoot: true})
	c := workers(job).Containers[0].SecurityContext
	if diff := cmp.Diff([]corev1.Capability{"IPC_LOCK", "SETUID", "SETGID", "SYS_CHROOT"}, c.Capabilities.Add); diff != "" || *c.RunAsUser != 0 || job.Spec.SSHAuthMountPath != "/root/.ssh" {
		t.Errorf("as user %d, keys at %s, other capabilities (-want +got):\n%s", *c.RunAsUser, job.Spec.SSHAuthMountPath, diff)
	}
	if job.Annotations[v1alpha1.AnnotationConfiguration] == plain.Annotations[v1alpha1.AnnotationConfiguration] {
		t.Error("another command has the same configuration")
	}
}

// TestNCCLSaysHowItGoes: on stderr, for a benchmark of GPUs, with or without a fabric.
func TestNCCLSaysHowItGoes(t *testing.T) {
	job := mpiJob(t, func(l *GroupLaunch) { l.Benchmark.Spec.Needs.DeviceResource = GPUResource })
	for _, name := range []string{"NCCL_DEBUG", "NCCL_DEBUG_SUBSYS", "NCCL_DEBUG_FILE"} {
		c := launcher(job).Containers[0]
		if all := append(slices.Clone(c.Command), c.Args...); !slices.Contains(all, name) {
			t.Errorf("mpirun does not pass %s on: %q", name, all)
		}
		if !slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == name }) {
			t.Errorf("the launcher lacks %s", name)
		}
	}
}

func TestCountOf(t *testing.T) {
	shared := rdmaNode("a")
	shared.Status.Allocatable["rdma/hca"] = resource.MustParse("1k")
	few := rdmaNode("b")
	few.Status.Allocatable["rdma/hca"] = resource.MustParse("2")
	for _, c := range []struct {
		count *int32
		nodes []*corev1.Node
		want  int64
	}{
		{nil, []*corev1.Node{rdmaNode("a", "rdma/hca"), few}, 2},
		{nil, []*corev1.Node{shared, few}, 1},
		{new(int32(4)), []*corev1.Node{few}, 4},
		{nil, []*corev1.Node{rdmaNode("none")}, 1},
	} {
		if got := countOf(&v1alpha1.Fabric{Resource: "rdma/hca", Count: c.count}, c.nodes); got != c.want {
			t.Errorf("%d, want %d", got, c.want)
		}
	}
}

func endsWith(all, end []string) bool {
	return len(all) >= len(end) && slices.Equal(all[len(all)-len(end):], end)
}

// TestFabricsAreToldApart by all that a profile may say, and not by what devices are there.
func TestFabricsAreToldApart(t *testing.T) {
	fabrics := map[string]*v1alpha1.Fabric{
		"the pod network": nil,
		"a resource":      {Resource: "rdma/hca"},
		"a count":         {Resource: "rdma/hca", Count: new(int32(4))},
		"the host":        {Resource: "rdma/hca", HostNetwork: true, Interface: "bond0"},
		"a network":       {Resource: "rdma/hca", Networks: "rail-0"},
		"an interface":    {Interface: "bond0"},
		"a GID":           {Resource: "rdma/hca", GIDIndex: new(int32(3))},
		"locked memory":   {Resource: "rdma/hca", LockMemoryAsRoot: true},
		"a variable":      {Env: []v1alpha1.FabricVar{{Name: "NCCL_IB_HCA", Value: "mlx5_0"}}},
		"another value":   {Env: []v1alpha1.FabricVar{{Name: "NCCL_IB_HCA", Value: "mlx5_1"}}},
		"a long resource": {Resource: strings.Repeat("a", 120) + "/b"},
	}
	names, configurations := map[string]string{}, map[string]string{}
	for sentence, f := range fabrics {
		name, configuration := FabricName(f), Over("0123456789abcdef", f)
		if other := names[name] + configurations[configuration]; other != "" || len(name) > 128 || len(configuration) > 64 {
			t.Errorf("%s has the name %q and the configuration %q, like %q", sentence, name, configuration, other)
		}
		names[name], configurations[configuration] = sentence, sentence
		if got := WithoutFabric(configuration); got != "0123456789abcdef" {
			t.Errorf("%s: without it the configuration is %q", sentence, got)
		}
	}
	if got := FabricName(fabrics["the host"]); !strings.HasPrefix(got, "rdma/hca, bond0, hostNetwork #") {
		t.Errorf("the name %q does not tell what it is", got)
	}
}

// TestTheJobSaysWhatItsFabricIs, so that nobody takes what it measures for another one's.
func TestTheJobSaysWhatItsFabricIs(t *testing.T) {
	made := func(f *v1alpha1.Fabric) string {
		return mpiJob(t, func(l *GroupLaunch) { l.Fabric = f }).Annotations[v1alpha1.AnnotationConfiguration]
	}
	f := &v1alpha1.Fabric{Resource: "rdma/hca"}
	if plain, over := made(nil), made(f); over != Over(plain, f) || over == plain {
		t.Errorf("made for %q over a fabric, and for %q without", over, plain)
	}
}
