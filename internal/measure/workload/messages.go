package workload

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const smallerGroup = "set group.size or group.within of the Benchmark, or choose fewer nodes"

// maxQuoted is how much of the words of Kubernetes, of a registry or of a program a message repeats.
const maxQuoted = 400

// theirWords are the words of others, short enough for a message, which goes on after them.
func theirWords(words string) string {
	words = strings.TrimSuffix(strings.TrimSpace(strings.ToValidUTF8(words, "?")), ".")
	return quantity.Clip(words, maxQuoted)
}

// andWords adds the words of others, if there are any.
func andWords(words string) string {
	return message.Because("", theirWords(words))
}

// Devices that a node should offer and does not, or offers in slices.

// HasLabel is why a node may yet offer devices: feature discovery has found some.
func HasLabel(label, value string) string { return fmt.Sprintf("its label %s is %s", label, value) }

func sharedByLabel(label, value string) string {
	return sharedDevices(fmt.Sprintf("label %s=%s", label, value))
}

func sharedDevices(how string) string {
	return fmt.Sprintf("the node shares its devices (%s), and Assay measures whole devices only: turn off time-slicing, MPS and MIG there to have "+
		"it measured", how)
}

// What a pod waits for that has not ended.

// containerWaits is for an image that cannot be pulled or a container that cannot be created. install: it is that of the runner.
func containerWaits(image, reason, words string, install bool) string {
	advice := "check the Benchmark's image and the node's access to its registry"
	if install {
		advice = "check the operator's --runner-image"
	}
	return fmt.Sprintf("image %s: %s%s: %s", image, reason, andWords(words), advice)
}

func atNode(name string) string { return message.With("", " on node ", name) }

// What is wrong with an MPIJob.

func workerFailed(worker, why string) string {
	return fmt.Sprintf("%s was lost before the measurement was done: %s: look at the node", worker, why)
}

func amongNodes(nodes []string) string {
	if len(nodes) < 2 {
		return atNode(strings.Join(nodes, ""))
	}
	return " on any of the nodes " + message.Nodes(nodes)
}

// workersExist is how far an MPIJob has come before it has a launcher.
func workersExist(have, want int) string {
	if have >= want {
		return "all workers are ready, but there is no launcher"
	}
	return fmt.Sprintf("%d of %d workers of the MPIJob exist", have, want)
}

func operatorComplains(progress, words string) string {
	return fmt.Sprintf("%s; the MPI Operator says: %s", progress, theirWords(words))
}
