package policy

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestANodeIsLookedAtOnce: whether it is to be measured, is to help measure others, or both.
func TestANodeIsLookedAtOnce(t *testing.T) {
	of := func(name string, looked int64, gated bool) *node {
		return &node{Node: &Node{Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, Look: Look{At: time.Unix(looked, 0)}}, gated: gated}
	}
	a, b, c, d := of("a", 2, false), of("b", 1, false), of("c", 3, true), of("d", 4, false)
	looks := []*node{a, b, a, c, b, d}
	if diff := cmp.Diff([]string{"c", "b", "a"}, firstOf(looks, 3)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
