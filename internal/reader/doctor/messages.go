package doctor

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/message"
)

func doctorNoNamespace(name string) string {
	return fmt.Sprintf("there is no namespace %s: apply config/namespaces, or helm upgrade", name)
}

func orNothing(text string) string {
	if text == "" {
		return "(not set)"
	}
	return text
}

func doctorTainted(nodes []string, taint string) string {
	return fmt.Sprintf("the taint %s keeps benchmark pods from %s, so a run skips them: %s", taint, message.Several(len(nodes), "node"),
		message.Names(nodes))
}

// doctorClock is for a clock that is off; skew is how far this computer is ahead.
func doctorClock(skew time.Duration) string {
	way := "ahead of"
	if skew < 0 {
		way = "behind"
	}
	return fmt.Sprintf("this computer's clock is %s %s the API server's: correct one of them, or ages and waits will be wrong",
		message.Duration(skew.Abs()), way)
}

func doctorNodesBehind(nodes []string, tolerance time.Duration) string {
	return fmt.Sprintf("the leases of %s are older than %s by the API server's clock: the clocks there are behind, or the nodes are about to be "+
		"NotReady: %s", message.Several(len(nodes), "Ready node"), message.Duration(tolerance), message.Names(nodes))
}

// Each finding of `kubectl assay doctor` is one line: what was found, and, where it is not as it should be, what to do.

func doctorUnread(what, why string) string { return message.Because("could not read "+what, why) }

func doctorNoGates(version string) string {
	return fmt.Sprintf("the API server is %s, and has no MutatingAdmissionPolicy, as Kubernetes has from 1.36 on, so it cannot taint new nodes as "+
		"they are created (config/admission/gate; chart: gate.admissionPolicy); everything else works: for a gate, let kubelets or the autoscaler "+
		"taint new nodes (docs/gate.md)", version)
}

func doctorVersions(mine, theirs string) string {
	return fmt.Sprintf("kubectl assay is %s, the operator %s", mine, theirs)
}

func doctorOperatorRights(count int) string {
	return fmt.Sprintf("the operator may do all that its roles say, %s", message.Several(count, "right"))
}

func doctorOperatorLacks(rights []string, namespace string) string {
	return fmt.Sprintf("the operator may not %s%s: apply config/rbac of its release, or helm upgrade", message.Names(rights), inNamespace(namespace))
}

func doctorUserRights(count int) string {
	return fmt.Sprintf("you may see everything and start runs, %s", message.Several(count, "right"))
}

func doctorUserLacks(rights []string, namespace string) string {
	return fmt.Sprintf("you may not %s%s: ask for the ClusterRole assay-viewer to look, or assay-editor to start runs", message.Names(rights),
		inNamespace(namespace))
}

func inNamespace(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in namespace " + namespace
}

// doctorRuns says that what is being measured goes on.
func doctorRuns(open int) string {
	if open == 0 {
		return "none is in progress"
	}
	return message.Several(open, "run") + " in progress, none stuck"
}

func doctorUnseen(kind, name string, ago time.Duration) string {
	return fmt.Sprintf("the operator has not picked up %s %s, made or changed %s ago: see the checks of the operator and its leader", kind, name,
		message.Duration(ago))
}

// doctorPolicies says that all are enforced.
func doctorPolicies(count int) string {
	if count == 0 {
		return "none"
	}
	return fmt.Sprintf("all %d are enforced", count)
}

// Of single devices that are out of service.

const served = "DeviceTaintRules (resource.k8s.io/v1), as Kubernetes does from 1.37 on"

func doctorRulesNotServed(version string, nodes []string) string {
	return fmt.Sprintf("the API server is %s, and serves no %s, so nothing keeps work from the devices out of service of %s: upgrade it, or taint these nodes as a whole: %s",
		version, served, message.Several(len(nodes), "node"), message.Names(nodes))
}

func doctorNoDeviceScope(version string, asking []string) string {
	return fmt.Sprintf("the API server is %s, and serves no %s, so a node is tainted as a whole although these ask for scope Device: %s", version, served, message.Names(asking))
}

func doctorPluginBeside(node string, devices []string) string {
	return fmt.Sprintf("a device plugin hands out the devices of node %s, too, and no taint keeps it from those out of service (%s): stop it there, or taint the node as a whole",
		node, message.Names(devices))
}

// doctorRules is for rules that the operator has still to write; without is what the devices lack.
func doctorRules(node string, devices []string, without string) string {
	return fmt.Sprintf("%s out of service on node %s without %s (%s), so pods may get what is convicted: the operator writes it within seconds; if it does not, see its log and "+
		"the node's events (DeviceRuleFailed)", message.Several(len(devices), "device"), node, without, message.Names(devices))
}

func doctorRulesLeft(node string, rules []string) string {
	return fmt.Sprintf("%s on node %s for devices that are not out of service (%s), so these get no work: the operator deletes them within seconds; if it does not, "+
		"see its log", message.Several(len(rules), "DeviceTaintRule"), node, message.Names(rules))
}

func doctorUnpublished(node string, devices []string) string {
	return fmt.Sprintf("%s out of service on node %s, and in none of its ResourceSlices (%s): if replaced, measure the node again (kubectl assay run --again %s), or else look into the "+
		"log of its DRA driver", message.Several(len(devices), "device"), node, message.Names(devices), node)
}
