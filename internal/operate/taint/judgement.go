package taint

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/quantity"
)

// Judgement is what a run found about a node.
type Judgement struct {
	Run v1alpha1.ObjectReference
	// Result of the node in this run, as it is stored.
	Result          *v1alpha1.ValidationResult
	Verdict         v1alpha1.Verdict
	Reason, Message string
	Benchmarks      []Benchmark
	Time            time.Time
	// Taint that the run puts on nodes that failed; nil: none. TaintRefused says why the administrator does not allow it any more.
	Taint        *corev1.Taint
	TaintRefused string
	// Scope of that taint; empty: the node.
	Scope v1alpha1.TaintScope
	// BreakerOpen: the run taints nobody else, and what it failed convicts nobody, for good or until enough nodes are measured.
	BreakerOpen bool
}

// Current is a node and what is known of it, nil for nothing.
type Current struct {
	Node       *corev1.Node
	Validation *v1alpha1.NodeValidation
	History    *v1alpha1.NodeHistory
}

// Tainted: the node carries the taint that Assay remembers to have put there.
func (c Current) Tainted() bool {
	return c.Validation != nil && Carries(c.Node, c.Validation.Quarantine)
}

// Convicted: the record says so, and is of this machine. That of one that had its name before may stay for minutes.
func (c Current) Convicted() bool {
	v := c.Validation
	return v != nil && v.Fingerprint.NodeUID == c.Node.UID && len(v.Convictions) > 0
}

// known is what is known of the node after this run, but for what follows from it.
func (j Judgement) known(c Current) nodevalidation.Known {
	out := nodevalidation.Judgement{Node: c.Node, Run: j.Run, Result: j.Result, Time: metav1.NewTime(j.Time), Benchmarks: map[string]nodevalidation.Benchmark{}}
	for _, b := range j.Benchmarks {
		of := b.Benchmark
		of.OwnExpectations, of.OwnTerms, of.Held = len(b.Overridden) > 0, b.failedOwnTerms(j.Result.Benchmark(b.Name)), b.held()
		out.Benchmarks[b.Name] = of
	}
	return nodevalidation.Next(nodevalidation.Known{Validation: c.Validation, History: c.History}, out)
}

// convictions of a node: those that stand, and this run's own, of rules that it failed and that no later measurement has refuted. What broke
// terms of the run's own alone convicts only together with its taint: ownTerms says whether the node has or gets that. withheld says why it is not
// convicted of something that it failed; empty: it is of all.
func (j Judgement) convictions(next nodevalidation.Known, c Current, ownTerms bool) (standing, own []v1alpha1.Conviction, withheld string) {
	for _, b := range j.Benchmarks {
		row := j.Result.Benchmark(b.Name)
		if b.Verdict != v1alpha1.VerdictFail || row == nil {
			continue
		}
		for _, broken := range b.Terms.Broken {
			t, catalogued := b.asCatalogued(broken, row)
			mine := v1alpha1.Conviction{Benchmark: row.Name, Metric: t.Metric, Rule: t.Rule, At: t.At, RuleNumbers: t.RuleNumbers, Expected: t.Expected,
				Configuration: nodevalidation.Configuration(row), AsCatalogued: catalogued, Run: j.Run, MeasuredAt: nodevalidation.MeasuredAt(row)}
			mine.Devices = devicesOf(t, &mine, row, next.Validation.Convictions)
			if refuted, _ := next.Refuted(&mine); refuted {
				continue
			}
			why := j.withheld(&b, c, &mine)
			if why == "" && !catalogued && !ownTerms {
				why = fmt.Sprintf("not called unfit: the node broke %s by bounds or parameters that this run sets itself. Run the Benchmark as it "+
					"is to judge the node", term.RuleOf(mine.Rule, mine.Metric))
			}
			if why == "" && next.Forgotten(&mine) && !Convicted(c.Validation, mine.Run.UID, mine.Benchmark, mine.Rule) {
				why = fmt.Sprintf("not called unfit: benchmark %s measured the node again later, and the NodeHistory that said which rules it met "+
					"is lost; run it once more to decide", mine.Benchmark)
			}
			if why != "" {
				withheld = why
				continue
			}
			own = append(own, mine)
		}
	}
	own = nodevalidation.Listed(own)
	return next.Standing(j.Run.UID, slices.Concat(own, j.unread(next.Validation))), own, withheld
}

