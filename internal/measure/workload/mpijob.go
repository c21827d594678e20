package workload

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
