package taint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Newest says whether a run's measurement is the newest one that proves anything about a benchmark on this node.
func Newest(nv *v1alpha1.NodeValidation, run types.UID, benchmark string) bool {
	h := historyOf(nv, benchmark)
	return h != nil && len(h.History) > 0 && h.History[len(h.History)-1].RunUID == run
}

// Convict adds convictions to those that stand. One for the same rule and metric of a benchmark is replaced by the newer of the two.
// The input is never modified.
func Convict(standing, added []v1alpha1.Conviction) []v1alpha1.Conviction {
	next := slices.Clone(standing)
	for _, c := range added {
		i := slices.IndexFunc(next, func(o v1alpha1.Conviction) bool {
			return o.Benchmark == c.Benchmark && o.Metric == c.Metric && o.Rule == c.Rule
		})
		switch {
		case i < 0:
			next = append(next, c)
		case !later(next[i].MeasuredAt, next[i].Run.UID, c.MeasuredAt, c.Run.UID):
			next[i] = c
		}
	}
	slices.SortStableFunc(next, func(a, b v1alpha1.Conviction) int {
		return cmp.Or(cmp.Compare(a.Benchmark, b.Benchmark), cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Rule, b.Rule))
	})
	return next[:min(len(next), maxConvictions)]
}

// Refute leaves out the convictions that refuted says a later measurement has refuted, and returns what each of the others still
// asks for.
func Refute(standing []v1alpha1.Conviction, refuted func(*v1alpha1.Conviction) (ok bool, owed string)) (left []v1alpha1.Conviction, owed []string) {
	for i := range standing {
		ok, why := refuted(&standing[i])
		if !ok {
			left, owed = append(left, standing[i]), append(owed, why)
		}
	}
	return left, owed
}

// Comparable says why a measurement cannot refute a conviction; empty: it can, if the rule was judged and held.
func Comparable(c *v1alpha1.Conviction, nv *v1alpha1.NodeValidation, run types.UID, b *v1alpha1.BenchmarkResult) string {
	at := MeasuredAt(b)
	switch {
	case b.Verdict != v1alpha1.VerdictPass:
		return "this run did not pass " + c.Benchmark
	case !later(at, run, c.MeasuredAt, c.Run.UID):
		return fmt.Sprintf("this run measured %s before run %s did", c.Benchmark, c.Run.Name)
	case !Newest(nv, run, c.Benchmark):
		return "a later run has measured " + c.Benchmark
	}
	return ""
}

// Speaker is the run whose word the node's condition and label carry: that of the newest conviction, or, where none stands, of the
// newest proof. Empty: there is none.
func Speaker(nv *v1alpha1.NodeValidation) types.UID {
	if len(nv.Convictions) == 0 {
		if nv.Proof == nil {
			return ""
		}
		return nv.Proof.Run.UID
	}
	newest := nv.Convictions[0]
	for _, c := range nv.Convictions[1:] {
		if later(c.MeasuredAt, c.Run.UID, newest.MeasuredAt, newest.Run.UID) {
			newest = c
		}
	}
	return newest.Run.UID
}

// Owed is what a node that passed a run still has to prove, in words.
func Owed(standing []v1alpha1.Conviction, owed []string) string {
	if len(owed) == 0 {
		return ""
	}
	c := standing[0]
	text := fmt.Sprintf("still counts as unfit: run %s convicted it by %s (%s", c.Run.Name, c.Benchmark, c.Rule)
	if c.Metric != "" {
		text += " of " + c.Metric
	}
	if c.At != "" {
		text += " at " + c.At
	}
	if c.Value != "" {
		text += fmt.Sprintf(": %s %s, bound %s", c.Value, c.Unit, c.Bound)
	}
	text += "), and " + owed[0]
	if n := len(owed) - 1; n > 0 {
		text += fmt.Sprintf("; %d more to prove", n)
	}
	return text
}

// Benchmarks that convicted, each once.
func Benchmarks(convictions []v1alpha1.Conviction) string {
	var names []string
	for _, c := range convictions {
		names = append(names, c.Benchmark)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
