package assess

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/internal/message"
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
			left = append(left, message.PodToEnd(p.pod.Name, n.name))
		}
	}
	for _, p := range s.leftovers {
		left = append(left, message.PodToEnd(p.Name, p.Spec.NodeName))
	}
	for _, g := range inOrder(s.groups) {
		for _, j := range g.jobs {
			left = append(left, message.JobToEnd(j.name))
		}
	}
	if len(left) == 0 {
		return message.WaitsForEnd("", 0)
	}
	return message.WaitsForEnd(left[0], len(left)-1)
}

// podsLeft names a pod that did not go in time.
func (s *Collected) podsLeft() string {
	for _, n := range s.nodes {
		for _, p := range n.pods {
			return message.PodLeft(p.pod.Namespace+"/"+p.pod.Name, n.name)
		}
	}
	for _, p := range s.leftovers {
		return message.PodLeft(p.Namespace+"/"+p.Name, p.Spec.NodeName)
	}
	for _, g := range inOrder(s.groups) {
		for _, j := range g.jobs {
			return message.JobLeft(j.name)
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
	return message.PodCutOff(p.Namespace+"/"+p.Name, p.Spec.NodeName)
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
