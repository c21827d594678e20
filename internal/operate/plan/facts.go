package plan

import (
	"fmt"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

const (
	// notReadyGrace is how long a node may be NotReady before it is given up.
	notReadyGrace = 60 * time.Second
	// BusyRecheck is the time to the next look at a busy node.
	BusyRecheck = 15 * time.Second
)

// Facts is what the cluster says of a node.
type Facts struct {
	// Exists: a Node of this name is there.
	Exists bool
	// Recreated: it is there, but with another UID than the one this run began to measure.
	Recreated bool
	// Lost: the run began to measure this node, and it is gone.
	Lost  bool
	Ready bool
	// Silent: nothing is heard of its kubelet, which did not say itself that the node is not Ready.
	Silent bool
	// NotReadySince is when Ready was last true; only where Ready is false.
	NotReadySince time.Time
	// Cordoned: spec.unschedulable is set.
	Cordoned bool
	// ReservedBy is the key of a taint that keeps the node for Kubernetes itself.
	ReservedBy string
	// LeavingBy is the key of the taint by which an autoscaler announces that it removes the node.
	LeavingBy string
}

// OutOfReach: no kubelet hears that a pod is to end, so that nobody waits for it. The pod stays all the same, and keeps others off the node's
// devices: its program may still run. The kubelet ends it once it is back; if the node is gone for good, Kubernetes forgets both.
func (f Facts) OutOfReach(now time.Time) bool {
	return !f.Exists || f.Silent && f.GivenUp(now)
}

// GivenUp: the node has been NotReady for longer than notReadyGrace.
func (f Facts) GivenUp(now time.Time) bool {
	return f.Exists && !f.Ready && !now.Before(f.NotReadySince.Add(notReadyGrace))
}

// Unavailable says why nothing can start on the node: a reason of the API and a message. While the node may yet come back,
// wait is the time at which it is given up; after that, and for every other reason, wait is zero.
func (f Facts) Unavailable(now time.Time) (reason, why string, wait time.Time) {
	switch {
	case f.Recreated:
		return v1alpha1.ReasonNodeRecreated,
			"the node was re-created during the run, so what was measured belongs to its predecessor: start another run", time.Time{}
	case f.Lost:
		return v1alpha1.ReasonNodeDeleted, "the node was deleted during the run", time.Time{}
	case !f.Exists:
		return v1alpha1.ReasonNodeNotFound, "no node has this name: start another run with the right spec.nodeNames", time.Time{}
	case !f.Ready:
		if until := f.NotReadySince.Add(notReadyGrace); now.Before(until) {
			wait = until
		}
		return v1alpha1.ReasonNodeNotReady,
			fmt.Sprintf("the node has not been Ready since %s: repair it, then start another run", f.NotReadySince.UTC().Format(time.RFC3339)), wait
	case f.Cordoned:
		return v1alpha1.ReasonNodeCordoned, "the node is cordoned: uncordon it, then start another run", time.Time{}
	case f.ReservedBy != "":
		return v1alpha1.ReasonNodeReserved, fmt.Sprintf("taint %s reserves the node for Kubernetes itself", f.ReservedBy), time.Time{}
	case f.LeavingBy != "":
		return v1alpha1.ReasonNodeLeaving, message.NodeLeaving(f.LeavingBy), time.Time{}
	}
	return "", "", time.Time{}
}

// pod is the first pod that exists on the node.
func (n Node) pod() (pod Pod, ok bool) {
	for _, t := range n.Tasks {
		if len(t.Pods) > 0 {
			return t.Pods[0], true
		}
	}
	return Pod{}, false
}

// due: the task still needs an attempt.
func (t *Task) due() bool {
	return t.NeedsNotMet == "" && !t.Decided && (t.Attempts == 0 || t.NeedsAttempt)
}

// awaits says whether all that is left to measure on the node waits for what it may yet offer.
func (p *Plan) awaits(n Node) bool {
	t := list.First(n.Tasks, (*Task).due)
	if t != nil {
		list.Sooner(&p.Recheck, t.Awaits.Until)
		p.Waiting[n.Name] = t.Awaits.For
	}
	return t != nil
}
