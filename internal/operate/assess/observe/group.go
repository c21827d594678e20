package observe

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/tournament"
)

// AttemptsOf a group, as its result has them; nil: there is none.
func AttemptsOf(result *v1alpha1.ValidationResult) []v1alpha1.Attempt {
	if result == nil || len(result.Benchmarks) == 0 {
		return nil
	}
	return result.Benchmarks[0].Attempts
}

// group finds the group of a benchmark and nodes, or makes it known.
func (s *Observed) group(task int, nodes []v1alpha1.ObjectReference) *ObservedGroup {
	id := tournament.ID(s.Run, s.Tasks[task].Name(), nodes)
	if s.Groups[id] == nil {
		s.Groups[id] = &ObservedGroup{ID: id, Task: task, Nodes: nodes}
	}
	return s.Groups[id]
}

// placeGroupResult takes a stored result of a group into the scope. Two runs over the same nodes have a result each.
func (s *Observed) placeGroupResult(v *v1alpha1.ValidationResult) {
	if len(v.Benchmarks) == 0 || v.Run.UID != s.Run.UID {
		return
	}
	i := s.TaskNamed(v.Benchmarks[0].Name)
	if i < 0 || v.Name != tournament.ID(s.Run, s.Tasks[i].Name(), v.Group.Nodes) {
		return
	}
	s.group(i, v.Group.Nodes).Stored = v
}
