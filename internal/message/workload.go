package message

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/quantity"
)

// maxQuoted is how much of the words of Kubernetes, of a registry or of a program a message repeats.
const maxQuoted = 400

// theirWords are the words of others, short enough for a message, which goes on after them.
func theirWords(words string) string {
	words = strings.TrimSuffix(strings.TrimSpace(strings.ToValidUTF8(words, "?")), ".")
	return quantity.Clip(words, maxQuoted)
}

// andWords adds the words of others, if there are any.
func andWords(words string) string {
	if words = theirWords(words); words == "" {
		return ""
	}
	return ": " + words
}

// What became of a pod that has ended.

// ResultDue is shown from the end of a program until the operator has stored its result.
func ResultDue() string { return "the program has ended, and its result is about to be stored" }

// NoResult is for a program that exited with 0 and left no result.
func NoResult() string { return "the program exited with code 0 and left no result" }

// ProgramExited is for a program that failed, with its last words.
func ProgramExited(code int32, words string) string {
	return fmt.Sprintf("the program exited with code %d%s", code, andWords(words))
}

// OutOfMemory is for a program that the kernel killed.
func OutOfMemory() string {
	return "the program ran out of memory: raise needs.limits.memory of the Benchmark, or choose a smaller size"
}

// ContainerNotStarted is for a container that the runtime could not start.
func ContainerNotStarted(words string) string {
	return "the container could not be started" + andWords(words)
}

// InstallFailed is for the init container that brings the runner.
func InstallFailed(container string, code int32, words string) string {
	return fmt.Sprintf("init container %s exited with code %d%s: check the operator's --runner-image", container, code, andWords(words))
}

// PodEndedSilently is for a pod whose program never ran, or about which the kubelet says nothing.
func PodEndedSilently() string {
	return "the pod ended, and nothing says how its program did: see the pod's events"
}

// PodDeadline is for a pod that Kubernetes stopped.
func PodDeadline() string { return "the pod reached its activeDeadlineSeconds and was stopped" }

// EndedByKubelet is for a pod that was evicted or refused by its node.
func EndedByKubelet(reason, words string) string {
	return fmt.Sprintf("the kubelet ended the pod: %s%s", reason, andWords(words))
}

// What a pod waits for that has not ended.

// PodHangs is for a pod that should have ended.
func PodHangs(grace, timeout time.Duration) string {
	return fmt.Sprintf("the pod is still running %s after its time limit of %s: look at the node, where a process may hang in a driver", grace, timeout)
}

// NotStartedInTime is for a program that has not started. node may be empty.
func NotStartedInTime(limit time.Duration, node string) string {
	return fmt.Sprintf("the program did not start within %s%s: see the pod's events", limit, atNode(node))
}

// ContainerWaits is for an image that cannot be pulled or a container that cannot be created. install: it is that of the runner.
func ContainerWaits(image, reason, words string, install bool) string {
	advice := "check the Benchmark's image and the node's access to its registry"
	if install {
		advice = "check the operator's --runner-image"
	}
	return fmt.Sprintf("image %s: %s%s: %s", image, reason, andWords(words), advice)
}

// WaitsForScheduler is for a pod that can be placed once others are done.
func WaitsForScheduler(words string) string { return "waiting for the scheduler: " + theirWords(words) }

// Unschedulable is for a pod that cannot be placed. node may be empty.
func Unschedulable(node, words string) string {
	return fmt.Sprintf("the scheduler cannot place the pod%s: %s: compare the Benchmark's needs with the node", atNode(node), theirWords(words))
}

func atNode(name string) string {
	if name == "" {
		return ""
	}
	return " on node " + name
}

// What is wrong with an MPIJob.

// Worker names a worker of an MPIJob; its index, and its node until it is placed, may be empty.
func Worker(index, node string) string {
	if index == "" {
		return "a worker" + atNode(node)
	}
	return "worker " + index + atNode(node)
}

// OfWorker is a message about a worker.
func OfWorker(worker, why string) string { return worker + ": " + why }

// WorkerNotPlaced is for a worker that waits for others; nodes are those it could run on.
func WorkerNotPlaced(worker string, nodes []string, limit time.Duration, why string) string {
	return fmt.Sprintf("%s was not placed%s within %s because others hold what it needs: %s", worker, amongNodes(nodes), limit, why)
}

// WorkerDeaf is for a worker whose SSH server does not answer.
func WorkerDeaf(worker string, limit time.Duration) string {
	return fmt.Sprintf("%s is not listening for SSH %s after it started: check the image and group.sshPort of the Benchmark", worker, limit)
}

