// Long, because the expected MPIJob stands here in full.

package workload

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	mpivalidation "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/validation"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func gpuNode(name, gpus, cpu string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)}}
	n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse(gpus), "cpu": resource.MustParse(cpu)}
	return n
}

// groupLaunch is a pair of unequal nodes, in no order.
func groupLaunch(change ...func(*GroupLaunch)) GroupLaunch {
	one := launch()
	one.Benchmark.Name = "mpi-pairs"
	one.Benchmark.Spec.Scope = v1alpha1.ScopeGroup
	one.Benchmark.Spec.Group = &v1alpha1.Group{Size: intstr.FromInt32(2), SlotsPerWorker: intstr.FromInt32(1),
		SSHPort: 2222, SSHAuthMountPath: "/home/mpiuser/.ssh"}
	l := GroupLaunch{Run: one.Run, Benchmark: one.Benchmark, Argv: []string{"mpirun", "/bin/mpibench"}, Attempt: 1, Round: 3, Machines: "5ea15ea15ea25ea2",
		Nodes: []*corev1.Node{gpuNode("gpu-2", "4", "32"), gpuNode("gpu-1", "8", "64")}}
	for _, c := range change {
		c(&l)
	}
	return l
}

func mpiJob(t *testing.T, change ...func(*GroupLaunch)) *mpi.MPIJob {
	t.Helper()
	return MPIJob(groupLaunch(change...), settings)
}

func workers(j *mpi.MPIJob) *corev1.PodSpec {
	return &j.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeWorker].Template.Spec
}

func launcher(j *mpi.MPIJob) *corev1.PodSpec {
	return &j.Spec.MPIReplicaSpecs[mpi.MPIReplicaTypeLauncher].Template.Spec
}

// onePerTerm is an affinity to the nodes gpu-1 and gpu-2, as the API wants it: matchFields takes one name only.
func onePerTerm() *corev1.NodeAffinity {
	term := func(name string) corev1.NodeSelectorTerm {
		return corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{name}}}}
	}
	return &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{term("gpu-1"), term("gpu-2")}}}
}

func groupEnv(more ...corev1.EnvVar) []corev1.EnvVar {
	return append([]corev1.EnvVar{{Name: "HOME", Value: "/tmp"},
		{Name: "ASSAY_NODE_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}}}, more...)
}

// ordinaryPod is what launcher and workers have in common: no token, no privilege, on the nodes of the group only.
func ordinaryPod() corev1.PodSpec {
	return corev1.PodSpec{
		AutomountServiceAccountToken: new(false), EnableServiceLinks: new(false), TerminationGracePeriodSeconds: new(int64(5)),
		ActiveDeadlineSeconds: new(int64(60 + 1800)), PriorityClassName: "assay-benchmark",
		Affinity:    &corev1.Affinity{NodeAffinity: onePerTerm()},
		Tolerations: []corev1.Toleration{{Key: v1alpha1.DefaultTaintKey, Operator: corev1.TolerationOpExists}},
	}
}

// noOther pod that measures may be where this one is.
func noOther() *corev1.PodAntiAffinity {
	return &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		TopologyKey: "kubernetes.io/hostname", LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "assay.dev/benchmark", Operator: metav1.LabelSelectorOpExists},
			{Key: "assay.dev/job-role", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"launcher"}}}}}}}
}

func TestWorkersAreOrdinaryUnlessAsked(t *testing.T) {
	want := ordinaryPod()
	want.Affinity.PodAntiAffinity = noOther()
	want.Containers = []corev1.Container{{
		Name: "benchmark", Image: "registry.example/hbm@sha256:1", Command: []string{"/usr/local/bin/assay-sshd"}, Env: groupEnv(), WorkingDir: "/tmp",
		SecurityContext: restrictedContext(), Ports: []corev1.ContainerPort{{Name: "ssh", ContainerPort: 2222}},
		ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(2222)}},
			PeriodSeconds: 1, FailureThreshold: 60},
		VolumeMounts: []corev1.VolumeMount{{Name: "tmp", MountPath: "/tmp"}},
	}}
	want.Volumes = []corev1.Volume{{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: new(resource.MustParse("10Gi"))}}}}
	if diff := cmp.Diff(want, *workers(mpiJob(t))); diff != "" {
		t.Errorf("other workers (-want +got):\n%s", diff)
	}
}

