package assess

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Collected is what was observed, with the attempts that ended pods and MPIJobs left.
type Collected struct {
	*Observed
	nodes  []*collectedNode
	groups map[string]*collectedGroup
	// leftovers are those that somebody waits for; cutPods are the pods that nobody does: see cutOff.
	leftovers, cutPods []*corev1.Pod
	// silent: the MPI Operator has left one of the MPIJobs undone.
	silent bool
	// anew are the pods and MPIJobs that make way for others.
	anew StartedAnew
	// jobsWait says what MPIJobs wait for that still measure.
	jobsWait map[Attempted]string
	recheck  time.Time
}

// collectedNode is a node with its result, as it is with all attempts.
type collectedNode struct {
	*observedNode
	record
	pods   []*collectedPod
	ending string
}

// collectedPod is a pod with what it says of its attempt.
type collectedPod struct {
	*observedPod
	// ended: its attempt is in the result.
	ended bool
	// waits says why it does not run yet; makesWay, why it goes for another one of its attempt.
	waits, makesWay string
}

// collectedGroup is a group with its result, as it is with all attempts.
type collectedGroup struct {
	*observedGroup
	record
	jobs []*collectedJob
}

// collectedJob is an MPIJob with what it says of its attempt.
type collectedJob struct {
	*observedJob
	// ended: its attempt is in the result.
	ended bool
	// waits says why it does not measure yet; makesWay, why it goes for another one of its attempt.
	waits, makesWay string
	// busy says which worker cannot be placed, and so why the job ends; givenUp, that the group is to wait and be started again.
	busy    string
	givenUp bool
}
