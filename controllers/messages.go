package controllers

import "fmt"

// NoSlices is for an API server that has none.
const NoSlices = "the API server serves no ResourceSlices, so only what device plugins offer counts"

// NoRules is for an API server that has none.
const NoRules = "the API server serves no DeviceTaintRules of resource.k8s.io/v1 (Kubernetes 1.37), so single devices cannot be tainted"

func policyEventsLeftOut(count int, reason string, most int) string {
	return fmt.Sprintf("%d more %s events of this policy were left out, because at most %d a minute are sent: its status counts all nodes", count,
		reason, most)
}

// What the controller meets in the cluster.

// devicesHeld is for a node with a pod of others on it.
func devicesHeld(pod, count, resource string) string {
	return fmt.Sprintf("pod %s holds %s %s", pod, count, resource)
}

func eventsLeftOut(count int, reason string, perMinute int, selector string) string {
	return fmt.Sprintf("%d more %s events of this run were left out, because at most %d a minute are sent: kubectl get validationresults -l %s "+
		"shows every node",
		count, reason, perMinute, selector)
}
