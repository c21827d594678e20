package quarantine

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// What a kubelet writes to a node is in nobody's way; what another leader has made of the node, or of its record, is.
func TestWhatAWordRestsOn(t *testing.T) {
	node := func(uid, mark, version string) *corev1.Node {
		n := &corev1.Node{}
		n.UID, n.ResourceVersion, n.Annotations = "1", version, map[string]string{v1alpha1.AnnotationQuarantine: mark}
		if uid != "" {
			n.UID = "2"
		}
		return n
	}
	record := func(version string) *v1alpha1.NodeValidation {
		v := &v1alpha1.NodeValidation{}
		v.ResourceVersion = version
		return v
	}
	c := taint.Current{Node: node("", "mine", "7"), Validation: record("3")}
	for sentence, now := range map[string]struct {
		node   *corev1.Node
		record *v1alpha1.NodeValidation
		want   bool
	}{
		"its kubelet wrote to it":      {node("", "mine", "9"), record("3"), true},
		"it is tainted by another run": {node("", "theirs", "9"), record("3"), false},
		"its record was written":       {node("", "mine", "9"), record("4"), false},
		"its record is gone":           {node("", "mine", "9"), nil, false},
		"it is another machine":        {node("new", "mine", "9"), record("3"), false},
	} {
		if got := stands(c, now.node, now.record); got != now.want {
			t.Errorf("%s: %v, want %v", sentence, got, now.want)
		}
	}
}
