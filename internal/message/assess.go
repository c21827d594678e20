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
	return fmt.Sprintf("Benchmark %s has no image yet, because each site provides its own: set its spec.image (chart: catalogue.images.%s) to an image with %s",
		benchmark, benchmark, holds)
}

// NodeLacksDevices is for a node with fewer allocatable devices than a benchmark needs.
func NodeLacksDevices(benchmark, resource string, needed, offered int64) string {
	return fmt.Sprintf("benchmark %s needs %d %s, and the node offers %d: check its device plugin", benchmark, needed, resource, offered)
}

// SelectorUnreadable is for a selector that the API server accepted and nothing can match.
func SelectorUnreadable(field string, cause error) string {
	return fmt.Sprintf("%s cannot be read: %s", field, cause)
}

// NeedsUnreadable is for the selector of a Benchmark.
func NeedsUnreadable(benchmark string, cause error) string {
	return SelectorUnreadable("spec.needs.nodeSelector of Benchmark "+benchmark, cause)
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
