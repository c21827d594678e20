package assess

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// cutOff leaves to their nodes the pods that are deleted, of which nothing is to be learnt any more, and which no kubelet hears of. To this
// run they are gone; to everybody else they hold their nodes until a kubelet, or Kubernetes itself, has ended them.
func (s *Collected) cutOff() {
	for _, n := range s.nodes {
		n.pods = slices.DeleteFunc(n.pods, func(p *collectedPod) bool {
			cut := p.ended && p.pod.DeletionTimestamp != nil && n.facts.OutOfReach(s.now)
			if cut {
				s.cutPods = append(s.cutPods, p.pod)
			}
			return cut
		})
	}
	s.leftovers = slices.DeleteFunc(s.leftovers, func(p *corev1.Pod) bool {
		n := s.node(p.Spec.NodeName)
		cut := p.DeletionTimestamp != nil && n != nil && n.facts.OutOfReach(s.now)
		if cut {
			n.ending = ""
			s.cutPods = append(s.cutPods, p)
		}
		return cut
	})
}

// ending says what a run waits for that has all verdicts.
func (s *Collected) ending() string {
	var left []string
	for _, n := range s.nodes {
		for _, p := range n.pods {
			left = append(left, podToEnd(p.pod.Name, n.name))
		}
	}
	for _, p := range s.leftovers {
		left = append(left, podToEnd(p.Name, p.Spec.NodeName))
	}
	for _, g := range inOrder(s.groups) {
		for _, j := range g.jobs {
			left = append(left, fmt.Sprintf("MPIJob %s to end", j.name))
		}
	}
	if len(left) == 0 {
		return waitsForEnd("", 0)
	}
	return waitsForEnd(left[0], len(left)-1)
}

// podsLeft names a pod that did not go in time.
func (s *Collected) podsLeft() string {
	for _, n := range s.nodes {
		for _, p := range n.pods {
			return podLeft(p.pod.Namespace+"/"+p.pod.Name, n.name)
		}
	}
	for _, p := range s.leftovers {
		return podLeft(p.Namespace+"/"+p.Name, p.Spec.NodeName)
	}
	for _, g := range inOrder(s.groups) {
		for _, j := range g.jobs {
			return fmt.Sprintf("MPIJob %s is still ending", j.name)
		}
	}
	return ""
}

// podsCutOff names a pod that stays until its node is back, or gone for good.
func (s *Collected) podsCutOff() string {
	if len(s.cutPods) == 0 {
		return ""
	}
	p := s.cutPods[0]
	return fmt.Sprintf("pod %s/%s stays on node %s, which cannot be reached: it ends when the node is back, or with it", p.Namespace, p.Name,
		p.Spec.NodeName)
}

// hasJobs: an MPIJob or a pod of one is still there.
func (s *Collected) hasJobs() bool {
	if len(s.leftovers) > 0 {
		return true
	}
	for _, g := range s.groups {
		if len(g.jobs) > 0 {
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
