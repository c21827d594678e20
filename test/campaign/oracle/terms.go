package oracle

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// noteTerms of its own that a run has for a benchmark.
func (o *Oracle) noteTerms(r *v1alpha1.ValidationRun) {
	for _, ref := range slices.Concat(r.Spec.Benchmarks, r.Spec.Overrides) {
		least := leastAsked(ref)
		if least == 0 && len(ref.Parameters) == 0 {
			continue
		}
		o.tainting[r.UID] = o.tainting[r.UID] || r.Spec.OnFailure != nil
		if easy := least > 0 && least < most(ref.Name)/2; easy || least > most(ref.Name) {
			o.ownBounds[r.UID] = ownBounds{ref.Name, !easy}
		}
	}
}

// most that a fit node reaches.
func most(benchmark string) float64 {
	if cases.IsGroup(benchmark) {
		return 10
	}
	return 100
}

// leastAsked by terms of their own; 0: these have no bound.
func leastAsked(ref v1alpha1.BenchmarkRef) (least float64) {
	if len(ref.Expectations) > 0 {
		least, _ = strconv.ParseFloat(string(ref.Expectations[0].Expectation.Min), 64)
	}
	return least
}

// ownTermsOf the policies that have gates for a benchmark, at any time within the last minutes; others: one asks for what the Benchmark does.
func (o *Oracle) ownTermsOf(benchmark string) (own []v1alpha1.BenchmarkRef, others bool) {
	for _, p := range o.gatesLately() {
		if ref := p.Ref(benchmark); len(ref.Expectations)+len(ref.Parameters) > 0 {
			own = append(own, ref)
		} else {
			others = true
		}
	}
	return own, others
}

// meetsOwnTerms: the last program of a run that asked for what a policy does, on terms of its own, has measured as much on the machine of a node as these ask for;
// where the API server's clock was set back, any of them.
func (o *Oracle) meetsOwnTerms(n *nodeTruth, ref v1alpha1.BenchmarkRef) (meets bool) {
	for _, m := range n.stored[ref.Name] {
		run := o.edited.runs[types.UID(m.Pod.Labels[v1alpha1.LabelRunUID])]
		if run == nil || !equality.Semantic.DeepEqual(run.asks.Ref(ref.Name), ref) || !m.decided || m.bad || m.Exit != 0 {
			continue
		}
		least, _ := o.boundsOrUsual(m)
		if asked := leastAsked(ref); asked > 0 {
			least = asked
		}
		meets = m.Least >= least || meets && o.API.Ahead() > 0
	}
	return meets
}

// checkOpenedOnOwnTerms: a gate opens for a pass of what a policy asks for on its own terms, and where nothing convicts the node (P11). It is not by these where
// no policy has some.
func (o *Oracle) checkOpenedOnOwnTerms(n *nodeTruth, node, benchmark string) (by bool) {
	own, others := o.ownTermsOf(benchmark)
	record := kube.Find[*v1alpha1.NodeValidation](o.API, node)
	switch {
	case len(own) == 0 || others:
	case record != nil && record.Fingerprint.NodeUID == n.UID && stillConvicts(record, benchmark, "") && !o.excused(n, n.convicted[benchmark]):
		o.Broken("P11", "the gate of node %s is opened, and its record convicts it by %s", node, benchmark)
	case !o.opensByTime() && !slices.ContainsFunc(own, func(ref v1alpha1.BenchmarkRef) bool { return o.meetsOwnTerms(n, ref) }):
		o.Broken("P11", "the gate of node %s is opened, and it has met none of the terms by %s that a policy has: %+v", node, benchmark, own)
	}
	return len(own) > 0
}

// convictedSince: after a run has passed a node, one of a policy has convicted it by terms of its own.
func (o *Oracle) convictedSince(record *v1alpha1.NodeValidation, run *v1alpha1.ValidationRun) bool {
	return record != nil && slices.ContainsFunc(record.Convictions, func(c v1alpha1.Conviction) bool {
		return !c.AsCatalogued && o.tainting[c.Run.UID] && c.Run.UID != run.UID && !c.MeasuredAt.Before(run.Status.StartTime)
	})
}
