package workload

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Settings are those of the operator, the same for every pod.
type Settings struct {
	// Namespace of the benchmark pods.
	Namespace string
	// RunnerImage holds the static binary /runner.
	RunnerImage string
	// PriorityClass of the pods; empty for none.
	PriorityClass string
}

// Launch is one attempt of one benchmark on one node.
type Launch struct {
	Run       *v1alpha1.ValidationRun
	Benchmark *v1alpha1.Benchmark
	// Argv as Arguments returned it.
	Argv    []string
	Node    *corev1.Node
	Attempt int32
	// Machine that the node is now: see nodevalidation.Seal.
	Machine string
	// Quarantine of the node by an earlier run; nil for none.
	Quarantine *v1alpha1.Quarantine
}

const (
	runnerDir   = "/assay"
	runnerPath  = runnerDir + "/runner"
	programUser = int64(65532)
	// startAllowance is added to the program's time limit for the pod's own deadline: the time to pull images. It is the
	// last resort where no operator runs.
	startAllowance = 1800
	// ProgramContainer is the name of the container that measures.
	ProgramContainer = "benchmark"
	installContainer = "install-runner"
)

// PodName is the same for the same attempt, so that launching twice is harmless: it starts with the benchmark's name and
// ends in a hash of the run's UID, the node's UID, the benchmark and the attempt.
func PodName(runUID, nodeUID types.UID, benchmark string, attempt int32) string {
	return dnsPrefix(benchmark, 40) + "-" + hash(fmt.Appendf(nil, "%s/%s/%s/%d", runUID, nodeUID, benchmark, attempt))
}

// dnsPrefix is the beginning of an object's name as a part of a DNS label.
func dnsPrefix(name string, length int) string {
	name = strings.ReplaceAll(name, ".", "-")
	return strings.TrimRight(name[:min(len(name), length)], "-")
}

// Labels of all pods of a run.
func Labels(run *v1alpha1.ValidationRun) map[string]string {
	return map[string]string{
		v1alpha1.LabelManagedBy: v1alpha1.ManagedByValue,
		v1alpha1.LabelRunName:   run.Name,
		v1alpha1.LabelRunUID:    string(run.UID),
	}
}

// OwnedBy a run is what goes with it.
func OwnedBy(run *v1alpha1.ValidationRun) []metav1.OwnerReference {
	return []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("ValidationRun"))}
}

// Pod returns the pod of an attempt. It is bound to its node by affinity, so that the scheduler still guards the
// node's devices; it carries no service account token; the program gets just the privileges that the Benchmark names.
func Pod(l Launch, s Settings) *corev1.Pod {
	b := l.Benchmark
	labels := Labels(l.Run)
	labels[v1alpha1.LabelBenchmark] = b.Name
	annotations := undisturbed()
	annotations[v1alpha1.AnnotationNode] = l.Node.Name
	annotations[v1alpha1.AnnotationNodeUID] = string(l.Node.UID)
	annotations[v1alpha1.AnnotationAttempt] = strconv.Itoa(int(l.Attempt))
	annotations[v1alpha1.AnnotationConfiguration] = Configuration(b, l.Argv, b.Spec.Image)
	annotations[v1alpha1.AnnotationMachine] = l.Machine
	if devices := Devices(b, l.Node); IsGPU(b.Spec.Needs.DeviceResource) {
		annotations[v1alpha1.AnnotationGPUs] = devices.String()
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:            PodName(l.Run.UID, l.Node.UID, b.Name, l.Attempt),
			Namespace:       s.Namespace,
			Labels:          labels,
			OwnerReferences: OwnedBy(l.Run),
			Annotations:     annotations,
		},
		Spec: l.Claim().claiming(podSpec(l, s), b.Spec.Needs.DeviceResource),
	}
}

// undisturbed keeps an autoscaler from taking a node away while it is measured.
func undisturbed() map[string]string {
	return map[string]string{
		"karpenter.sh/do-not-disrupt":                    "true",
		"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
	}
}

