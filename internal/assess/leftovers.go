package assess

import "fmt"

// ending says what a run waits for that has all verdicts.
func (s *state) ending() string {
	var left []string
	for _, n := range s.nodes {
		for _, p := range n.pods {
			left = append(left, fmt.Sprintf("pod %s to end on node %s", p.pod.Name, n.name))
		}
	}
	for _, p := range s.leftovers {
		left = append(left, fmt.Sprintf("pod %s to end on node %s", p.Name, p.Spec.NodeName))
	}
	for _, g := range s.sortedGroups() {
		for _, j := range g.jobs {
			left = append(left, fmt.Sprintf("MPIJob %s to end", j.name))
		}
	}
	switch len(left) {
	case 0:
		return "what was found is being stored"
	case 1:
		return "waiting for " + left[0]
	}
	return fmt.Sprintf("waiting for %s, and for %d more", left[0], len(left)-1)
}

// podsLeft names a pod that did not go in time.
func (s *state) podsLeft() string {
	for _, n := range s.nodes {
		for _, p := range n.pods {
			return fmt.Sprintf("pod %s/%s is still ending on node %s: a process may hang in a driver; look at the node",
				p.pod.Namespace, p.pod.Name, n.name)
		}
	}
	for _, p := range s.leftovers {
		return fmt.Sprintf("pod %s/%s of an MPIJob is still ending on node %s: a process may hang; look at the node", p.Namespace, p.Name, p.Spec.NodeName)
	}
	for _, g := range s.sortedGroups() {
		for _, j := range g.jobs {
			return fmt.Sprintf("MPIJob %s is still ending", j.name)
		}
	}
	return ""
}
