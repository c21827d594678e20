//go:build !race

package run

import (
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// TestNoNodeIsCalledWhatItsRecordDenies: two leaders say opposite things of a node, one of which may have read it, or its record, a while ago. Each tries again
// until nothing is in its way. In the end the node is called what its record says.
func TestNoNodeIsCalledWhatItsRecordDenies(t *testing.T) {
	retry.DefaultBackoff = wait.Backoff{Steps: 5}
	untainted := func(v v1alpha1.Verdict, run string, at time.Duration) deed {
		d := deedOf(v, "a", run, begin.Add(at))
		d.j.Taint = nil
		return d
	}
	for sentence, c := range map[string]struct {
		convicted     bool
		first, second deed
		// said: the node says already what the second has to say.
		said bool
	}{
		"one lifts the taint that the other has no business with": {true, deedOf(v1alpha1.VerdictPass, "a", "p", begin), untainted(v1alpha1.VerdictFail, "f", time.Minute), false},
		"one passes what the other convicts":                      {false, untainted(v1alpha1.VerdictPass, "p", 0), untainted(v1alpha1.VerdictFail, "f", time.Minute), false},
		"one convicts what the other passes":                      {false, untainted(v1alpha1.VerdictFail, "f", 0), untainted(v1alpha1.VerdictPass, "p", time.Minute), false},
		"one convicts what the other passes once more":            {false, untainted(v1alpha1.VerdictFail, "f", 0), untainted(v1alpha1.VerdictPass, "p", time.Minute), true},
	} {
		t.Run(sentence, func(t *testing.T) {
			for i := range uint64(1000) {
				cluster, policy := clusterOf(c.convicted), taint.Policy{MaxPercent: 100}
				if c.said {
					n, j := cluster.nodes["a"].DeepCopy(), c.second.j
					says, label, _ := taint.Shown(n, j.Word(), begin.Add(-time.Hour))
					n.Status.Conditions, n.Labels = []corev1.NodeCondition{says}, map[string]string{v1alpha1.LabelVerdict: label}
					_ = cluster.put(n)
				}
				old := cluster.copy()
				var all []func(func() error)
				for _, d := range []deed{c.first, c.second} {
					all = append(all, func(turn func() error) {
						if turn() != nil {
							return
						}
						read := cluster.copy()
						read.records = old.records // the cache of nodes is newer than that of records
						for range 8 {
							if d.by(t, &process{store: cluster, turn: turn, speaks: true}, read, policy) == nil {
								return
							}
							read = cluster.copy()
						}
					})
				}
				race(&schedule{chance: rand.New(rand.NewPCG(i, 1))}, false, all...)
				says, want := corev1.ConditionUnknown, corev1.ConditionTrue
				for _, c := range cluster.nodes["a"].Status.Conditions {
					if c.Type == v1alpha1.NodeConditionValidated {
						says = c.Status
					}
				}
				if len(cluster.records["a"].Convictions) > 0 {
					want = corev1.ConditionFalse
				}
				if says != want {
					t.Fatalf("order %d: the node is validated: %s, and its record says %s", i, says, want)
				}
			}
		})
	}
}
