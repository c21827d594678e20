package nodevalidation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// Convict adds convictions to those that stand. One by the same rule and metric of a benchmark is replaced by one that asks as much, or
// by another one of the same run; a softer one stands beside it. One that replaced another run's says so (Again). The input is never
// modified.
func Convict(standing, added []v1alpha1.Conviction) []v1alpha1.Conviction {
	next := slices.Clone(standing)
	for _, c := range added {
		covered := false
		next = slices.DeleteFunc(next, func(o v1alpha1.Conviction) bool {
			switch {
			case o.Benchmark != c.Benchmark || o.Metric != c.Metric || o.Rule != c.Rule:
				return false
			case o.Run.UID == c.Run.UID:
				c.Again = c.Again || o.Again
				return true
			case term.Harder(&o, &c) && later(o.MeasuredAt, o.Run.UID, c.MeasuredAt, c.Run.UID):
				covered = true
				return false
			}
			replaced := term.Harder(&c, &o) && later(c.MeasuredAt, c.Run.UID, o.MeasuredAt, o.Run.UID)
			c.Again = c.Again || replaced
			return replaced
		})
		if !covered {
			next = append(next, c)
		}
	}
	next = newestConvictions(next)
	slices.SortStableFunc(next, func(a, b v1alpha1.Conviction) int {
		return cmp.Or(cmp.Compare(a.Benchmark, b.Benchmark), cmp.Compare(a.Metric, b.Metric), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Run.UID, b.Run.UID))
	})
	return next
}

// Refuted says whether a later measurement in the node's history refutes a conviction; if not, why says what the newest one by that rule
// lacked, empty where none judged it. Whether the rest of a run passed makes no difference, nor in which order runs are judged. How many devices a node
// has is no matter of one benchmark: any that uses them refutes it.
func (k Known) Refuted(c *v1alpha1.Conviction) (ok bool, why string) {
	passed := func(e v1alpha1.HistoryEntry) bool { // on the Benchmark's terms: that refutes what only a run's own convicted, whichever rules judged it
		return !c.AsCatalogued && e.Verdict == v1alpha1.VerdictPass && e.AsCatalogued() && later(e.Time, e.RunUID, c.MeasuredAt, c.Run.UID)
	}
	if b := k.Validation.Benchmark(c.Benchmark); b != nil && slices.ContainsFunc(b.History, passed) {
		return true, ""
	}
	if k.History == nil {
		return false, ""
	}
	for h := range list.Each(k.History.Benchmarks) {
		if h.Name == c.Benchmark && slices.ContainsFunc(h.Entries, passed) {
			return true, ""
		}
		if h.Name != c.Benchmark && c.Rule != term.Devices {
			continue
		}
		refuted, lacks := refutedBy(h, c)
		if refuted {
			return true, ""
		}
		why = cmp.Or(why, lacks)
	}
	return false, why
}

// refutedBy what was held in the history of one benchmark.
func refutedBy(h *v1alpha1.BenchmarkHistory, c *v1alpha1.Conviction) (ok bool, why string) {
	for i := len(h.Held) - 1; i >= 0; i-- {
		held := &h.Held[i]
		if !later(held.Time, held.RunUID, c.MeasuredAt, c.Run.UID) {
			continue
		}
		for r := range list.Each(held.Rules) {
			if !sameRule(r, c) {
				if r.Metric == c.Metric && (term.Meets(c, held, r) || term.Replaced(c, held, r)) {
					return true, ""
				}
				continue
			}
			refutes, lacks := term.Refutes(c, held, r)
			if refutes {
				return true, ""
			}
			why = cmp.Or(why, lacks)
		}
	}
	return false, why
}

// sameRule: a measurement was judged by the rule that convicted, and of the same devices where it counts those.
func sameRule(h *v1alpha1.HeldRule, c *v1alpha1.Conviction) bool {
	return h.Metric == c.Metric && h.Rule == c.Rule &&
		(c.Rule != term.Devices || slices.ContainsFunc(h.Kinds, func(k v1alpha1.HeldValue) bool { return k.Kind == c.At }))
}

// Standing are the convictions that no later measurement has refuted. Those of the run itself count only as far as its judgement still
// has them, which own says.
func (k Known) Standing(run types.UID, own []v1alpha1.Conviction) []v1alpha1.Conviction {
	withdrawn := func(c v1alpha1.Conviction) bool {
		return c.Run.UID == run && !slices.ContainsFunc(own, func(o v1alpha1.Conviction) bool {
			return o.Benchmark == c.Benchmark && o.Metric == c.Metric && o.Rule == c.Rule
		})
	}
	return list.Where(k.Validation.Convictions, func(c v1alpha1.Conviction) bool {
		refuted, _ := k.Refuted(&c)
		return !refuted && !withdrawn(c)
	})
}

// Speaker is the run that the node's condition and label speak for: that of the newest conviction, or, where none stands, of the
// newest proof. Empty: there is none.
func Speaker(nv *v1alpha1.NodeValidation) types.UID {
	switch {
	case len(nv.Convictions) > 0:
		return Newest(nv.Convictions).Run.UID
	case nv.Proof != nil:
		return nv.Proof.Run.UID
	}
	return ""
}

// Newest of these convictions, of which there is one.
func Newest(all []v1alpha1.Conviction) v1alpha1.Conviction {
	return slices.MaxFunc(all, func(a, b v1alpha1.Conviction) int { return inOrder(a.MeasuredAt, a.Run.UID, b.MeasuredAt, b.Run.UID) })
}

// Outstanding says what a node still has to prove: why the first of its convictions is not refuted, and how many there are.
func Outstanding(standing []v1alpha1.Conviction, why string) string {
	if len(standing) == 0 {
		return ""
	}
	c := &standing[0]
	what := message.With(term.RuleOf(c.Rule, c.Metric), " at ", c.At)
	value, okValue := quantity.ParseDecimal(c.Value)
	if bound, ok := quantity.ParseDecimal(c.Bound); ok && okValue {
		s := quantity.NewScale(c.Unit, value, bound)
		what += fmt.Sprintf(": %s, bound %s", s.Format(value), s.Format(bound))
	} else if okValue {
		what += ": " + quantity.Format(value, c.Unit)
	} else if c.Expected != "" {
		what += ": most nodes had " + c.Expected
	}
	text := fmt.Sprintf("still counts as unfit: run %s convicted it by %s (%s), and %s", c.Run.Name, c.Benchmark, what, why)
	if len(standing) > 1 {
		text += fmt.Sprintf("; %d convictions stand", len(standing))
	}
	return text
}

// Benchmarks that convicted, each once.
func Benchmarks(convictions []v1alpha1.Conviction) string {
	names := list.Map(convictions, func(c v1alpha1.Conviction) string { return c.Benchmark })
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}
