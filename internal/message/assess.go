package message

import (
	"fmt"

	"github.com/assay-dev/assay/internal/quantity"
)

// What keeps a node from being measured, and a failure from being confirmed.

// WaitsForRun is for a node that another run is measuring.
func WaitsForRun(run string) string {
	return fmt.Sprintf("waiting for run %s, which is measuring this node", run)
}

// WaitsForLeftover is for a node on which a pod of an earlier MPIJob of this run has not ended yet.
func WaitsForLeftover(pod string) string {
	return fmt.Sprintf("waiting for pod %s of the previous measurement to end", pod)
}

// NodeLacksLabels is for a benchmark that the node cannot run, whatever happens.
func NodeLacksLabels(benchmark, selector string) string {
	return fmt.Sprintf("benchmark %s needs a node with labels %s", benchmark, selector)
}

// ImageNotProvided is for a benchmark whose image is the site's to provide: what is in it is text of the Benchmark.
func ImageNotProvided(benchmark, holds string) string {
	return fmt.Sprintf("Benchmark %s has no image yet, because each site provides its own: set its spec.image, or catalogue.images.%s of the chart that installed it, to an image with %s",
		benchmark, benchmark, holds)
}

// NodeLacksDevices is for a node with fewer allocatable devices than a benchmark needs.
func NodeLacksDevices(benchmark, resource string, needed, offered int64) string {
	return fmt.Sprintf("benchmark %s needs %d %s, and the node offers %d: check its device plugin", benchmark, needed, resource, offered)
}

// NodeLacksRDMA is for a benchmark of RDMA on a node that shows none.
func NodeLacksRDMA(benchmark string) string {
	return fmt.Sprintf("benchmark %s needs RDMA, and the node offers no resource of it that can be told by its name: name it in fabric.resource of a HardwareProfile", benchmark)
}

// SocketsInsteadOfResource is for nodes whose pods are given RDMA devices.
func SocketsInsteadOfResource(used, resource string) string {
	return fmt.Sprintf("NCCL used %s between nodes, although its pods had %s: how fast that is says nothing about the fabric; %s", used, resource, mendTransport)
}

// SocketsInsteadOfPorts is for nodes whose inventory shows RDMA.
func SocketsInsteadOfPorts(used, node string, ports int, gbps float64) string {
	return fmt.Sprintf("NCCL used %s between nodes, although %s has %s of %.4g Gb/s together: how fast that is says nothing about the fabric; %s",
		used, node, several(ports, "active RDMA port"), gbps, mendTransport)
}

const mendTransport = "say in fabric of a HardwareProfile how pods reach it, and look for NET/IB in the launcher's log"

// SelectorUnreadable is for a selector that the API server accepted and nothing can match.
func SelectorUnreadable(field string, cause error) string {
	return fmt.Sprintf("%s cannot be read: %s", field, cause)
}

// NeedsUnreadable is for the selector of a Benchmark.
func NeedsUnreadable(benchmark string, cause error) string {
	return SelectorUnreadable("spec.needs.selector of Benchmark "+benchmark, cause)
}

// TerminationUnreadable is for a pod whose termination message is no result document.
func TerminationUnreadable(cause error) string {
	return quantity.Clip("the termination message cannot be read: "+cause.Error(), Longest)
}

// ImageChanged is for a suspect of which every re-run had another image.
func ImageChanged(attempts int, found string) string {
	return quantity.Clip(fmt.Sprintf("suspect, and none of %d attempts could confirm it, because the tag named another image each time: "+
		"name the image by digest; %s", attempts, found), Longest)
}

// StoppedUnconfirmed is for a suspect that could not be measured again. why says what stopped the run.
func StoppedUnconfirmed(why, found string) string {
	return quantity.Clip(fmt.Sprintf("could not be measured again (%s), so nothing is proved: %s", why, found), Longest)
}
