package message

import "time"

func init() {
	nodes := []string{"node-1", "node-2"}
	const level = "pod-security.kubernetes.io/enforce"
	samples = append(samples,
		sample{"DoctorNamespaces", DoctorNamespaces("assay-benchmarks", "assay-system")},
		sample{"DoctorNoNamespace", DoctorNoNamespace("assay-benchmarks")},
		sample{"DoctorNotPrivileged", DoctorNotPrivileged("assay-benchmarks", level, "restricted")},
		sample{"DoctorNotPrivileged", DoctorNotPrivileged("assay-benchmarks", level, "")},
		sample{"DoctorNotRestricted", DoctorNotRestricted("assay-system", level, "baseline")},
		sample{"DoctorAdmission", DoctorAdmission(6)},
		sample{"DoctorPoliciesMissing", DoctorPoliciesMissing([]string{"assay-nodes"})},
		sample{"DoctorPoliciesUnbound", DoctorPoliciesUnbound([]string{"assay-nodes", "assay-pins"})},
		sample{"DoctorPolicyWarns", DoctorPolicyWarns("assay-nodes", "undefined field 'spec'")},
		sample{"DoctorNoGroups", DoctorNoGroups()},
		sample{"DoctorNoMPIJobs", DoctorNoMPIJobs("mpijobs.kubeflow.org")},
		sample{"DoctorMPIOperator", DoctorMPIOperator("mpi-operator", 2*time.Second)},
		sample{"DoctorMPIOperatorStopped", DoctorMPIOperatorStopped("mpi-operator")},
		sample{"DoctorNoGPUs", DoctorNoGPUs(2)},
		sample{"DoctorDevices", DoctorDevices(2, "nvidia.com/gpu")},
		sample{"DoctorNoDevices", DoctorNoDevices(nodes, "nvidia.com/gpu")},
		sample{"DoctorLabels", DoctorLabels(2)},
		sample{"DoctorNoProduct", DoctorNoProduct(nodes, "nvidia.com/gpu.product")},
		sample{"DoctorProfiles", DoctorProfiles(1)},
		sample{"DoctorNoProfile", DoctorNoProfile("NVIDIA-H300", "node-1")},
		sample{"DoctorUntainted", DoctorUntainted(4)},
		sample{"DoctorTainted", DoctorTainted(nodes, "maintenance=true:NoExecute")},
		sample{"DoctorPulled", DoctorPulled(3, 94*time.Second)},
		sample{"DoctorNotPulled", DoctorNotPulled("registry.example/bench:1", "node-1", "ErrImagePull: not found")},
		sample{"DoctorPullTooSlow", DoctorPullTooSlow(5 * time.Minute)},
		sample{"DoctorNoPrometheusOperator", DoctorNoPrometheusOperator()},
		sample{"DoctorMonitored", DoctorMonitored("assay-system", "assay", "assay-metrics")},
		sample{"DoctorNotMonitored", DoctorNotMonitored("assay-system")},
		sample{"DoctorClockAgrees", DoctorClockAgrees(5 * time.Second)},
		sample{"DoctorNoServerTime", DoctorNoServerTime()},
		sample{"DoctorClock", DoctorClock(90 * time.Second)},
		sample{"DoctorClock", DoctorClock(-2 * time.Hour)},
		sample{"DoctorNodeClocks", DoctorNodeClocks(4)},
		sample{"DoctorNodesAhead", DoctorNodesAhead(nodes, 5*time.Second)},
		sample{"DoctorNodesBehind", DoctorNodesBehind(nodes[:1], 30*time.Second)},
	)
}
