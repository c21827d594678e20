package controllers_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// overlapping are three runs over node a and two benchmarks. Each has measured the node, one after the other, and is kept from acting
// on it: the first failed the one benchmark, the second passed that one and failed the other, the third passed the other one.
func overlapping(t *testing.T) []*lab {
	t.Helper()
	l := newLab(t, 1)
	other := l.name + "-net"
	l.create(l.benchmark(other))
	by := func(names ...string) func(*v1alpha1.ValidationRun) {
		return func(r *v1alpha1.ValidationRun) {
			r.Spec.Benchmarks, r.Spec.Confirmations = nil, new(int32(0))
			for _, name := range names {
				r.Spec.Benchmarks = append(r.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: name})
			}
		}
	}
	l.run(tainting, by(l.name))
	labs := []*lab{l}
	for i, change := range []func(*v1alpha1.ValidationRun){nil, by(l.name, other), by(other)} {
		run := l
		if i > 0 {
			run = l.next(fmt.Sprint("-", i), change).otherLeader()
			labs = append(labs, run)
		}
		run.plays = func(_, benchmark string, _ int) program {
			if i == 0 || i == 1 && benchmark == other {
				return program{rate: 50}
			}
			return program{}
		}
		run.tolerate = func(error) bool { return true }
		run.hand.before = func(_ int, w write, _ runtime.Object) error {
			if strings.HasSuffix(string(w), "NodeValidation") {
				return errKilled
			}
			return nil
		}
		run.until("measured", func() bool {
			r := run.result("a")
			return r != nil && r.Verdict != v1alpha1.VerdictPending && len(run.pods()) == 0
		})
	}
	return labs
}

// TestRunsThatDisagree: in whichever order runs that disagree are judged, the node ends as the last one to measure each benchmark found
// it: here fit, by its taint, its label, and what is remembered.
func TestRunsThatDisagree(t *testing.T) {
	t.Parallel()
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			t.Parallel()
			labs := overlapping(t)
			for _, i := range order {
				labs[i].hand.before = nil
				labs[i].finish()
			}
			l := labs[0]
			same(t, "node a", fit, l.standing("a"))
			v := l.validation("a")
			same(t, "convictions", 0, len(v.Convictions))
			same(t, "offences", int32(2), v.OffenceCount)
			same(t, "the run that proved it last", labs[2].name, v.Proof.Run.Name)
			histories := map[string]string{}
			past := &v1alpha1.NodeHistory{}
			l.must(api.Get(t.Context(), client.ObjectKeyFromObject(v), past))
			for _, b := range past.Benchmarks {
				for _, h := range b.Entries {
					histories[b.Name] += fmt.Sprintf("%s %s ", h.Run, h.Verdict)
				}
			}
			same(t, "what is remembered", map[string]string{l.name: l.name + " Fail " + labs[1].name + " Pass ",
				l.name + "-net": labs[1].name + " Fail " + labs[2].name + " Pass "}, histories)
			if v.Quarantine != nil {
				t.Errorf("a quarantine is left: %+v", v.Quarantine)
			}
		})
	}
}
