package assess

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TrimmedUID is no object's: the API server refuses to write a trimmed copy, as that would wipe out the node's history.
const TrimmedUID types.UID = "trimmed"

// Trimmed says whether a NodeValidation is one without history, as the cache holds it: to look at, never to be written.
func Trimmed(v *v1alpha1.NodeValidation) bool { return v != nil && v.UID == TrimmedUID }

// lacks notes whose history nodes are judged by, and that a node's was not given.
func (s *state) lacks(n *Node) bool {
	s.byPast = append(s.byPast, n.name)
	if Trimmed(n.validation) {
		s.lacking = append(s.lacking, n.name)
	}
	return Trimmed(n.validation)
}

// versionOf what is known of a node; two that are the same say the same.
func versionOf(v *v1alpha1.NodeValidation) any {
	if v == nil || v.ResourceVersion == "" {
		return v
	}
	return v.ResourceVersion
}