func TestLauncherIsOrdinaryUnlessAsked(t *testing.T) {
	want := ordinaryPod()
	one := Pod(launch(), settings).Spec
	want.InitContainers, want.Volumes = one.InitContainers, one.Volumes
	c := one.Containers[0]
	c.Args, c.Env = []string{"--", "mpirun", "/bin/mpibench"}, groupEnv()
	want.Containers = []corev1.Container{c}
	if diff := cmp.Diff(want, *launcher(mpiJob(t))); diff != "" {
		t.Errorf("another launcher (-want +got):\n%s", diff)
	}
}

// TestJobPolicy: Assay decides about retries and cleans up, the launcher waits for its workers, and the labels and
// annotations tell the run, the nodes and the attempt.
func TestJobPolicy(t *testing.T) {
	job := mpiJob(t)
	wantPolicy := mpi.RunPolicy{CleanPodPolicy: new(mpi.CleanPodPolicyAll), BackoffLimit: new(int32(0)), ActiveDeadlineSeconds: new(int64(60 + 1800))}
	if diff := cmp.Diff(wantPolicy, job.Spec.RunPolicy); diff != "" {
		t.Errorf("another policy (-want +got):\n%s", diff)
	}
	if job.Spec.LauncherCreationPolicy != mpi.LauncherCreationPolicyWaitForWorkersReady || job.Spec.SSHAuthMountPath != "/home/mpiuser/.ssh" {
		t.Errorf("the launcher is made %s, with its keys in %s", job.Spec.LauncherCreationPolicy, job.Spec.SSHAuthMountPath)
	}
	labels := map[string]string{"app.kubernetes.io/managed-by": "assay", "assay.dev/run": "rack-7", "assay.dev/run-uid": "run-uid",
		"assay.dev/benchmark": "mpi-pairs", "assay.dev/job": job.Name}
	meta := metav1.ObjectMeta{Name: job.Name, Namespace: "assay-benchmarks", Labels: labels,
		Annotations: map[string]string{"assay.dev/nodes": `[{"name":"gpu-1","uid":"uid-gpu-1"},{"name":"gpu-2","uid":"uid-gpu-2"}]`,
			"assay.dev/attempt": "1", "assay.dev/round": "3", "assay.dev/machine": "5ea15ea15ea25ea2", "assay.dev/configuration": Configuration(groupLaunch().Benchmark, groupLaunch().Argv, groupLaunch().Benchmark.Spec.Image)},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "assay.dev/v1alpha1", Kind: "ValidationRun", Name: "rack-7", UID: "run-uid",
			Controller: new(true), BlockOwnerDeletion: new(true)}},
	}
	if diff := cmp.Diff(meta, job.ObjectMeta); diff != "" {
		t.Errorf("other metadata (-want +got):\n%s", diff)
	}
	for role, want := range map[mpi.MPIReplicaType]struct {
		label    string
		replicas int32
	}{mpi.MPIReplicaTypeLauncher: {"launcher", 1}, mpi.MPIReplicaTypeWorker: {"worker", 2}} {
		got := job.Spec.MPIReplicaSpecs[role]
		if *got.Replicas != want.replicas || got.RestartPolicy != mpi.RestartPolicyNever {
			t.Errorf("%s: %d pods, restarted %s", role, *got.Replicas, got.RestartPolicy)
		}
		template := metav1.ObjectMeta{Labels: map[string]string{"assay.dev/job-role": want.label}, Annotations: map[string]string{
			"karpenter.sh/do-not-disrupt": "true", "cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}}
		for k, v := range labels {
			template.Labels[k] = v
		}
		if diff := cmp.Diff(template, got.Template.ObjectMeta); diff != "" {
			t.Errorf("%s: other metadata (-want +got):\n%s", role, diff)
		}
	}
}

// TestJobPrivileges: each privilege of the Benchmark changes just one thing of the workers; the launcher gets the network
// of the workers and their user, and nothing else.
func TestJobPrivileges(t *testing.T) {
	root := func(s *corev1.PodSpec) {
		c := s.Containers[0].SecurityContext
		c.RunAsNonRoot, c.RunAsUser, c.RunAsGroup = new(false), new(int64(0)), new(int64(0))
	}
	same := func(*corev1.PodSpec) {}
	hostNetwork := func(s *corev1.PodSpec) { s.HostNetwork = true }
	cases := map[string]struct {
		privileges       v1alpha1.Privileges
		worker, launcher func(*corev1.PodSpec)
	}{
		"privileged": {v1alpha1.Privileges{Privileged: true}, func(s *corev1.PodSpec) {
			s.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: new(true), RunAsUser: new(int64(0))}
		}, root},
		"capabilities": {v1alpha1.Privileges{Capabilities: []string{"IPC_LOCK", "SYS_NICE"}}, func(s *corev1.PodSpec) {
			s.Containers[0].SecurityContext.Capabilities.Add = []corev1.Capability{"IPC_LOCK", "SYS_NICE"}
		}, same},
		"host network": {v1alpha1.Privileges{HostNetwork: true}, hostNetwork, hostNetwork},
		"folders of the node": {v1alpha1.Privileges{HostPaths: []string{"/mnt/scratch"}}, func(s *corev1.PodSpec) {
			s.Volumes = append(s.Volumes, hostFolder("/mnt/scratch"))
			s.Containers[0].VolumeMounts = append(s.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "host-0", MountPath: "/mnt/scratch"})
		}, same},
		"host IPC": {v1alpha1.Privileges{HostIPC: true}, func(s *corev1.PodSpec) { s.HostIPC = true }, same},
		"root":     {v1alpha1.Privileges{RunAsRoot: true}, root, root},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			want := mpiJob(t)
			c.worker(workers(want))
			c.launcher(launcher(want))
			got := mpiJob(t, func(l *GroupLaunch) { l.Benchmark.Spec.Privileges = c.privileges })
			if diff := cmp.Diff(*workers(want), *workers(got)); diff != "" {
				t.Errorf("other workers (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(*launcher(want), *launcher(got)); diff != "" {
				t.Errorf("another launcher (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWorkersHoldTheDevices: all workers are alike, so that each asks for what the node with the fewest devices has. Two of them, or one of another
// run, would fit on a node with twice as many, or on one that gets devices back, so that they are kept apart.
func TestWorkersHoldTheDevices(t *testing.T) {
	job := mpiJob(t, func(l *GroupLaunch) {
		l.Benchmark.Spec.Needs = v1alpha1.Needs{DeviceResource: "nvidia.com/gpu", Requests: corev1.ResourceList{"cpu": resource.MustParse("4")}}
	})
	want := corev1.ResourceRequirements{
		Requests: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("4"), "cpu": resource.MustParse("4")},
		Limits:   corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("4")}}
	if diff := cmp.Diff(want, workers(job).Containers[0].Resources); diff != "" {
		t.Errorf("a worker has other resources (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(corev1.ResourceRequirements{}, launcher(job).Containers[0].Resources); diff != "" {
		t.Errorf("the launcher takes resources from the workers:\n%s", diff)
	}
	if diff := cmp.Diff(&corev1.Affinity{NodeAffinity: onePerTerm(), PodAntiAffinity: noOther()}, workers(job).Affinity); diff != "" {
		t.Errorf("another affinity (-want +got):\n%s", diff)
	}
}

func TestWorkersFitOnTheNodeThatOffersLeast(t *testing.T) {
	for _, nodes := range [][]*corev1.Node{
		{gpuNode("gpu-1", "8", "64"), gpuNode("gpu-2", "4", "64")},
		{gpuNode("gpu-1", "4", "64"), gpuNode("gpu-2", "8", "64")},
	} {
		job := mpiJob(t, func(l *GroupLaunch) {
			l.Benchmark.Spec.Needs = v1alpha1.Needs{DeviceResource: "nvidia.com/gpu"}
			l.Nodes = nodes
		})
		if got := workers(job).Containers[0].Resources.Limits["nvidia.com/gpu"]; got.Value() != 4 {
			t.Errorf("each worker asks for %s GPUs, the least node has 4", got.String())
		}
	}
}

func TestReferencesAreByName(t *testing.T) {
	nodes := []*corev1.Node{gpuNode("gpu-3", "8", "64"), gpuNode("gpu-1", "8", "64"), gpuNode("gpu-2", "8", "64")}
	var got []string
	for _, r := range References(nodes) {
		got = append(got, r.Name)
	}
	if diff := cmp.Diff([]string{"gpu-1", "gpu-2", "gpu-3"}, got); diff != "" {
		t.Errorf("another order (-want +got):\n%s", diff)
	}
}

// TestFabricNeeds: what an RDMA fabric asks for reaches the workers, which move the data.
func TestFabricNeeds(t *testing.T) {
	size := resource.MustParse("2Gi")
	job := mpiJob(t, func(l *GroupLaunch) {
		l.Benchmark.Spec.Needs = v1alpha1.Needs{SharedMemory: &size, Limits: corev1.ResourceList{"rdma/hca": resource.MustParse("1")}}
		l.Benchmark.Spec.Privileges = v1alpha1.Privileges{HostNetwork: true, Capabilities: []string{"IPC_LOCK"}}
		l.Benchmark.Spec.Env = []v1alpha1.EnvVar{{Name: "NCCL_IB_HCA", Value: "mlx5"}, {Name: "UCX_TLS", Value: "rc$(X)"}}
		l.Benchmark.Spec.Group.SSHPort = 2022
		l.Benchmark.Spec.Group.WorkerCommand = []string{"/usr/sbin/sshd", "-o", "Port=$(PORT)"}
	})
	spec := workers(job)
	c := spec.Containers[0]
	if !spec.HostNetwork || !slices.Equal(c.SecurityContext.Capabilities.Add, []corev1.Capability{"IPC_LOCK"}) {
		t.Errorf("host network %v, capabilities %v", spec.HostNetwork, c.SecurityContext.Capabilities.Add)
	}
	if diff := cmp.Diff(corev1.ResourceList{"rdma/hca": resource.MustParse("1")}, c.Resources.Limits); diff != "" {
		t.Errorf("other limits (-want +got):\n%s", diff)
	}
	wantEnv := groupEnv(corev1.EnvVar{Name: "NCCL_IB_HCA", Value: "mlx5"}, corev1.EnvVar{Name: "UCX_TLS", Value: "rc$$(X)"})
	if diff := cmp.Diff(wantEnv, c.Env); diff != "" {
		t.Errorf("another environment (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/usr/sbin/sshd", "-o", "Port=$$(PORT)"}, c.Command); diff != "" {
		t.Errorf("another command (-want +got):\n%s", diff)
	}
	if c.Ports[0].ContainerPort != 2022 || c.ReadinessProbe.TCPSocket.Port.IntVal != 2022 {
		t.Errorf("the worker listens at %d, and is ready by %s", c.Ports[0].ContainerPort, c.ReadinessProbe.TCPSocket.Port.String())
	}
	wantMount := corev1.VolumeMount{Name: "shm", MountPath: "/dev/shm"}
	wantVolume := corev1.Volume{Name: "shm", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{
		Medium: corev1.StorageMediumMemory, SizeLimit: &size}}}
	if !cmp.Equal(wantMount, c.VolumeMounts[len(c.VolumeMounts)-1]) || !cmp.Equal(wantVolume, spec.Volumes[len(spec.Volumes)-1]) {
		t.Errorf("shared memory is missing: %v, %v", c.VolumeMounts, spec.Volumes)
	}
	if l := launcher(job).Containers[0]; !cmp.Equal(wantEnv, l.Env) || len(l.Resources.Limits) > 0 {
		t.Errorf("the launcher has environment %v and limits %v", l.Env, l.Resources.Limits)
	}
}

func TestSlots(t *testing.T) {
	devices := func(l *GroupLaunch) { l.Benchmark.Spec.Needs.DeviceResource = "nvidia.com/gpu" }
	cases := map[string]struct {
		slots  intstr.IntOrString
		change func(*GroupLaunch)
		want   int32
	}{
		"a number is taken as it is":                     {intstr.FromInt32(6), devices, 6},
		"unset is one":                                   {intstr.IntOrString{}, devices, 1},
		"devices of the node that has fewest":            {intstr.FromString("Devices"), devices, 4},
		"cores of the node that has fewest":              {intstr.FromString("Cores"), devices, 32},
		"a node that offers none still gets a rank":      {intstr.FromString("Devices"), func(l *GroupLaunch) { l.Benchmark.Spec.Needs.DeviceResource = "rdma/hca" }, 1},
		"no more ranks than a number may say":            {intstr.FromString("Cores"), func(l *GroupLaunch) { l.Nodes = []*corev1.Node{gpuNode("a", "0", "4096"), gpuNode("b", "0", "4096")} }, 1024},
		"a core of which the kubelet keeps a bit counts": {intstr.FromString("Cores"), func(l *GroupLaunch) { l.Nodes[0] = gpuNode("gpu-2", "4", "3920m") }, 4},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			job := mpiJob(t, func(l *GroupLaunch) { l.Benchmark.Spec.Group.SlotsPerWorker = c.slots }, c.change)
			if got := *job.Spec.SlotsPerWorker; got != c.want {
				t.Errorf("%d slots, want %d", got, c.want)
			}
		})
	}
}