// unread is what this run convicted the node of by attempts that nobody can read any more, or that another leader has seen and this one has not. That refutes
// nothing: only a pass that the run has measured since takes it back.
func (j Judgement) unread(v *v1alpha1.NodeValidation) []v1alpha1.Conviction {
	return slices.DeleteFunc(slices.Clone(v.Convictions), func(c v1alpha1.Conviction) bool {
		row := j.Result.Benchmark(c.Benchmark)
		return c.Run.UID != j.Run.UID || row == nil ||
			slices.ContainsFunc(j.Benchmarks, func(b Benchmark) bool { return b.Name == c.Benchmark && b.Verdict == v1alpha1.VerdictPass }) ||
			sawAll(row, &c) && !slices.ContainsFunc(row.Attempts, func(a v1alpha1.Attempt) bool { return a.Reason == v1alpha1.ReasonUnreadable })
	})
}

// sawAll says whether a result has the last attempt that a conviction rests on.
func sawAll(row *v1alpha1.BenchmarkResult, c *v1alpha1.Conviction) bool {
	return slices.ContainsFunc(row.Attempts, func(a v1alpha1.Attempt) bool { return a.LaunchTime == nil || !a.LaunchTime.Before(&c.MeasuredAt) })
}

// withheld says why a node is not convicted of missing devices although they were missing; empty: it is. They may be back by the time that it is
// written: a taint may have to wait for others, for minutes. What was carried out stays until a measurement refutes it.
func (j Judgement) withheld(b *Benchmark, c Current, mine *v1alpha1.Conviction) string {
	if mine.Rule != term.Devices || (j.Taint == nil || c.Tainted()) && Convicted(c.Validation, mine.Run.UID, mine.Benchmark, mine.Rule) {
		return ""
	}
	offered := c.Node.Status.Allocatable[corev1.ResourceName(b.DeviceResource)]
	if bound, ok := quantity.ParseDecimal(mine.Bound); ok && offered.AsApproximateFloat64() >= bound {
		return fmt.Sprintf("not convicted: the node now offers %d %s. Start another run to measure it", offered.Value(), b.DeviceResource)
	}
	return b.NotMissing
}

// Shortfall is by how much a node misses the bound that it misses most, as a share of the greater of value and bound. What is no matter of more or
// less, such as wrong data, comes first. Where not all that failed may be tainted, the worst are.
func (j *Judgement) Shortfall() float64 {
	most := 0.0
	for _, b := range j.Benchmarks {
		for _, f := range b.Findings {
			if f.Verdict == v1alpha1.VerdictFail {
				most = max(most, Shortfall(f.RuleNumbers))
			}
		}
	}
	return most
}

// Shortfall is by how much a value misses its bound, as a share of the greater of both; infinite where the rule judges no number.
func Shortfall(n v1alpha1.RuleNumbers) float64 { return term.Shortfall(n.Value, n.Bound) }

// Convicted says whether a run convicted a node by this rule of a benchmark.
func Convicted(v *v1alpha1.NodeValidation, run types.UID, benchmark, rule string) bool {
	return v != nil && slices.ContainsFunc(v.Convictions, func(c v1alpha1.Conviction) bool {
		return c.Run.UID == run && c.Benchmark == benchmark && c.Rule == rule
	})
}

// outstanding says what a node that this run did not fail still has to prove.
func (j Judgement) outstanding(next nodevalidation.Known, standing []v1alpha1.Conviction) string {
	if len(standing) == 0 || j.Verdict == v1alpha1.VerdictFail {
		return ""
	}
	c := &standing[0]
	i := slices.IndexFunc(j.Benchmarks, func(b Benchmark) bool { return b.Name == c.Benchmark })
	if i < 0 || j.Result.Benchmark(c.Benchmark) == nil {
		return nodevalidation.Outstanding(standing, "this run did not measure "+c.Benchmark+" on it")
	}
	_, why := next.Refuted(c)
	if why == "" {
		why = j.Benchmarks[i].unjudged(c)
	}
	return nodevalidation.Outstanding(standing, why)
}

// Noted is the note on a node's row with what the benchmarks of this run warn of: nothing that fails the node, so that nobody would
// look for it.
func (j Judgement) Noted(note string, v *v1alpha1.NodeValidation) string {
	benchmark, first, all := "", "", 0
	for _, b := range j.Benchmarks {
		for _, w := range b.warnings(v) {
			if all++; all == 1 {
				benchmark, first = b.Name, w.Message
			}
		}
	}
	if all == 0 {
		return note
	}
	warned := message.Warned(benchmark, first, all-1)
	if note == "" {
		return warned
	}
	return note + "; " + warned
}
