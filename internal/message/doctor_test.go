package message

import (
	"errors"
	"time"
)

func init() {
	samples = append(samples,
		sample{"DoctorUnlocated", DoctorUnlocated()},
		sample{"DoctorUnread", DoctorUnread("nodes", DoctorForbidden())},
		sample{"DoctorForbidden", DoctorForbidden()},
		sample{"DoctorKinds", DoctorKinds(6)},
		sample{"DoctorKindsMissing", DoctorKindsMissing([]string{"benchmarks.assay.dev"}, 6)},
		sample{"DoctorNoKind", DoctorNoKind()},
		sample{"DoctorVersionNotServed", DoctorVersionNotServed("benchmarks.assay.dev", "v1alpha1")},
		sample{"DoctorNotEstablished", DoctorNotEstablished("benchmarks.assay.dev")},
		sample{"DoctorStoredVersions", DoctorStoredVersions("benchmarks.assay.dev", []string{"v1alpha1", "v1alpha0"}, "v1alpha1")},
		sample{"DoctorOtherSchema", DoctorOtherSchema("benchmarks.assay.dev")},
		sample{"DoctorOperator", DoctorOperator("assay-system", "assay-manager", 1)},
		sample{"DoctorNoOperator", DoctorNoOperator()},
		sample{"DoctorScaledToZero", DoctorScaledToZero("assay-system", "assay-manager")},
		sample{"DoctorNotAvailable", DoctorNotAvailable("assay-system", "assay-manager")},
		sample{"DoctorVersions", DoctorVersions("v0.2.0", "v0.2.1")},
		sample{"DoctorVersionsUnknown", DoctorVersionsUnknown("unknown", "dev")},
		sample{"DoctorVersionSkew", DoctorVersionSkew("v0.2.0", "v0.3.0")},
		sample{"DoctorLeader", DoctorLeader("assay-manager-1", 4*time.Second)},
		sample{"DoctorNoLeader", DoctorNoLeader("assay-system", "manager.assay.dev")},
		sample{"DoctorStaleLease", DoctorStaleLease("assay-system", "manager.assay.dev", "assay-manager-1", 3*time.Minute)},
		sample{"DoctorOperatorRights", DoctorOperatorRights(38)},
		sample{"DoctorOperatorLacks", DoctorOperatorLacks([]string{"create pods", "delete pods"}, "assay-benchmarks")},
		sample{"DoctorOperatorLacks", DoctorOperatorLacks([]string{"update nodes"}, "")},
		sample{"DoctorUserRights", DoctorUserRights(7)},
		sample{"DoctorUserLacks", DoctorUserLacks([]string{"create validationruns.assay.dev"}, "")},
		sample{"DoctorImagesToProvide", DoctorImagesToProvide([]string{"fluent", "namd"})},
		sample{"DoctorCatalogue", DoctorCatalogue(22, 18)},
		sample{"DoctorNoBenchmarks", DoctorNoBenchmarks()},
		sample{"DoctorRuns", DoctorRuns(0)},
		sample{"DoctorRuns", DoctorRuns(1)},
		sample{"DoctorUnseen", DoctorUnseen("run", "rack-7", 5*time.Minute)},
		sample{"DoctorRunStalled", DoctorRunStalled("rack-7", "benchmark \"strem\" does not exist")},
		sample{"DoctorRunRefused", DoctorRunRefused("rack-7", "exceeded quota")},
		sample{"DoctorPolicies", DoctorPolicies(0)},
		sample{"DoctorPolicies", DoctorPolicies(3)},
		sample{"DoctorPolicySuspended", DoctorPolicySuspended("gpus")},
		sample{"DoctorPolicyNotReady", DoctorPolicyNotReady("gpus", "another policy has a gate with the same taint")},
		sample{"DoctorConclusion", DoctorConclusion(17, 0, 0, 0)},
		sample{"DoctorConclusion", DoctorConclusion(12, 2, 1, 3)},
		sample{"DoctorNoCluster", DoctorNoCluster(errors.New("connection refused"))},
		sample{"DoctorNoSuchNode", DoctorNoSuchNode("node-9")},
	)
}
