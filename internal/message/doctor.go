package message

import (
	"fmt"
	"strings"
	"time"
)

// Each finding of `kubectl assay doctor` is one line: what was found, and, where it is not as it should be, what to do.

// DoctorUnread is for what could not be looked at.
func DoctorUnread(what, why string) string { return because("could not read "+what, why) }

// DoctorUnlocated is for checks that have to know where the operator is installed.
func DoctorUnlocated() string {
	return "could not tell where the operator is installed: see the check of the operator"
}

// DoctorForbidden stands for the API server's words where the user lacks a right.
func DoctorForbidden() string {
	return "you lack the right; ask somebody who has it, such as a cluster-admin"
}

// DoctorAPIServer says that it has everything that Assay can use.
func DoctorAPIServer(version string) string {
	return fmt.Sprintf("the API server is %s, and has everything that Assay can use", version)
}

// DoctorOldAPIServer is for one that is older than any that Assay was run on.
func DoctorOldAPIServer(version, oldest string) string {
	return fmt.Sprintf("the API server is %s, and Assay was never run on one older than %s, so nobody knows whether all of it works: docs/install.md#kubernetes says what was run, and what older ones lack", version, oldest)
}

// DoctorNoGates is for an API server that cannot taint new nodes.
func DoctorNoGates(version string) string {
	return fmt.Sprintf("the API server is %s, and has no MutatingAdmissionPolicy, as Kubernetes has from 1.36 on, so it cannot taint new nodes as they are created (config/admission/gate; chart: gate.admissionPolicy); everything else works: for a gate, let kubelets or the autoscaler taint new nodes (docs/gate.md)", version)
}

// DoctorKinds says that all kinds are as they should be.
func DoctorKinds(count int) string {
	return fmt.Sprintf("all %d CustomResourceDefinitions are established, as this release has them", count)
}

// DoctorKindsMissing is for CRDs that are not there.
func DoctorKindsMissing(missing []string, of int) string {
	return fmt.Sprintf("%d of %d CustomResourceDefinitions are missing, so the operator cannot work: kubectl apply --server-side -k config/crd installs them: %s", len(missing), of, names(missing))
}

// DoctorNoKind stands for the API server's words where it does not know a kind.
func DoctorNoKind() string { return "the cluster does not know the kind; see the check of kinds" }

// DoctorVersionNotServed is for a CRD of another release.
func DoctorVersionNotServed(name, version string) string {
	return fmt.Sprintf("%s does not serve version %s: install the CRDs of this release, or use the kubectl assay of the release that is installed", name, version)
}

// DoctorNotEstablished is for a CRD that the API server does not accept.
func DoctorNotEstablished(name string) string {
	return fmt.Sprintf("%[1]s is not established: kubectl describe crd %[1]s says why", name)
}

// DoctorStoredVersions is for objects that may be stored in a version that goes.
func DoctorStoredVersions(name string, stored []string, version string) string {
	return fmt.Sprintf("%s has objects stored as %s, and this release stores %s: migrate them before a release drops the old version", name, strings.Join(stored, ", "), version)
}

// DoctorOtherSchema is for a CRD that is not that of this release.
func DoctorOtherSchema(name string) string {
	return fmt.Sprintf("%s differs from that of this release, so fields may be dropped: apply the CRDs of the operator's release", name)
}

// DoctorOperator says that the operator is up.
func DoctorOperator(namespace, name string, replicas int32) string {
	return fmt.Sprintf("Deployment %s/%s is available, %s", namespace, name, several(int(replicas), "replica"))
}

// DoctorNoOperator is for a cluster without one.
func DoctorNoOperator() string {
	return "no Deployment of the operator is in this cluster, so nothing is measured: install it (docs/install.md#install)"
}

// DoctorScaledToZero is for an operator that somebody turned off.
func DoctorScaledToZero(namespace, name string) string {
	return fmt.Sprintf("Deployment %[1]s/%[2]s has 0 replicas: kubectl -n %[1]s scale deployment %[2]s --replicas=1", namespace, name)
}

// DoctorNotAvailable is for an operator that does not get up.
func DoctorNotAvailable(namespace, name string) string {
	return fmt.Sprintf("Deployment %[1]s/%[2]s has no available replica: kubectl -n %[1]s describe pods, and kubectl -n %[1]s logs deployment/%[2]s", namespace, name)
}

// DoctorVersions says which releases meet.
func DoctorVersions(mine, theirs string) string {
	return fmt.Sprintf("kubectl assay is %s, the operator %s", mine, theirs)
}

// DoctorVersionsUnknown is where one of the two is no release.
func DoctorVersionsUnknown(mine, theirs string) string {
	return DoctorVersions(mine, theirs) + ": at least one of them is not a release, so they are not compared"
}

// DoctorVersionSkew is for two releases.
func DoctorVersionSkew(mine, theirs string) string {
	return DoctorVersions(mine, theirs) + ": use a kubectl assay of the operator's release, or it may show less than there is"
}

