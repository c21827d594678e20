package assess

import "github.com/assay-dev/assay/internal/message"

// ending says what a run waits for that has all verdicts.
func (s *state) ending() string {
	var left []string
	for _, n := range s.nodes {
		for _, p := range n.pods {
			left = append(left, message.PodToEnd(p.pod.Name, n.name))
		}
	}
	for _, p := range s.leftovers {
		left = append(left, message.PodToEnd(p.Name, p.Spec.NodeName))
	}
	for _, g := range s.sortedGroups() {
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
func (s *state) podsLeft() string {
	for _, n := range s.nodes {
		for _, p := range n.pods {
			return message.PodLeft(p.pod.Namespace+"/"+p.pod.Name, n.name)
		}
	}
	for _, p := range s.leftovers {
		return message.PodLeft(p.Namespace+"/"+p.Name, p.Spec.NodeName)
	}
	for _, g := range s.sortedGroups() {
		for _, j := range g.jobs {
			return message.JobLeft(j.name)
		}
	}
	return ""
}
