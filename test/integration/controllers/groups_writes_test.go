package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// groupReference is a small run of pairs with everything in it: one of four nodes is slow and tainted.
func groupReference(t *testing.T) *lab {
	t.Helper()
	l := newGroupLab(t, 4)
	l.mpi.fabric.nodes = map[string]float64{"b": 0.3}
	l.run(by("-pairs"), taintingUpTo(1))
	return l
}

// groupEnd is all that such a run leaves, apart from times and versions.
func (l *lab) groupEnd() map[string]string {
	l.t.Helper()
	run := l.get()
	out := map[string]string{"conditions": fmt.Sprint(state(run)), "findings": fmt.Sprint(l.findings(run)), "rows": fmt.Sprint(l.rowsOf(run)),
		"tainted": fmt.Sprint(l.tainted()), "jobs": fmt.Sprint(len(l.jobs())), "pods": fmt.Sprint(len(l.pods())), "policies": fmt.Sprint(len(l.policies()))}
	for pair, r := range l.groupResults() {
		text := string(r.Verdict)
		for _, a := range r.Benchmarks[0].Attempts {
			text += fmt.Sprintf(", attempt %d in round %d %s", a.Number, a.Round, a.Verdict)
		}
		out["pair "+pair] = text
	}
	for _, n := range []string{"a", "b", "c", "d"} {
		v := l.validation(n)
		out["node "+n] = strings.ReplaceAll(fmt.Sprintf("%s, remembered %s, %d offences, history %d, message %s, note %s", validated(l.getNode(n)), v.Verdict, v.OffenceCount,
			len(v.Benchmarks[0].History), l.message(run, n), l.note(run, n)), l.nodes, "")
	}
	return out
}

// TestAnyWriteOfAGroupMayFail: whichever write about groups goes wrong, and however, the run ends in the same state; no node is
// ever in two MPIJobs, and no MPIJob goes before its result is stored.
func TestAnyWriteOfAGroupMayFail(t *testing.T) {
	t.Parallel()
	whole := groupReference(t)
	whole.finish()
	want := whole.groupEnd()
	same(t, "conditions", fmt.Sprint(failed), want["conditions"])
	same(t, "tainted", "[b]", want["tainted"])
	before, after := "it is killed before the write", "it is killed after the write"
	for w, sentences := range map[write][]string{
		"create MPIJob": {before, after, "the write times out but was applied"}, "delete MPIJob": {after, "the write fails"},
		"create NetworkPolicy": {before, after, "the write times out but was applied"}, "delete NetworkPolicy": {before, after},
		"create ValidationResult": {before, after}, "update ValidationResult": {after, "the write conflicts"}} {
		writes := 0
		for _, done := range whole.hand.writes {
			if done == w {
				writes++
			}
		}
		for i, sentence := range sentences {
			f, k := faults[sentence], 1+i*max(writes-1, 0)/(len(sentences)-1) // from the first one to the last one
			t.Run(fmt.Sprintf("%s %s %d of %d", sentence, w, k, writes), func(t *testing.T) {
				t.Parallel()
				l := groupReference(t)
				l.sufferAt(f, w, k)
				l.finish()
				same(t, "the end", want, l.groupEnd())
				if t.Failed() {
					t.Logf("the writes: %v", l.hand.writes)
				}
			})
		}
	}
}

// sufferAt makes the k-th write of one sort go wrong.
func (l *lab) sufferAt(f fault, w write, k int) {
	seen, struck, dead := 0, 0, false
	l.hand.before = func(number int, what write, _ runtime.Object) error {
		l.hand.mu.Lock()
		defer l.hand.mu.Unlock()
		if what == w {
			if seen++; seen == k {
				struck = number
			}
		}
		if number == struck && !f.applied {
			dead = f.dead
			return f.err
		}
		if dead && number > struck {
			return f.err
		}
		return nil
	}
	l.hand.after = func(number int, what write, o runtime.Object) error {
		l.checkGroupPromises(what, o)
		l.hand.mu.Lock()
		defer l.hand.mu.Unlock()
		if number == struck && f.applied {
			dead = f.dead
			return f.err
		}
		return nil
	}
	l.tolerate = func(error) bool {
		dead = false
		if f.restart {
			l.restart()
		}
		return true
	}
	l.t.Cleanup(func() {
		if struck == 0 {
			l.t.Errorf("there was no write %d of %s", k, w)
		}
	})
}

// checkGroupPromises looks at the cluster right after a write.
func (l *lab) checkGroupPromises(w write, o runtime.Object) {
	switch w {
	case "create MPIJob":
		name := o.(client.Object).GetName()
		if !slices.ContainsFunc(l.policies(), func(p networkingv1.NetworkPolicy) bool { return p.Name == name }) {
			l.t.Errorf("MPIJob %s is there before its NetworkPolicy", name)
		}
		in := map[string]bool{}
		for _, j := range l.jobs() {
			for _, n := range l.job(&j).nodes {
				if in[n] {
					l.t.Errorf("node %s is in two MPIJobs", n)
				}
				in[n] = true
			}
		}
	case "delete MPIJob":
		name := o.(client.Object).GetName()
		for _, r := range l.groupResults() {
			if slices.ContainsFunc(r.Benchmarks[0].Attempts, func(a v1alpha1.Attempt) bool { return a.Pod == name }) {
				return
			}
		}
		l.t.Errorf("MPIJob %s is deleted, and what it measured is not stored", name)
	}
}