func podSpec(l Launch, s Settings) corev1.PodSpec {
	spec := bareSpec(l.Benchmark, s)
	spec.RestartPolicy, spec.TerminationGracePeriodSeconds = corev1.RestartPolicyNever, new(int64(10))
	spec.Affinity, spec.Tolerations, spec.Volumes = affinity(l.Benchmark, l.Node), tolerations(l), volumes(l.Benchmark)
	spec.InitContainers, spec.Containers = []corev1.Container{install(s)}, []corev1.Container{program(l)}
	if spec.HostNetwork {
		spec.DNSPolicy = corev1.DNSClusterFirstWithHostNet
	}
	return spec
}

// bareSpec is what all pods of a benchmark have in common.
func bareSpec(b *v1alpha1.Benchmark, s Settings) corev1.PodSpec {
	return corev1.PodSpec{
		AutomountServiceAccountToken: new(false),
		EnableServiceLinks:           new(false),
		ActiveDeadlineSeconds:        new(int64(b.Spec.TimeoutSeconds) + startAllowance),
		HostNetwork:                  b.Spec.Privileges.HostNetwork,
		HostIPC:                      b.Spec.Privileges.HostIPC,
		PriorityClassName:            s.PriorityClass,
	}
}

// install puts the runner into the pod.
func install(s Settings) corev1.Container {
	return corev1.Container{
		Name:            installContainer,
		Image:           s.RunnerImage,
		Command:         []string{"/runner", "install", runnerPath},
		VolumeMounts:    []corev1.VolumeMount{{Name: "assay", MountPath: runnerDir}},
		SecurityContext: restricted(),
	}
}

// affinity binds the pod to one node, and keeps benchmark pods apart. It names the node by a field rather than by a label: Karpenter makes no
// node for a pod that asks for a field. A pod that requests all devices of its node needs no
// term of its own: the scheduler gives a device to one pod only, and the term of a pod without devices holds against it
// in both directions. Leaving it out matters at scale: the scheduler checks each such term against every new pod.
func affinity(b *v1alpha1.Benchmark, node *corev1.Node) *corev1.Affinity {
	a := &corev1.Affinity{NodeAffinity: onNodes([]*corev1.Node{node})}
	if b.Spec.Needs.DeviceResource == "" {
		a.PodAntiAffinity = apart()
	}
	return a
}

// onNodes is an affinity to any of some nodes: the API takes one name for each term, and any term will do. The label kubernetes.io/hostname would take all in one
// term, but it need not be the node's name, nor that of one node only.
func onNodes(nodes []*corev1.Node) *corev1.NodeAffinity {
	selector := &corev1.NodeSelector{}
	for _, n := range References(nodes) {
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, corev1.NodeSelectorTerm{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{n.Name}}},
		})
	}
	return &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: selector}
}

// MadeFor is the name of the one node that a pod may be placed on; empty: its affinity is not known, or names several.
func MadeFor(pod *corev1.Pod) string {
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	terms := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(terms) != 1 || len(terms[0].MatchFields) != 1 || len(terms[0].MatchFields[0].Values) != 1 {
		return ""
	}
	return terms[0].MatchFields[0].Values[0]
}

// apart keeps pods that measure off a node where another one does. A launcher only starts ranks and does not count.
func apart() *corev1.PodAntiAffinity {
	return &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		TopologyKey: corev1.LabelHostname,
		LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: v1alpha1.LabelBenchmark, Operator: metav1.LabelSelectorOpExists},
			{Key: v1alpha1.LabelJobRole, Operator: metav1.LabelSelectorOpNotIn, Values: []string{v1alpha1.JobRoleLauncher}},
		}},
	}}}
}

// Devices is how many devices of a benchmark's resource the node offers.
func Devices(b *v1alpha1.Benchmark, node *corev1.Node) resource.Quantity {
	return node.Status.Allocatable[corev1.ResourceName(b.Spec.Needs.DeviceResource)]
}

// LeastDevices is how many devices a benchmark needs at least; 0: it uses none.
func LeastDevices(b *v1alpha1.Benchmark) int64 {
	switch {
	case b.Spec.Needs.DeviceResource == "":
		return 0
	case b.Spec.Needs.MinDevices == nil:
		return 1
	}
	return int64(*b.Spec.Needs.MinDevices)
}
