package workload

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestNetworkPolicyOfAJob: the pods of one MPIJob reach each other and the DNS, and nobody else does or is reached.
func TestNetworkPolicyOfAJob(t *testing.T) {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "rack-7", UID: "run-uid"}}
	got := JobPolicy(run, "g-pairs-1", Settings{Namespace: "assay-benchmarks"})
	want := &networkingv1.NetworkPolicy{}
	if err := yaml.UnmarshalStrict([]byte(`
metadata:
  name: g-pairs-1
  namespace: assay-benchmarks
  labels: {app.kubernetes.io/managed-by: assay, assay.dev/run: rack-7, assay.dev/run-uid: run-uid}
  ownerReferences:
  - {apiVersion: assay.dev/v1alpha1, kind: ValidationRun, name: rack-7, uid: run-uid, controller: true, blockOwnerDeletion: true}
spec:
  podSelector: {matchLabels: {assay.dev/job: g-pairs-1}}
  policyTypes: [Ingress, Egress]
  ingress:
  - from: [{podSelector: {matchLabels: {assay.dev/job: g-pairs-1}}}]
  egress:
  - to: [{podSelector: {matchLabels: {assay.dev/job: g-pairs-1}}}]
  - ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]
`), want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("another policy (-want +got):\n%s", diff)
	}
}
