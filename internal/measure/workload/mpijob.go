package workload

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
)

// GroupLaunch is one attempt of one benchmark on one group of nodes.
type GroupLaunch struct {
	Run       *v1alpha1.ValidationRun
	Benchmark *v1alpha1.Benchmark
	// Argv of the launcher as Arguments returned it: mpirun and its program.
	Argv []string
	// Nodes of the group, in any order, and not TooLarge.
	Nodes []*corev1.Node
	// Quarantines of nodes by earlier runs, by name.
	Quarantines map[string]*v1alpha1.Quarantine
	Attempt     int32
	// Machines that the nodes are now, in the order of References: see nodevalidation.Seal.
	Machines string
	// Round of the tournament; 0 for none.
	Round int32
	// Fabric of the nodes; nil: the pod network.
	Fabric *v1alpha1.Fabric
}

// defaultWorkerCommand starts sshd without root; every bench image brings it.
var defaultWorkerCommand = []string{"/usr/local/bin/assay-sshd"}

const (
	// nodeNameVariable names the node to the program on it, whatever the host name of its pod is.
	nodeNameVariable = "ASSAY_NODE_NAME"
	sshPortName      = "ssh"
)

// JobName is the same for the same attempt on the same nodes, so that launching twice is harmless. It stays short enough
// for the MPI Operator to derive the names of 4,096 workers from it (63 characters), and starts with a letter as DNS labels must.
func JobName(runUID types.UID, benchmark string, nodes []v1alpha1.ObjectReference, attempt int32) string {
	text := fmt.Appendf(nil, "%s/%s/%d", runUID, benchmark, attempt)
	for _, n := range sorted(nodes) {
		text = fmt.Appendf(text, "/%s", n.UID)
	}
	return dnsPrefix("g-"+benchmark, 30) + "-" + hash(text)
}

func sorted(nodes []v1alpha1.ObjectReference) []v1alpha1.ObjectReference {
	return slices.SortedFunc(slices.Values(nodes), func(a, b v1alpha1.ObjectReference) int {
		return strings.Compare(a.Name, b.Name)
	})
}

// References of nodes, by name.
func References(nodes []*corev1.Node) []v1alpha1.ObjectReference {
	return sorted(list.Map(nodes, func(n *corev1.Node) v1alpha1.ObjectReference {
		return v1alpha1.ObjectReference{Name: n.Name, UID: n.UID}
	}))
}

// JobNodes reads the nodes of a group from an MPIJob's annotations.
func JobNodes(job metav1.Object) ([]v1alpha1.ObjectReference, error) {
	var nodes []v1alpha1.ObjectReference
	if err := json.Unmarshal([]byte(job.GetAnnotations()[v1alpha1.AnnotationNodes]), &nodes); err != nil {
		return nil, fmt.Errorf("reading annotation %s of MPIJob %s: %w", v1alpha1.AnnotationNodes, job.GetName(), err)
	}
	return nodes, nil
}

const (
	// maxGroupNodes is the largest group that is started. All workers of an MPIJob are made from one template, which names
	// every node of the group (the API takes one name for each term, and a label need not be unique): 1,024 pods of 67 KB
	// (names of 40 characters) are 69 MB in etcd for every version that it keeps of them; twice the nodes are four times that.
	maxGroupNodes = 1024
	// maxNodesAnnotation leaves some of the 262,144 bytes of annotations that the API takes to others.
	maxNodesAnnotation = 250_000
)

// TooLarge says why a group cannot be started; empty: it can.
func TooLarge(nodes []v1alpha1.ObjectReference) string {
	if len(nodes) > maxGroupNodes {
		return fmt.Sprintf("a group of %d nodes is larger than one MPIJob can be (%d): %s", len(nodes), maxGroupNodes, smallerGroup)
	}
	if b, err := json.Marshal(nodes); err == nil && len(b) > maxNodesAnnotation {
		return fmt.Sprintf("the names of the %d nodes of a group take %d bytes, and an MPIJob holds at most %d: %s", len(nodes), len(b),
			maxNodesAnnotation, smallerGroup)
	}
	return ""
}

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
	if b.Spec.Needs.DeviceResource == "" || l.unlike() { // a node that offers more than the least might take two, or one of another run
		spec.Affinity.PodAntiAffinity = apart()
	}
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

// JobPolicy lets the pods of one MPIJob talk to each other and ask the DNS for each other's names, and to nobody else: what
// runs in another job is another user's program.
func JobPolicy(run *v1alpha1.ValidationRun, job string, s Settings) *networkingv1.NetworkPolicy {
	each := metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.LabelJob: job}}
	peers := []networkingv1.NetworkPolicyPeer{{PodSelector: &each}}
	port := func(protocol corev1.Protocol) networkingv1.NetworkPolicyPort {
		return networkingv1.NetworkPolicyPort{Protocol: &protocol, Port: new(intstr.FromInt32(53))}
	}
	return &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: job, Namespace: s.Namespace, Labels: Labels(run), OwnerReferences: OwnedBy(run)},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: each,
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: peers}},
			Egress: []networkingv1.NetworkPolicyEgressRule{
				{To: peers},
				{Ports: []networkingv1.NetworkPolicyPort{port(corev1.ProtocolUDP), port(corev1.ProtocolTCP)}},
			},
		},
	}
}
