package oracle

import (
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// checkJudged: by the bound that a run was started with, what all programs of a benchmark measured passes where it meets that, and fails where it does not (P7).
func (o *Oracle) checkJudged(r *v1alpha1.ValidationResult) {
	run := kube.Find[*v1alpha1.ValidationRun](o.API, r.Run.Name)
	if run == nil || run.UID != r.Run.UID || o.of(r.Node.UID).Lies {
		return
	}
	for i := range r.Benchmarks {
		b := &r.Benchmarks[i]
		ref := run.Spec.Ref(b.Name)
		if b.Name == "fleet" || cases.IsGroup(b.Name) || len(ref.Expectations)+len(ref.Parameters) > 0 {
			continue
		}
		all := o.programsOf(b)
		met := func(m *measured) bool { _, most := o.boundsOrUsual(m); return m.Least >= most }
		missed := func(m *measured) bool { least, _ := o.boundsOrUsual(m); return m.Least < least }
		switch {
		case len(all) == 0 || len(all) < len(b.Attempts):
		case b.Verdict == v1alpha1.VerdictPass && !slices.ContainsFunc(all, func(m *measured) bool { return !missed(m) }):
			o.Broken("P7", "node %s passes %s of run %s, and each of its programs broke the bound that the run was started with", r.Node.Name, b.Name, run.Name)
		case b.Verdict == v1alpha1.VerdictFail && !slices.ContainsFunc(all, func(m *measured) bool { return !met(m) }):
			o.Broken("P7", "node %s fails %s of run %s, and each of its programs met the bound that the run was started with", r.Node.Name, b.Name, run.Name)
		}
	}
}

// programsOf a benchmark's attempts that measured something.
func (o *Oracle) programsOf(b *v1alpha1.BenchmarkResult) (all []*measured) {
	for _, a := range b.Attempts {
		if m := o.byPod[a.Pod]; m != nil && !m.bad && m.Exit == 0 && m.Least > 0 && !m.Stranger && !cluster.IsSmall(m.Pod) && a.Verdict != v1alpha1.VerdictError {
			all = append(all, m)
		}
	}
	return all
}

// boundsOrUsual are the bounds that a program may be judged by, where nobody edited them the usual one.
func (o *Oracle) boundsOrUsual(m *measured) (least, most float64) {
	if least, most = o.boundsOf(m); least > 0 {
		return least, most
	}
	return good, good
}
