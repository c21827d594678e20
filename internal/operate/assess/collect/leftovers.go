package collect

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// cutOff leaves to their nodes the pods that are deleted, of which nothing is to be learnt any more, and which no kubelet hears of. To this
// run they are gone; to everybody else they hold their nodes until a kubelet, or Kubernetes itself, has ended them.
func (s *Collected) cutOff() {
	for _, n := range s.Nodes {
		n.Pods = slices.DeleteFunc(n.Pods, func(p *CollectedPod) bool {
			cut := p.Ended && p.Pod.DeletionTimestamp != nil && n.Facts.OutOfReach(s.Now)
			if cut {
				s.cutPods = append(s.cutPods, p.Pod)
			}
			return cut
		})
	}
	s.Leftovers = slices.DeleteFunc(s.Leftovers, func(p *corev1.Pod) bool {
		n := s.node(p.Spec.NodeName)
		cut := p.DeletionTimestamp != nil && n != nil && n.Facts.OutOfReach(s.Now)
		if cut {
			n.Ending = ""
			s.cutPods = append(s.cutPods, p)
		}
		return cut
	})
}

// remnant of a run: a pod, on its node, or an MPIJob.
type remnant struct {
	isJob                 bool
	namespace, name, node string
}

// remnants that still exist, those first that are on nodes of the run.
func (s *Collected) remnants() (left []remnant) {
	for _, n := range s.Nodes {
		for _, p := range n.Pods {
			left = append(left, remnant{false, p.Pod.Namespace, p.Pod.Name, n.Name})
		}
	}
	for _, p := range s.Leftovers {
		left = append(left, remnant{false, p.Namespace, p.Name, p.Spec.NodeName})
	}
	for _, g := range observe.InOrder(s.Groups) {
		for _, j := range g.Jobs {
			left = append(left, remnant{isJob: true, name: j.Name})
		}
	}
	return left
}

// Ending says what a run waits for that has all verdicts: the first thing, and how many more.
func (s *Collected) Ending() string {
	left := s.remnants()
	if len(left) == 0 {
		return "storing the results"
	}
	text := fmt.Sprintf("waiting for pod %s to end on node %s", left[0].name, left[0].node)
	if left[0].isJob {
		text = fmt.Sprintf("waiting for MPIJob %s to end", left[0].name)
	}
	if more := len(left) - 1; more > 0 {
		text += fmt.Sprintf(", and for %d more", more)
	}
	return text
}

// PodsLeft names a pod, or an MPIJob, that did not go in time.
func (s *Collected) PodsLeft() string {
	left := s.remnants()
	switch {
	case len(left) == 0:
		return ""
	case left[0].isJob:
		return fmt.Sprintf("MPIJob %s is still ending: look for the finalizer that keeps it, and for whoever is to remove that", left[0].name)
	}
	return fmt.Sprintf("pod %s/%s is still ending on node %s: a process may hang in a driver; check the node", left[0].namespace, left[0].name,
		left[0].node)
}

// PodsCutOff names a pod that stays until its node is back, or gone for good.
func (s *Collected) PodsCutOff() string {
	if len(s.cutPods) == 0 {
		return ""
	}
	p := s.cutPods[0]
	return fmt.Sprintf("pod %s/%s stays on node %s, which cannot be reached: it ends when the node is back, or with it", p.Namespace, p.Name,
		p.Spec.NodeName)
}

// HasJobs: an MPIJob or a pod of one is still there.
func (s *Collected) HasJobs() bool {
	if len(s.Leftovers) > 0 {
		return true
	}
	for _, g := range s.Groups {
		if len(g.Jobs) > 0 {
			return true
		}
	}
	return false
}
