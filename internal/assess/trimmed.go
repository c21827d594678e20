package assess

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TrimmedUID is no object's: the API server refuses to write a trimmed copy, as that would wipe out the node's history.
const TrimmedUID types.UID = "trimmed"

// Trimmed says whether a NodeValidation is one without history, as the cache holds it: to look at, never to be written.
func Trimmed(v *v1alpha1.NodeValidation) bool { return v != nil && v.UID == TrimmedUID }

// lacksPast notes that a node is judged by its history, and says whether that was not given. It belongs to the judgement of the whole run: the writes
// judge nodes anew in parallel, each by the history that was read for it.
func (s *state) lacksPast(n *Node, t *Task) bool {
	if n.validation == nil || n.node == nil || !s.asksPast(t) {
		return false
	}
	s.byPast = append(s.byPast, n.name)
	lacks := Trimmed(n.validation)
	if lacks {
		s.lacking = append(s.lacking, n.name)
	}
	return lacks
}

// asksPast: nodes are compared by the task with what they reached before, or their stored verdict may have to stand, whose terms are in
// their history.
func (s *state) asksPast(t *Task) bool { return len(t.remembered) > 0 || s.knownAnew }

// versionOf what is known of a node; two that are the same say the same.
func versionOf(v *v1alpha1.NodeValidation) any {
	if v == nil || v.ResourceVersion == "" {
		return v
	}
	return v.ResourceVersion
}
