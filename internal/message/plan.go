package message

import (
	"fmt"
	"time"
)

// What is wrong with a node on which nothing can start.

// NodeRecreated is the reason for a node whose UID has changed during the run.
func NodeRecreated() string {
	return "the node was re-created during the run, so what was measured belongs to its predecessor: start another run"
}

// NodeDeleted is the reason for a node that the run had begun to measure.
func NodeDeleted() string { return "the node was deleted during the run" }

// NodeNotFound is the reason for a name in spec.nodeNames that no node has.
func NodeNotFound() string {
	return "no node has this name: start another run with the right spec.nodeNames"
}

// NodeNotReady is the reason for a node that was Ready last at the time since.
func NodeNotReady(since time.Time) string {
	return fmt.Sprintf("the node has not been Ready since %s: repair it, then start another run", since.UTC().Format(time.RFC3339))
}

// NodeCordoned is the reason for a node with spec.unschedulable.
func NodeCordoned() string { return "the node is cordoned: uncordon it, then start another run" }

// NodeReserved is the reason for a node with a taint of Kubernetes' own.
func NodeReserved(taint string) string {
	return fmt.Sprintf("taint %s reserves the node for Kubernetes itself", taint)
}

// NodeLeaving is the reason for a node with a taint by which an autoscaler announces that it removes the node.
func NodeLeaving(taint string) string {
	return fmt.Sprintf("an autoscaler is removing the node: it put taint %s there", taint)
}

// What a node waits for. A node of a group may wait for another node.

// WaitsToBecomeReady is shown until a node that is not Ready is given up.
func WaitsToBecomeReady() string { return "waiting for the node to become Ready" }

// WaitsForItsGroup is shown for a node with benchmarks of its own left while a group measures it.
func WaitsForItsGroup() string { return "waiting until the group that measures the node is done" }

// WaitsForItsTurn is shown where as many nodes are measured as may be.
func WaitsForItsTurn(atOnce int) string {
	return fmt.Sprintf("waiting for its turn (maxConcurrentNodes allows %d at once)", atOnce)
}

// WaitsForNode says why another node of the group keeps it from starting.
func WaitsForNode(node, why string) string { return fmt.Sprintf("waiting for node %s: %s", node, why) }

// BusyNodeOfGroup says which node of the group is busy; why is what that node waits for.
func BusyNodeOfGroup(node, why string) string { return fmt.Sprintf("node %s: %s", node, why) }

// NodeInGroup is why a node is not free: a group measures it.
func NodeInGroup() string { return "a group is measuring it" }

// NodeHasPod is why a node is not free: a pod of this run is there, and going or not.
func NodeHasPod(pod string, terminating bool) string {
	if terminating {
		return fmt.Sprintf("its pod %s is still terminating", pod)
	}
	return fmt.Sprintf("its pod %s is still running", pod)
}

// Why nodes are in no group of a benchmark.

// NodeLacksGroupLabel names the label and the field that asks for it.
func NodeLacksGroupLabel(label, field string) string {
	return fmt.Sprintf("the node lacks the label %s, which %s names", label, field)
}

// GroupTooSmall says how many nodes a group needs; label is that of group.within, if any, and value what these nodes have of it.
func GroupTooSmall(needs, have int, label, value string) string {
	place := ""
	if label != "" {
		place = fmt.Sprintf(" with %s=%s", label, value)
	}
	return fmt.Sprintf("a group needs %d nodes%s, and only %d can be measured", needs, place, have)
}

// Why the operator starts or deletes a pod or an MPIJob.

// FirstAttempt is why attempt 1 is started.
func FirstAttempt() string { return "not measured yet" }

// Confirmation is why a later attempt is started.
func Confirmation(attempt int32) string {
	return fmt.Sprintf("attempt %d measures a suspect again", attempt)
}

// AttemptStored is why a pod or MPIJob that has ended is deleted.
func AttemptStored(attempt int32) string { return fmt.Sprintf("attempt %d is stored", attempt) }

// GroupNotWanted is why the MPIJob of a group that the run no longer measures is deleted.
func GroupNotWanted() string { return "the nodes of the run have changed" }

// RunSuspended is why everything of a run is deleted while it is suspended.
func RunSuspended() string { return "the run is suspended" }

// RunOverdue is why everything of a run that is overdue is deleted.
func RunOverdue() string { return "the run's deadline has passed" }