// TestJobTolerations: any pod of the job may come to any node of the group, so that it tolerates the taints of all.
func TestJobTolerations(t *testing.T) {
	taint := func(n *corev1.Node, keys ...string) {
		for _, k := range keys {
			n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: k, Effect: corev1.TaintEffectNoSchedule})
		}
	}
	job := mpiJob(t, func(l *GroupLaunch) {
		taint(l.Nodes[0], "nvidia.com/gpu", "team", "node.kubernetes.io/unschedulable")
		taint(l.Nodes[1], "nvidia.com/gpu", "spare")
		for _, key := range []string{"quarantine", "drain"} {
			l.Nodes[1].Spec.Taints = append(l.Nodes[1].Spec.Taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
		}
		l.Quarantines = map[string]*v1alpha1.Quarantine{l.Nodes[1].Name: {Key: "quarantine", Effect: corev1.TaintEffectNoExecute}}
	})
	noSchedule := func(key string) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}
	}
	want := []corev1.Toleration{{Key: v1alpha1.DefaultTaintKey, Operator: corev1.TolerationOpExists}, noSchedule("nvidia.com/gpu"), noSchedule("team"), noSchedule("spare"),
		{Key: "quarantine", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}}
	for role, spec := range map[string]*corev1.PodSpec{"workers": workers(job), "launcher": launcher(job)} {
		if diff := cmp.Diff(want, spec.Tolerations); diff != "" {
			t.Errorf("%s: other tolerations (-want +got):\n%s", role, diff)
		}
	}
}

