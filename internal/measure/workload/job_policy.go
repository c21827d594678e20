package workload

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

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
