package message

import (
	"fmt"
	"time"
)

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
	return fmt.Sprintf("missing, so the API server lets through what it should refuse (docs/threat-model.md): apply config/admission, or set admissionPolicies.enabled in the chart: %s", names(missing))
}

// DoctorPoliciesUnbound is for those that nothing enforces.
func DoctorPoliciesUnbound(unbound []string) string {
	return fmt.Sprintf("no binding makes them deny, so they refuse nothing: apply config/admission, or helm upgrade: %s", names(unbound))
}

// DoctorPolicyWarns is for one that the API server cannot check fully.
func DoctorPolicyWarns(name, warning string) string {
	return because(fmt.Sprintf("the API server warns about ValidatingAdmissionPolicy %s", name), warning)
}

// DoctorNoGroups is for a catalogue that needs no MPI Operator.
func DoctorNoGroups() string { return "not needed: no benchmark measures several nodes" }

// DoctorNoMPIJobs is for a cluster without the kind.
func DoctorNoMPIJobs(crd string) string {
	return fmt.Sprintf("%s is missing, so benchmarks of several nodes end with MPIOperatorMissing; all others work: install the MPI Operator v0.7.0 or later (docs/install.md#the-mpi-operator)", crd)
}

// DoctorMPIOperator says that one works.
func DoctorMPIOperator(namespace string, ago time.Duration) string {
	return fmt.Sprintf("leads in namespace %s, and renewed its lease %s ago", namespace, durationShort(ago))
}

// DoctorMPIOperatorStopped is for a kind that nobody acts on.
func DoctorMPIOperatorStopped(lease string) string {
	return fmt.Sprintf("nobody renews a lease named %s, so MPIJobs wait forever: check whether the MPI Operator's pod is running, and its log", lease)
}

// DoctorNoGPUs is for a cluster without GPUs.
func DoctorNoGPUs(nodes int) string {
	return fmt.Sprintf("%s, none with NVIDIA GPUs by its labels or device plugin", several(nodes, "node"))
}

// DoctorDevices says that all nodes with GPUs offer some.
func DoctorDevices(nodes int, resource string) string {
	return fmt.Sprintf("%s with GPUs, all offering %s", several(nodes, "node"), resource)
}

// DoctorNoDevices is for nodes that have GPUs and offer none.
func DoctorNoDevices(nodes []string, resource string) string {
	return fmt.Sprintf("no %s is offered by %s with GPUs: check whether the driver and the device plugin run there: %s", resource, several(len(nodes), "node"), names(nodes))
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
	return fmt.Sprintf("%s pulled, the slowest in %s", several(count, "image"), durationShort(slowest))
}

// DoctorNotPulled is for an image that did not come.
func DoctorNotPulled(image, node, why string) string {
	return because(fmt.Sprintf("image %s could not be pulled on node %s", image, node), why)
}

// DoctorPullTooSlow is for an image that was waited for.
func DoctorPullTooSlow(limit time.Duration) string {
	return fmt.Sprintf("not there after %s: raise --pull-timeout, or see the pod's events", durationShort(limit))
}

// DoctorNoPrometheusOperator is for a cluster that knows no ServiceMonitors.
func DoctorNoPrometheusOperator() string {
	return "this cluster knows no ServiceMonitors: have Prometheus scrape the operator in another way (docs/reference.md#metrics)"
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
	return fmt.Sprintf("this computer's clock is %s %s the API server's: correct one of them, or ages and waits will be wrong", durationShort(skew.Abs()), way)
}

// DoctorNodeClocks says that all nodes agree.
func DoctorNodeClocks(nodes int) string {
	return fmt.Sprintf("the leases of %s agree with the API server's clock", several(nodes, "node"))
}

// DoctorNodesAhead is for nodes that renew their leases in the future.
func DoctorNodesAhead(nodes []string, tolerance time.Duration) string {
	return fmt.Sprintf("the clocks of %s are more than %s ahead of the API server's: check whether chrony or ntpd runs there: %s", several(len(nodes), "node"), durationShort(tolerance), names(nodes))
}

// DoctorNodesBehind is for Ready nodes whose leases are old.
func DoctorNodesBehind(nodes []string, tolerance time.Duration) string {
	return fmt.Sprintf("the leases of %s are older than %s by the API server's clock: the clocks there are behind, or the nodes are about to be NotReady: %s", several(len(nodes), "Ready node"), durationShort(tolerance), names(nodes))
}