// DoctorLeader says who leads.
func DoctorLeader(holder string, ago time.Duration) string {
	return fmt.Sprintf("%s leads, and renewed its lease %s ago", holder, durationShort(ago))
}

// DoctorNoLeader is for a lease that nobody holds.
func DoctorNoLeader(namespace, lease string) string {
	return fmt.Sprintf("nobody holds the lease %s/%s, so no operator acts: see the check of the operator, and its log", namespace, lease)
}

// DoctorStaleLease is for a leader that is gone.
func DoctorStaleLease(namespace, lease, holder string, ago time.Duration) string {
	return fmt.Sprintf("the lease %s/%s is held by %s, who renewed it %s ago: no operator acts; see the check of the operator, and its log", namespace, lease, holder, durationShort(ago))
}

// DoctorOperatorRights says that the operator may do all it has to.
func DoctorOperatorRights(count int) string {
	return fmt.Sprintf("the operator may do all that its roles say, %s", several(count, "right"))
}

// DoctorOperatorLacks are rights that it lacks, in one namespace or (empty) everywhere.
func DoctorOperatorLacks(rights []string, namespace string) string {
	return fmt.Sprintf("the operator may not %s%s: apply config/rbac of its release, or helm upgrade", names(rights), inNamespace(namespace))
}

// DoctorUserRights says that the user may see everything and start runs.
func DoctorUserRights(count int) string {
	return fmt.Sprintf("you may see everything and start runs, %s", several(count, "right"))
}

// DoctorUserLacks are rights that the user lacks, in one namespace or (empty) everywhere.
func DoctorUserLacks(rights []string, namespace string) string {
	return fmt.Sprintf("you may not %s%s: ask for the ClusterRole assay-viewer to look, or assay-editor to start runs", names(rights), inNamespace(namespace))
}

func inNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// DoctorImagesToProvide is for Benchmarks that are skipped until the site names an image of its own.
func DoctorImagesToProvide(benchmarks []string) string {
	return fmt.Sprintf("without an image of yours (spec.image; chart: catalogue.images.NAME), these are skipped with reason ImageNotProvided: %s", names(benchmarks))
}

// DoctorCatalogue says that there is something to measure.
func DoctorCatalogue(benchmarks, profiles int) string {
	return fmt.Sprintf("%s, %s", several(benchmarks, "Benchmark"), several(profiles, "HardwareProfile"))
}

// DoctorNoBenchmarks is for a cluster without a catalogue.
func DoctorNoBenchmarks() string {
	return "there is no Benchmark, so no run can start: kubectl apply --server-side -k config/catalogue, or helm upgrade"
}

// DoctorRuns says that what is being measured goes on.
func DoctorRuns(open int) string {
	if open == 0 {
		return "none is in progress"
	}
	return several(open, "run") + " in progress, none stuck"
}

// DoctorUnseen is for a run or policy that the operator has not picked up.
func DoctorUnseen(kind, name string, ago time.Duration) string {
	return fmt.Sprintf("the operator has not picked up %s %s, made or changed %s ago: see the checks of the operator and its leader", kind, name, durationShort(ago))
}

// DoctorRunStalled is for a run that a person has to see to.
func DoctorRunStalled(name, why string) string { return because("run "+name+" is stalled", why) }

// DoctorRunRefused is for a run whose results the API server does not take.
func DoctorRunRefused(name, why string) string {
	return because("the API server refuses what the operator writes about run "+name, why)
}

// DoctorPolicies says that all are enforced.
func DoctorPolicies(count int) string {
	if count == 0 {
		return "none"
	}
	return fmt.Sprintf("all %d are enforced", count)
}

// DoctorPolicySuspended is for one that somebody suspended.
func DoctorPolicySuspended(name string) string {
	return fmt.Sprintf("policy %[1]s is suspended, so it starts no runs and opens no gates: kubectl patch validationpolicy %[1]s --type=merge -p '{\"spec\":{\"suspend\":false}}'", name)
}

// DoctorPolicyNotReady is for one that is not enforced.
func DoctorPolicyNotReady(name, why string) string {
	return because("policy "+name+" is not enforced", why)
}

// DoctorConclusion counts the lines.
func DoctorConclusion(ok, warn, fail, unknown int) string {
	counts := []string{fmt.Sprintf("%d ok", ok)}
	for _, c := range []struct {
		n    int
		word string
	}{{warn, "to look at"}, {fail, "failed"}, {unknown, "could not be checked"}} {
		if c.n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	return strings.Join(counts, ", ")
}

// DoctorNoCluster is for an API server that does not answer.
func DoctorNoCluster(err error) string {
	return because("the API server does not answer, so nothing was checked", err.Error())
}

// DoctorNoSuchNode is for a node that images are to be pulled on.
func DoctorNoSuchNode(name string) string {
	return fmt.Sprintf("there is no Ready node %q to pull images on: kubectl get nodes lists them", name)
}
