package workload

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// MPIJob returns the job of an attempt: one worker on each node, kept apart by the scheduler, and a launcher on one of
// them, which starts once every worker listens. Its pods carry no service account token and just the privileges that the
// Benchmark names; the launcher, which only starts the ranks, has none but the network of the workers.
func MPIJob(l GroupLaunch, s Settings) *mpi.MPIJob {
	configuration := Over(Configuration(l.Benchmark, l.Argv, l.Benchmark.Spec.Image), l.Fabric)
	l = l.overFabric()
	b, references := l.Benchmark, References(l.Nodes)
	nodes, _ := json.Marshal(references) // texts always can be
	name := JobName(l.Run.UID, b.Name, references, l.Attempt)
	labels := Labels(l.Run)
	labels[v1alpha1.LabelBenchmark] = b.Name
	labels[v1alpha1.LabelJob] = name
	return &mpi.MPIJob{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: s.Namespace, Labels: labels, OwnerReferences: OwnedBy(l.Run),
			Annotations: map[string]string{
				v1alpha1.AnnotationNodes:         string(nodes),
				v1alpha1.AnnotationAttempt:       strconv.Itoa(int(l.Attempt)),
				v1alpha1.AnnotationRound:         strconv.Itoa(int(l.Round)),
				v1alpha1.AnnotationConfiguration: configuration,
				v1alpha1.AnnotationMachine:       l.Machines,
			},
		},
		Spec: mpi.MPIJobSpec{
			SlotsPerWorker:         new(slots(b, l.Nodes)),
			SSHAuthMountPath:       b.Spec.Group.SSHAuthMountPath,
			MPIImplementation:      mpi.MPIImplementationOpenMPI,
			LauncherCreationPolicy: mpi.LauncherCreationPolicyWaitForWorkersReady,
			RunPolicy: mpi.RunPolicy{
				CleanPodPolicy:        new(mpi.CleanPodPolicyAll),
				BackoffLimit:          new(int32(0)), // a retry is Assay's to decide
				ActiveDeadlineSeconds: new(int64(b.Spec.TimeoutSeconds) + startAllowance),
			},
			MPIReplicaSpecs: map[mpi.MPIReplicaType]*mpi.ReplicaSpec{
				mpi.MPIReplicaTypeLauncher: l.replicas(1, labels, v1alpha1.JobRoleLauncher, l.launcher(s)),
				mpi.MPIReplicaTypeWorker:   l.replicas(int32(len(l.Nodes)), labels, v1alpha1.JobRoleWorker, l.worker(s)),
			},
		},
	}
}

func (l GroupLaunch) replicas(n int32, labels map[string]string, role string, spec corev1.PodSpec) *mpi.ReplicaSpec {
	own := maps.Clone(labels)
	own[v1alpha1.LabelJobRole] = role
	annotations := undisturbed()
	if l.Fabric != nil && l.Fabric.Networks != "" {
		annotations[networksAnnotation] = l.Fabric.Networks
	}
	return &mpi.ReplicaSpec{
		Replicas:      new(n),
		RestartPolicy: mpi.RestartPolicyNever,
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: own, Annotations: annotations},
			Spec:       spec,
		},
	}
}

// slots is the number of MPI ranks on each node: that of the node which offers least.
func slots(b *v1alpha1.Benchmark, nodes []*corev1.Node) int32 {
	if v := b.Spec.Group.SlotsPerWorker; v.Type == intstr.Int {
		return max(1, v.IntVal)
	}
	least := int64(1024)
	for _, n := range nodes {
		offers := Devices(b, n)
		if b.Spec.Group.SlotsPerWorker.StrVal == v1alpha1.SlotsCores {
			offers = n.Status.Allocatable[corev1.ResourceCPU]
		}
		least = min(least, offers.Value())
	}
	return int32(max(1, least))
}

// worker is the pod of one node: it holds the node's devices and waits for the ranks that the launcher starts in it.
func (l GroupLaunch) worker(s Settings) corev1.PodSpec {
	b := l.Benchmark
	spec := l.pod(s)
	command := b.Spec.Group.WorkerCommand
	if len(command) == 0 {
		command = defaultWorkerCommand
	}
	port := b.Spec.Group.SSHPort
	c := bareContainer(b, l.leastNode())
	c.Command, c.Env = escape(command), l.environment()
	c.Ports = []corev1.ContainerPort{{Name: sshPortName, ContainerPort: port}}
	c.ReadinessProbe = &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(port)}},
		PeriodSeconds: 1, FailureThreshold: 60,
	}
	spec.Containers = []corev1.Container{c}
	spec.Volumes = slices.DeleteFunc(volumes(b), func(v corev1.Volume) bool { return v.Name == "assay" })
	spec.Affinity.PodAntiAffinity = apart() // a node that offers more than the least, or gets a device back, might take two, or one of another run
	return l.Claim().claiming(spec, b.Spec.Needs.DeviceResource)
}

// launcher is the pod that runs mpirun under the runner, which parses its output. It takes no device.
func (l GroupLaunch) launcher(s Settings) corev1.PodSpec {
	spec := l.pod(s)
	spec.HostIPC = false
	spec.InitContainers = []corev1.Container{install(s)}
	b := *l.Benchmark
	b.Spec.Privileges.HostPaths = nil
	c := program(Launch{Run: l.Run, Benchmark: &b, Argv: l.Argv, Node: &corev1.Node{}, Attempt: l.Attempt})
	c.Env = l.environment()
	c.Resources = corev1.ResourceRequirements{}
	c.SecurityContext = restricted()
	if p := l.Benchmark.Spec.Privileges; p.RunAsRoot || p.Privileged { // SSH takes its user along
		c.SecurityContext.RunAsNonRoot, c.SecurityContext.RunAsUser, c.SecurityContext.RunAsGroup = new(false), new(int64(0)), new(int64(0))
	}
	spec.Containers = []corev1.Container{c}
	spec.Volumes = volumes(&b)
	return spec
}

func (l GroupLaunch) environment() []corev1.EnvVar {
	node := &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"}}
	return environment(l.Benchmark, corev1.EnvVar{Name: nodeNameVariable, ValueFrom: node})
}

// pod is what launcher and workers have in common.
func (l GroupLaunch) pod(s Settings) corev1.PodSpec {
	spec := bareSpec(l.Benchmark, s)
	spec.TerminationGracePeriodSeconds, spec.Affinity = new(int64(5)), &corev1.Affinity{NodeAffinity: onNodes(l.Nodes)}
	for _, n := range l.Nodes {
		for _, t := range tolerations(Launch{Run: l.Run, Node: n, Quarantine: l.Quarantines[n.Name]}) {
			if !slices.ContainsFunc(spec.Tolerations, func(o corev1.Toleration) bool { return o == t }) {
				spec.Tolerations = append(spec.Tolerations, t)
			}
		}
	}
	return spec
}