// WorkerFailed is for a worker that was gone before its job was done.
func WorkerFailed(worker, why string) string {
	return fmt.Sprintf("%s was lost before the measurement was done: %s: look at the node", worker, why)
}

// UnknownWorkerFailed is for a worker whose pod is gone; nodes are those it may have run on.
func UnknownWorkerFailed(nodes []string) string {
	return WorkerFailed("a worker"+amongNodes(nodes), "its pod is gone")
}

// WorkerReplaced is why a worker failed: another pod took its place.
func WorkerReplaced() string { return "its first pod is gone and was replaced" }

// WorkerDeleted is why a worker failed: somebody deleted its pod.
func WorkerDeleted() string { return "its pod was deleted" }

// WorkerExited is why a worker failed: its container ended.
func WorkerExited(code int32) string { return fmt.Sprintf("its container exited with code %d", code) }

func amongNodes(nodes []string) string {
	switch {
	case len(nodes) < 2:
		return atNode(strings.Join(nodes, ""))
	case len(nodes) <= 4:
		return " on any of the nodes " + strings.Join(nodes, ", ")
	}
	return fmt.Sprintf(" on any of the nodes %s and %d others", strings.Join(nodes[:3], ", "), len(nodes)-3)
}

// WorkersExist is how far an MPIJob has come before it has a launcher.
func WorkersExist(have, want int) string {
	if have >= want {
		return "all workers are ready, but there is no launcher"
	}
	return fmt.Sprintf("%d of %d workers of the MPIJob exist", have, want)
}

// OperatorComplains adds the MPI Operator's words to how far an MPIJob has come.
func OperatorComplains(progress, words string) string {
	return fmt.Sprintf("%s; the MPI Operator says: %s", progress, theirWords(words))
}

// EventsUnread takes the place of what the MPI Operator says where its events cannot be read.
func EventsUnread(why string) string {
	return fmt.Sprintf("its events cannot be listed (%s)", cmp.Or(why, "Unknown"))
}

// JobRejected is for an MPIJob that the MPI Operator or the API server will never let run.
func JobRejected(progress, words string) string {
	return OperatorComplains(progress, words) + ": correct the Benchmark's group or the quota of the namespace"
}

// OperatorSilent is for an MPIJob that does not get on.
func OperatorSilent(progress string, grace time.Duration) string {
	return fmt.Sprintf("%s, and nothing more came for %s: look at the MPI Operator's pod and log (kubectl -n mpi-operator get pods)", progress, grace)
}

// LauncherGone is for an MPIJob whose result went with its launcher's pod.
func LauncherGone() string {
	return "the MPIJob is over, but the pod of its launcher is gone and the result with it: find out who deleted it"
}

// PodNotBelieved is for an MPIJob with a pod that it cannot have asked for.
func PodNotBelieved(doubt string) string {
	return doubt + ": find out who else creates pods in the namespace"
}

// FalseLauncher is a doubt about a pod by its name.
func FalseLauncher(pod, job, prefix string) string {
	return fmt.Sprintf("pod %s poses as the launcher of MPIJob %s, but its name does not begin with %s", pod, job, prefix)
}

// FalseWorker is a doubt about a pod by its name.
func FalseWorker(pod, job, prefix string, workers int) string {
	return fmt.Sprintf("pod %s poses as a worker of MPIJob %s, but is none of %s0 to %d", pod, job, prefix, workers-1)
}

// StrangeNode is a doubt about a pod by its node.
func StrangeNode(pod, job, node string) string {
	return fmt.Sprintf("pod %s of MPIJob %s runs on node %s, which is not in its group", pod, job, node)
}

// TwoOnOneNode is a doubt about two workers.
func TwoOnOneNode(first, second, job, node string) string {
	return fmt.Sprintf("workers %s and %s of MPIJob %s both run on node %s: each node should have one", first, second, job, node)
}

const smallerGroup = "set group.size or group.within of the Benchmark, or choose fewer nodes"

// GroupOfTooManyNodes is for a group that no MPIJob can hold.
func GroupOfTooManyNodes(nodes, most int) string {
	return fmt.Sprintf("a group of %d nodes is larger than one MPIJob can be (%d): %s", nodes, most, smallerGroup)
}

// NodeNamesTooLong is for a group whose names no MPIJob can hold.
func NodeNamesTooLong(nodes, bytes, most int) string {
	return fmt.Sprintf("the names of the %d nodes of a group take %d bytes, and an MPIJob holds at most %d: %s", nodes, bytes, most, smallerGroup)
}
