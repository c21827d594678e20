// Package policy is the controller of ValidationPolicies: all Kubernetes I/O of a policy, and nothing else. One pass reads everything into
// one policy.Snapshot, has policy.Next decide, carries out the policy.Plan, and writes one patch of the policy's status.
package policy

// RBAC of the operator for policies, beside what it has for runs. The admission policy assay-runs keeps it from deleting the runs of people.
//
// +kubebuilder:rbac:groups=assay.dev,resources=validationpolicies,verbs=list;watch
// +kubebuilder:rbac:groups=assay.dev,resources=validationpolicies/status,verbs=patch
// +kubebuilder:rbac:groups=assay.dev,resources=validationpolicies/finalizers,verbs=update
// +kubebuilder:rbac:groups=assay.dev,resources=validationruns,verbs=create;delete
