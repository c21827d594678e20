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
func DoctorForbidden() string { return "you may not; ask somebody who may, such as a cluster-admin" }

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
	return fmt.Sprintf("%s differs from that of this release, so fields may be dropped: apply the CRDs of the release that the operator is of", name)
}

// DoctorOperator says that the operator is up.
func DoctorOperator(namespace, name string, replicas int32) string {
	return fmt.Sprintf("Deployment %s/%s is available, %s", namespace, name, several(int(replicas), "replica"))
}

// DoctorNoOperator is for a cluster without one.
func DoctorNoOperator() string {
	return "no Deployment of the operator is in this cluster, so nothing is measured: install it (docs/operations.md#install)"
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
	return DoctorVersions(mine, theirs) + ": not both are releases, so they are not compared"
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

// DoctorNamespaces says that both admit what is to run there.
func DoctorNamespaces(benchmarks, system string) string {
	return fmt.Sprintf("%s admits privileged pods, %s restricted ones only", benchmarks, system)
}

// DoctorNoNamespace is for one that is not there.
func DoctorNoNamespace(name string) string {
	return fmt.Sprintf("there is no namespace %s: apply config/namespaces, or helm upgrade", name)
}

// DoctorNotPrivileged is for a namespace that would refuse benchmark pods.
func DoctorNotPrivileged(name, label, level string) string {
	return fmt.Sprintf("namespace %[1]s has %[2]s=%[3]s, which may refuse benchmark pods: kubectl label namespace %[1]s %[2]s=privileged --overwrite", name, label, orNothing(level))
}

// DoctorNotRestricted is for a namespace that would admit more than the operator needs.
func DoctorNotRestricted(name, label, level string) string {
	return fmt.Sprintf("namespace %[1]s has %[2]s=%[3]s, more than the operator needs: kubectl label namespace %[1]s %[2]s=restricted --overwrite", name, label, orNothing(level))
}

func orNothing(text string) string {
	if text == "" {
		return "(not set)"
	}
	return text
}

// DoctorAdmission says that the API server enforces all policies.
func DoctorAdmission(count int) string {
	return fmt.Sprintf("all %d ValidatingAdmissionPolicies are bound, and deny", count)
}

// DoctorPoliciesMissing is for those that are not there.
func DoctorPoliciesMissing(missing []string) string {
	return fmt.Sprintf("missing, so that the API server lets through what it should refuse (docs/threat-model.md): apply config/admission, or set admissionPolicies.enabled in the chart: %s", names(missing))
}

// DoctorPoliciesUnbound is for those that nothing enforces.
func DoctorPoliciesUnbound(unbound []string) string {
	return fmt.Sprintf("without a binding that denies, so that they refuse nothing: apply config/admission, or helm upgrade: %s", names(unbound))
}

// DoctorPolicyWarns is for one that the API server cannot check fully.
func DoctorPolicyWarns(name, warning string) string {
	return because(fmt.Sprintf("the API server warns of ValidatingAdmissionPolicy %s", name), warning)
}

// DoctorNoGroups is for a catalogue that needs no MPI Operator.
func DoctorNoGroups() string { return "not needed: no benchmark measures several nodes" }

// DoctorNoMPIJobs is for a cluster without the kind.
func DoctorNoMPIJobs(crd string) string {
	return fmt.Sprintf("%s is missing, so benchmarks of several nodes end with MPIOperatorMissing; all others work: install the MPI Operator v0.7.0 or later (docs/operations.md#the-mpi-operator)", crd)
}

// DoctorMPIOperator says that one works.
func DoctorMPIOperator(namespace string, ago time.Duration) string {
	return fmt.Sprintf("leads in namespace %s, and renewed its lease %s ago", namespace, durationShort(ago))
}

// DoctorMPIOperatorStopped is for a kind that nobody acts on.
func DoctorMPIOperatorStopped(lease string) string {
	return fmt.Sprintf("nobody renews a lease named %s, so MPIJobs wait for ever: see whether the MPI Operator's pod runs, and its log", lease)
}

// DoctorNoGPUs is for a cluster without GPUs.
func DoctorNoGPUs(nodes int) string {
	return fmt.Sprintf("%s, none with NVIDIA GPUs that a label or the device plugin tells of", several(nodes, "node"))
}

// DoctorDevices says that all nodes with GPUs offer some.
func DoctorDevices(nodes int, resource string) string {
	return fmt.Sprintf("%s with GPUs, and each offers %s", several(nodes, "node"), resource)
}

// DoctorNoDevices is for nodes that have GPUs and offer none.
func DoctorNoDevices(nodes []string, resource string) string {
	return fmt.Sprintf("no %s is offered by %s with GPUs: see whether driver and device plugin run there: %s", resource, several(len(nodes), "node"), names(nodes))
}

// DoctorLabels says that all nodes with GPUs are labelled.
func DoctorLabels(nodes int) string {
	return fmt.Sprintf("GPU feature discovery labels %s", several(nodes, "node"))
}

// DoctorNoProduct is for nodes with GPUs that nobody labels.
func DoctorNoProduct(nodes []string, label string) string {
	return fmt.Sprintf("the label %s is missing on %s with GPUs, so no HardwareProfile matches there: install GPU feature discovery: %s", label, several(len(nodes), "node"), names(nodes))
}

// DoctorProfiles says that each product has a profile.
func DoctorProfiles(products int) string {
	return fmt.Sprintf("a HardwareProfile matches each of %s", several(products, "GPU product"))
}

// DoctorNoProfile is for a product without one.
func DoctorNoProfile(product, node string) string {
	return fmt.Sprintf("no HardwareProfile matches GPU product %s (%s), so it is not compared with its peaks: write one (docs/catalogue.md)", product, node)
}

// DoctorUntainted says that benchmark pods get onto all nodes.
func DoctorUntainted(nodes int) string {
	return fmt.Sprintf("no taint keeps benchmark pods from any of %s, control planes aside", several(nodes, "node"))
}

// DoctorTainted is for nodes that no benchmark pod gets onto.
func DoctorTainted(nodes []string, taint string) string {
	return fmt.Sprintf("the taint %s keeps benchmark pods from %s, so a run skips them: %s", taint, several(len(nodes), "node"), names(nodes))
}

// DoctorPulled says that all images came.
func DoctorPulled(count int, slowest time.Duration) string {
	return fmt.Sprintf("%s came to their nodes, the slowest in %s", several(count, "image"), durationShort(slowest))
}

// DoctorNotPulled is for an image that did not come.
func DoctorNotPulled(image, node, why string) string {
	return because(fmt.Sprintf("image %s did not come to node %s", image, node), why)
}

// DoctorPullTooSlow is for an image that was waited for.
func DoctorPullTooSlow(limit time.Duration) string {
	return fmt.Sprintf("not there after %s: raise --pull-timeout, or see the pod's events", durationShort(limit))
}

// DoctorNoPrometheusOperator is for a cluster that knows no ServiceMonitors.
func DoctorNoPrometheusOperator() string {
	return "this cluster knows no ServiceMonitors: have Prometheus scrape the operator by another way (docs/operations.md#metrics)"
}

// DoctorMonitored says which ServiceMonitor selects the operator.
func DoctorMonitored(namespace, monitor, service string) string {
	return fmt.Sprintf("ServiceMonitor %s/%s selects the Service %s", namespace, monitor, service)
}

// DoctorNotMonitored is for metrics that nobody scrapes.
func DoctorNotMonitored(namespace string) string {
	return fmt.Sprintf("no ServiceMonitor selects a Service of the operator in namespace %s, so no alert fires: apply config/prometheus, or set metrics.serviceMonitor in the chart", namespace)
}

// DoctorClockAgrees says that this computer's clock is right.
func DoctorClockAgrees(tolerance time.Duration) string {
	return fmt.Sprintf("this computer and the API server agree within %s", durationShort(tolerance))
}

// DoctorNoServerTime is for an API server that does not say what time it is.
func DoctorNoServerTime() string {
	return "could not compare clocks: the API server's answers have no Date"
}

// DoctorClock is for a clock that is off; skew is how far this computer is ahead.
func DoctorClock(skew time.Duration) string {
	way := "ahead of"
	if skew < 0 {
		way = "behind"
	}
	return fmt.Sprintf("this computer's clock is %s %s the API server's: set one of them right, or ages and waits are shown wrong", durationShort(skew.Abs()), way)
}

// DoctorNodeClocks says that all nodes agree.
func DoctorNodeClocks(nodes int) string {
	return fmt.Sprintf("the leases of %s agree with the API server's clock", several(nodes, "node"))
}

// DoctorNodesAhead is for nodes that renew their leases in the future.
func DoctorNodesAhead(nodes []string, tolerance time.Duration) string {
	return fmt.Sprintf("the clocks of %s are more than %s ahead of the API server's: see whether chrony or ntpd runs there: %s", several(len(nodes), "node"), durationShort(tolerance), names(nodes))
}

// DoctorNodesBehind is for Ready nodes whose leases are old.
func DoctorNodesBehind(nodes []string, tolerance time.Duration) string {
	return fmt.Sprintf("the leases of %s are older than %s by the API server's clock: the clocks there are behind, or the nodes are about to be NotReady: %s", several(len(nodes), "Ready node"), durationShort(tolerance), names(nodes))
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
	return because("the API server refuses what the operator writes of run "+name, why)
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