func TestJobName(t *testing.T) {
	nodes := func(names ...string) (out []v1alpha1.ObjectReference) {
		for _, n := range names {
			out = append(out, v1alpha1.ObjectReference{Name: n, UID: types.UID("uid-" + n)})
		}
		return out
	}
	base := JobName("run", "pairs", nodes("a", "b"), 1)
	if again := JobName("run", "pairs", nodes("b", "a"), 1); again != base {
		t.Errorf("the name depends on the order of the nodes: %s and %s", base, again)
	}
	recreated := nodes("a", "b")
	recreated[1].UID = "another"
	for sentence, name := range map[string]string{
		"another run":                JobName("run2", "pairs", nodes("a", "b"), 1),
		"another benchmark":          JobName("run", "pairs2", nodes("a", "b"), 1),
		"another attempt":            JobName("run", "pairs", nodes("a", "b"), 2),
		"other nodes":                JobName("run", "pairs", nodes("a", "c"), 1),
		"one node more":              JobName("run", "pairs", nodes("a", "b", "c"), 1),
		"a node that is another now": JobName("run", "pairs", recreated, 1),
	} {
		if name == base {
			t.Errorf("%s has the same name %s", sentence, name)
		}
	}
	for _, benchmark := range []string{"p", "9to5", "mpi.pairs.v2", strings.Repeat("n", 40), strings.Repeat("n", 27) + "-" + strings.Repeat("n", 12), strings.Repeat("a.", 19) + "b"} {
		name := JobName("run", benchmark, nodes("a", "b"), 8)
		if len(name) > 47 {
			t.Errorf("%s has %d characters: the name of its worker 4095 would be too long", name, len(name))
		}
		if problems := validation.IsDNS1035Label(name + "-worker-4095"); len(problems) > 0 {
			t.Errorf("%s is no name for an MPIJob: %v", name, problems)
		}
	}
}

