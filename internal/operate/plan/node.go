package plan

import "slices"

// pod is the first pod that exists on the node.
func (n Node) pod() (pod Pod, ok bool) {
	for _, t := range n.Tasks {
		if len(t.Pods) > 0 {
			return t.Pods[0], true
		}
	}
	return Pod{}, false
}

// undecided: a task of the node has no verdict yet.
func (n Node) undecided() bool {
	return slices.ContainsFunc(n.Tasks, func(t Task) bool { return t.NeedsNotMet == "" && !t.Decided })
}

// nextTask is the first task that still needs an attempt, and can have one.
func (n Node) nextTask() (Task, bool) {
	for _, t := range n.Tasks {
		if t.due() && t.Awaits.For == "" {
			return t, true
		}
	}
	return Task{}, false
}

// due: the task still needs an attempt.
func (t Task) due() bool {
	return t.NeedsNotMet == "" && !t.Decided && (t.Attempts == 0 || t.NeedsAttempt)
}

// awaits says whether all that is left to measure on the node waits for what it may yet offer.
func (p *Plan) awaits(n Node) bool {
	for _, t := range n.Tasks {
		if !t.due() {
			continue
		}
		p.recheckAt(t.Awaits.Until)
		p.Waiting[n.Name] = t.Awaits.For
		return true
	}
	return false
}
