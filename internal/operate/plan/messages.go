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
