package collect

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// maxAnew is how often an attempt starts again because of taints: one that comes and goes must not keep a run busy until its deadline.
const maxAnew = 3

// latecomer is a taint that came to a node after a pod was made for it, and that the pod does not tolerate.
type latecomer struct {
	node, taint string // the taint is empty where it is gone again
	// evicted: the pod was on the node, and Kubernetes took it away; else it was not placed yet.
	evicted bool
}

// overtakes: another pod of the attempt is needed, and can be started.
func (s *Collected) overtakes(n *CollectedNode, pod *corev1.Pod) *latecomer {
	if n == nil || n.Node == nil || s.Run.Spec.Suspend || s.Overdue() {
		return nil
	}
	if reason, _, _ := n.Facts.Unavailable(s.Now); reason != "" {
		return nil
	}
	if evicted(pod) {
		return &latecomer{n.Name, evictor(n.Node), true}
	}
	if t := workload.Overtaken(pod, n.Node, s.Run.Spec.OnFailure, n.Quarantine()); t != nil {
		return &latecomer{n.Name, taintName(t), false}
	}
	return nil
}

// evicted: Kubernetes deleted the pod because of a NoExecute taint that came to its node. Its controller for that gives this reason.
func evicted(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue && c.Reason == "DeletionByTaintManager"
	})
}

// evictor is the taint that evicts pods from a node.
func evictor(n *corev1.Node) string {
	for i := range n.Spec.Taints {
		if t := &n.Spec.Taints[i]; t.Effect == corev1.TaintEffectNoExecute && t.Key != v1alpha1.DefaultTaintKey {
			return taintName(t)
		}
	}
	return ""
}

func taintName(t *corev1.Taint) string { return t.Key + ":" + string(t.Effect) }

// overtakesJob: the same for an MPIJob. Its workers need all nodes of the group, its launcher one of them.
func (s *Collected) overtakesJob(g *CollectedGroup, j *CollectedJob) *latecomer {
	for _, p := range j.Facts.Pods {
		if l := s.overtakes(s.node(p.Spec.NodeName), p.Pod); l != nil {
			return l
		}
	}
	unplaced := j.Facts.Unplaced()
	for _, p := range j.Facts.Pods {
		if p.Pod.Spec.NodeName != "" {
			continue
		}
		nodes := unplaced
		if p.Launcher {
			nodes = g.Names()
		}
		var late []*latecomer
		for _, name := range nodes {
			if l := s.overtakes(s.node(name), p.Pod); l != nil {
				late = append(late, l)
			}
		}
		if len(late) > 0 && (!p.Launcher || len(late) == len(nodes)) {
			return late[0]
		}
	}
	return nil
}

// overtaken is what becomes of an MPIJob, of which o is known, if a taint came too late for it.
func (s *Collected) overtaken(g *CollectedGroup, j *CollectedJob, o workload.Observation) workload.Observation {
	l := s.overtakesJob(g, j)
	if l == nil || !foundNothing(o, j.Attempt) {
		return o
	}
	why, again := s.makeWay(l, j.Attempt, j.Name, j.UID, "MPIJob "+j.Name)
	if again {
		j.MakesWay, j.waits = why, why
		return workload.Observation{}
	}
	return workload.Observation{Ended: true, Reason: l.reason(), Message: why}
}

// makeWay for a pod or MPIJob that tolerates the taint, which does not count as an attempt. again is false where that has been done often
// enough: the attempt is over. what names the pod or MPIJob.
func (s *Collected) makeWay(l *latecomer, attempt int32, name string, uid types.UID, what string) (why string, again bool) {
	before := list.Count(s.StartedAnew[name], func(other types.UID) bool { return other != uid })
	switch {
	case before >= maxAnew && l.evicted:
		return fmt.Sprintf("%s of node %s evicted %s, and the same happened to the %d before it: %s", theTaint(l.taint), l.node, what, before,
			leaveTaints), false
	case before >= maxAnew:
		return fmt.Sprintf("node %s got taint %s after %s was made, which does not tolerate it, and the same happened to the %d before it: %s, "+
			"and look for a webhook that removes tolerations from pods", l.node, l.taint, what, before, leaveTaints), false
	}
	s.Anew.Add(observe.StartedAnew{name: {uid}})
	if l.evicted {
		return fmt.Sprintf("%s of node %s evicted %s: attempt %d starts again", theTaint(l.taint), l.node, what, attempt), true
	}
	return fmt.Sprintf("node %s got taint %s after %s was made, which does not tolerate it: attempt %d starts again with one that does", l.node,
		l.taint, what, attempt), true
}

// reason of an attempt that is over because of the taint.
func (l *latecomer) reason() string {
	if l.evicted {
		return v1alpha1.ReasonEvicted
	}
	return v1alpha1.ReasonUnschedulable
}

// foundNothing: the attempt goes on, or has ended in an error.
func foundNothing(o workload.Observation, attempt int32) bool {
	return !o.Ended || attemptOf(o, attempt, held{}).Verdict == v1alpha1.VerdictError
}

const leaveTaints = "ask whoever sets taints on the node to leave them as they are while it is measured"

func theTaint(taint string) string {
	if taint == "" {
		return "a NoExecute taint"
	}
	return "taint " + taint
}