// TestJobsPassTheMPIOperator's own check, which it would complain about in an event only.
func TestJobsPassTheMPIOperator(t *testing.T) {
	cases := map[string]func(*GroupLaunch){
		"an ordinary pair": func(*GroupLaunch) {},
		"a benchmark whose name starts with a digit and has dots": func(l *GroupLaunch) { l.Benchmark.Name = "2.nodes.mpi" },
		"4,096 nodes and a benchmark with a long name": func(l *GroupLaunch) {
			l.Benchmark.Name, l.Nodes = strings.Repeat("n", 40), nil
			for i := range 4096 {
				l.Nodes = append(l.Nodes, gpuNode(fmt.Sprintf("gpu-%04d.cluster.example", i), "8", "64"))
			}
		},
		"everything that a Benchmark may ask for": func(l *GroupLaunch) {
			l.Benchmark.Spec.Needs.DeviceResource = "nvidia.com/gpu"
			l.Benchmark.Spec.Group.SlotsPerWorker = intstr.FromString("Devices")
			l.Benchmark.Spec.Privileges = v1alpha1.Privileges{Privileged: true, HostNetwork: true, HostIPC: true}
		},
	}
	for sentence, change := range cases {
		t.Run(sentence, func(t *testing.T) {
			if problems := mpivalidation.ValidateMPIJob(mpiJob(t, change)); len(problems) > 0 {
				t.Errorf("the MPI Operator would not take it: %v", problems.ToAggregate())
			}
		})
	}
}

