//go:build !race

package quarantine

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
// until nothing is in its way. Once somebody has looked after the node it is called what its record says, whatever anybody else made of that meanwhile.
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
			owed := 0
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
				looksAfter := func(turn func() error) {
					if turn() == nil {
						_ = (&process{store: cluster, turn: turn, speaks: true}).keeper(policy).owe(t.Context(), "a")
					}
				}
				all = append(all, looksAfter, looksAfter)
				race(&schedule{chance: rand.New(rand.NewPCG(i, 1))}, false, all...)
				want := string(corev1.ConditionTrue)
				if len(cluster.records["a"].Convictions) > 0 {
					want = string(corev1.ConditionFalse)
				}
				if taint.Said(cluster.nodes["a"]) != want {
					owed++
				}
				looksAfter(func() error { return nil })
				if says := taint.Said(cluster.nodes["a"]); says != want {
					t.Fatalf("order %d: the node is validated: %s, and its record says %s", i, says, want)
				}
			}
			t.Logf("%d of 1,000 nodes owed their word", owed)
		})
	}
}
