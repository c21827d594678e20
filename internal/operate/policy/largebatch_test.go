package policy

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestNoNodeOfALargeBatchIsInTwoRuns: a batch is too large for one run, and pairs are measured within racks. The last node of the first run takes the first of the
// second one as its partner.
func TestNoNodeOfALargeBatchIsInTwoRuns(t *testing.T) {
	s := withBudget(0, maxNodes+5)
	s.Policy.Spec.GPUSecondsPerDay = nil
	pairs := &s.Benchmarks[0].Object.Spec
	pairs.Scope, pairs.Group = v1alpha1.ScopeGroup, &v1alpha1.Group{Size: intstr.FromInt32(2), Within: "rack"}
	slices.SortFunc(s.Nodes, func(a, b Node) int { return strings.Compare(a.Object.Name, b.Object.Name) })
	for i, n := range s.Nodes {
		n.Object.Labels = map[string]string{"rack": strconv.Itoa((i + 1) / 4)}
	}
	_, plan := created(s, midnight)
	in, partners := map[string]string{}, 0
	for _, run := range plan.Create {
		for _, n := range run.Spec.NodeNames {
			if in[n] != "" {
				t.Errorf("node %s is put into run %s, and into run %s", n, in[n], run.Name)
			}
			in[n] = run.Name
		}
		partners += max(0, len(run.Spec.NodeNames)-maxNodes)
	}
	if partners != 1 || len(in) != len(s.Nodes) {
		t.Errorf("%d nodes are measured, %d of them as partners, want all %d, and one", len(in), partners, len(s.Nodes))
	}
}