// TestTooLarge: what is not too large is a size that the API takes, whatever the names of the nodes.
func TestTooLarge(t *testing.T) {
	cases := map[string]struct {
		nodes, name int
		want        string
	}{
		"a pair":                        {2, 253, ""},
		"the largest group":             {maxGroupNodes, 40, ""},
		"the largest group, long names": {maxGroupNodes, 180, ""},
		"the longest names, as many as there can be": {750, 253, ""},
		"one node more":                        {maxGroupNodes + 1, 10, "a group of 1025 nodes is larger than one MPIJob can be (1024): set group.size"},
		"the largest group, the longest names": {maxGroupNodes, 253, "the names of the 1024 nodes of a group take 317441 bytes, and an MPIJob holds at most 250000: set group.size"},
		"the largest fleet":                    {4096, 20, "a group of 4096 nodes is larger"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			job := mpiJob(t, func(l *GroupLaunch) {
				l.Nodes = nil
				for i := range c.nodes {
					n := gpuNode(fmt.Sprintf("%0*d", c.name, i), "8", "64")
					n.UID = "01234567-89ab-cdef-0123-456789abcdef"
					l.Nodes = append(l.Nodes, n)
				}
			})
			nodes, err := JobNodes(job)
			if err != nil {
				t.Fatal(err)
			}
			got := TooLarge(nodes)
			if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
				t.Errorf("it is too large by %q, want %q", got, c.want)
			}
			if got != "" {
				return
			}
			annotations := 0
			for k, v := range job.Annotations {
				annotations += len(k) + len(v)
			}
			if annotations > 262_144 {
				t.Errorf("%d bytes of annotations: the API takes 262144", annotations)
			}
			if b, err := json.Marshal(job); err != nil || len(b) > 1_200_000 {
				t.Errorf("%d bytes: etcd takes 1.5 MiB together with what the API server adds (error %v)", len(b), err)
			}
			pods := corev1.Pod{Spec: *workers(job)}
			if each, all := pods.Size(), pods.Size()*c.nodes; c.name <= 40 && all > 70_000_000 {
				t.Errorf("the pods take %d bytes, %d each", all, each)
			}
		})
	}
}

func TestJobNodes(t *testing.T) {
	got, err := JobNodes(mpiJob(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []v1alpha1.ObjectReference{{Name: "gpu-1", UID: "uid-gpu-1"}, {Name: "gpu-2", UID: "uid-gpu-2"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("other nodes than it was made for (-want +got):\n%s", diff)
	}
	for sentence, damage := range map[string]func(*mpi.MPIJob){
		"no annotation":              func(j *mpi.MPIJob) { j.Annotations = nil },
		"an annotation cut short":    func(j *mpi.MPIJob) { j.Annotations["assay.dev/nodes"] = `[{"name":"gpu-1"` },
		"an annotation of something": func(j *mpi.MPIJob) { j.Annotations["assay.dev/nodes"] = `{"name":"gpu-1"}` },
	} {
		t.Run(sentence, func(t *testing.T) {
			job := mpiJob(t)
			damage(job)
			got, err := JobNodes(job)
			if want := "reading annotation assay.dev/nodes of MPIJob " + job.Name; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("read as %v with error %v, want %q", got, err, want)
			}
		})
	}
}

// TestMakingAJobChangesNothing: run, benchmark and nodes come from a cache that others read.
func TestMakingAJobChangesNothing(t *testing.T) {
	l := groupLaunch(func(l *GroupLaunch) { l.Benchmark.Spec.Needs.DeviceResource = "nvidia.com/gpu" })
	run, benchmark, first := l.Run.DeepCopy(), l.Benchmark.DeepCopy(), l.Nodes[0].DeepCopy()
	_ = MPIJob(l, settings)
	for _, diff := range []string{cmp.Diff(run, l.Run), cmp.Diff(benchmark, l.Benchmark), cmp.Diff(first, l.Nodes[0])} {
		if diff != "" {
			t.Errorf("changed:\n%s", diff)
		}
	}
}
