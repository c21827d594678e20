package controllers

import (
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// NoSlices is for an API server that has none.
const NoSlices = "the API server serves no ResourceSlices, so only what device plugins offer counts"

// NoRules is for an API server that has none.
const NoRules = "the API server serves no DeviceTaintRules of resource.k8s.io/v1 (Kubernetes 1.37), so single devices cannot be tainted"

// devicesHeld is for a node with a pod of others on it.
func devicesHeld(pod, count, resource string) string {
	return fmt.Sprintf("pod %s holds %s %s", pod, count, resource)
}

func eventsLeftOut(of client.Object, count int, reason string) string {
	kind, shows := "policy", "its status counts all nodes"
	if _, isRun := of.(*v1alpha1.ValidationRun); isRun {
		kind, shows = "run", "kubectl get validationresults -l "+v1alpha1.LabelRunName+"="+of.GetName()+" shows every node"
	}
	return fmt.Sprintf("%d more %s events of this %s were left out, because at most %d a minute are sent: %s", count, reason, kind, eventsPerMinute, shows)
}
