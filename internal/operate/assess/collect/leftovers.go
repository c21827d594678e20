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

// Ending says what a run waits for that has all verdicts.
func (s *Collected) Ending() string {
	var left []string
	for _, n := range s.Nodes {
		for _, p := range n.Pods {
			left = append(left, podToEnd(p.Pod.Name, n.Name))
		}
	}
	for _, p := range s.Leftovers {
		left = append(left, podToEnd(p.Name, p.Spec.NodeName))
	}
	for _, g := range observe.InOrder(s.Groups) {
		for _, j := range g.Jobs {
			left = append(left, fmt.Sprintf("MPIJob %s to end", j.Name))
		}
	}
	if len(left) == 0 {
		return waitsForEnd("", 0)
	}
	return waitsForEnd(left[0], len(left)-1)
}

// PodsLeft names a pod that did not go in time.
func (s *Collected) PodsLeft() string {
	for _, n := range s.Nodes {
		for _, p := range n.Pods {
			return podLeft(p.Pod.Namespace+"/"+p.Pod.Name, n.Name)
		}
	}
	for _, p := range s.Leftovers {
		return podLeft(p.Namespace+"/"+p.Name, p.Spec.NodeName)
	}
	for _, g := range observe.InOrder(s.Groups) {
		for _, j := range g.Jobs {
			return fmt.Sprintf("MPIJob %s is still ending", j.Name)
		}
	}
	return ""
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

func podToEnd(pod, node string) string { return fmt.Sprintf("pod %s to end on node %s", pod, node) }

// waitsForEnd says what a run waits for that has all verdicts: the first thing, and how many more.
func waitsForEnd(first string, more int) string {
	switch {
	case first == "":
		return "storing the results"
	case more == 0:
		return "waiting for " + first
	}
	return fmt.Sprintf("waiting for %s, and for %d more", first, more)
}

func podLeft(pod, node string) string {
	return fmt.Sprintf("pod %s is still ending on node %s: a process may hang in a driver; check the node", pod, node)
}
