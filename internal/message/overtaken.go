package message

import "fmt"

// What is said of an attempt whose pod does not tolerate a taint that came later. what is the pod or MPIJob, with its name.

// AttemptOvertaken is for a pod that was not placed yet when the taint came.
func AttemptOvertaken(attempt int32, what, node, taint string) string {
	return fmt.Sprintf("node %s got taint %s after %s was made, which does not tolerate it: attempt %d starts again with one that does", node, taint, what, attempt)
}

// AttemptEvicted is for a pod that Kubernetes evicted; taint is empty where that is gone again.
func AttemptEvicted(attempt int32, what, node, taint string) string {
	return fmt.Sprintf("%s of node %s evicted %s: attempt %d starts again", theTaint(taint), node, what, attempt)
}

// OvertakenAgain is for a pod that was not placed, like those before it.
func OvertakenAgain(what, node, taint string, before int) string {
	return fmt.Sprintf("node %s got taint %s after %s was made, which does not tolerate it, and the same happened to the %d before it: %s, "+
		"and look for a webhook that removes tolerations from pods", node, taint, what, before, leaveTaints)
}

// EvictedAgain is for a pod that Kubernetes evicted, like those before it.
func EvictedAgain(what, node, taint string, before int) string {
	return fmt.Sprintf("%s of node %s evicted %s, and the same happened to the %d before it: %s", theTaint(taint), node, what, before, leaveTaints)
}

const leaveTaints = "ask whoever sets taints on the node to leave them as they are while it is measured"

func theTaint(taint string) string {
	if taint == "" {
		return "a NoExecute taint"
	}
	return "taint " + taint
}
