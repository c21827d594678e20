package plan

import "fmt"

const nodeInGroup = "a group is measuring it"

// What a node waits for. A node of a group may wait for another node.

// WaitsForItsTurn is shown where as many nodes are measured as may be.
func WaitsForItsTurn(atOnce int) string {
	return fmt.Sprintf("waiting for its turn (maxConcurrentNodes allows %d at once)", atOnce)
}

// waitsForNode says why another node of the group keeps it from starting.
func waitsForNode(node, why string) string { return fmt.Sprintf("waiting for node %s: %s", node, why) }

// BusyNodeOfGroup says which node of the group is busy; why is what that node waits for.
func BusyNodeOfGroup(node, why string) string { return fmt.Sprintf("node %s: %s", node, why) }

// nodeHasPod is why a node is not free: a pod of this run is there, and going or not.
func nodeHasPod(pod string, terminating bool) string {
	if terminating {
		return fmt.Sprintf("its pod %s is still terminating", pod)
	}
	return fmt.Sprintf("its pod %s is still running", pod)
}

// Why nodes are in no group of a benchmark.

func nodeLacksGroupLabel(label, field string) string {
	return fmt.Sprintf("the node lacks the label %s, which %s names", label, field)
}

// groupTooSmall says how many nodes a group needs; label is that of group.within, if any, and value what these nodes have of it.
func groupTooSmall(needs, have int, label, value string) string {
	place := ""
	if label != "" {
		place = fmt.Sprintf(" with %s=%s", label, value)
	}
	return fmt.Sprintf("a group needs %d nodes%s, and only %d can be measured", needs, place, have)
}

// Why the operator starts or deletes a pod or an MPIJob.

// FirstAttempt is why attempt 1 is started.
const FirstAttempt = "not measured yet"

// Confirmation is why a later attempt is started.
func Confirmation(attempt int32) string {
	return fmt.Sprintf("attempt %d measures a suspect again", attempt)
}

func attemptStored(attempt int32) string { return fmt.Sprintf("attempt %d is stored", attempt) }

// RunSuspended is why everything of a run is deleted while it is suspended.
const RunSuspended = "the run is suspended"
