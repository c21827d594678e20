package oracle

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// tellsOfFitness: the run judged the program by what its Benchmark asks, or by what only slow nodes do not meet. What all nodes meet, or none, contradicts nothing.
func (o *Oracle) tellsOfFitness(p *cluster.Program) bool {
	return !cluster.IsSmall(p.Pod) && o.ownBounds[p.Pod.Labels[v1alpha1.LabelRunName]] != p.Benchmark
}

// checkConvicted: nobody is convicted who was never unfit (P6), whether a taint follows or not. By its own terms a run convicts together with its taint only.
func (o *Oracle) checkConvicted(n *nodeTruth, before, after *v1alpha1.NodeValidation) {
	for _, c := range after.Convictions {
		if before != nil && slices.ContainsFunc(before.Convictions, func(o v1alpha1.Conviction) bool { return o.Run == c.Run && o.Benchmark == c.Benchmark }) {
			continue
		}
		if !c.AsCatalogued && o.tainting[c.Run.Name] && after.Quarantine != nil {
			n.byOwnTerms = true
			continue
		}
		if !o.mayFail(n) {
			o.Broken("P6", "node %s is convicted by %s of run %s, and it was never unfit", after.Name, c.Benchmark, c.Run.Name)
		}
	}
}

// mayFail: the machine was unfit once, or nothing tells it from one that was.
func (o *Oracle) mayFail(n *nodeTruth) bool {
	disturbed := n.Disturbed > 1 || n.Disturbed == 1 && o.unconfirmed() // who is disturbed again when looked at again cannot be told from who is slow
	return n.EverUnfit || n.Lies || disturbed || o.mostAreSlow()
}

// checkCalled: no node is called failed that nothing convicts (P6).
func (o *Oracle) checkCalled(n *nodeTruth, before, after *corev1.Node) {
	called := after.Labels[v1alpha1.LabelVerdict]
	if called == "failed" && before.Labels[v1alpha1.LabelVerdict] != called && !n.byOwnTerms && !o.mayFail(n) {
		o.Broken("P6", "node %s is called failed, and it was never unfit", after.Name)
	}
}

// unlessMadeAnew: two leaders that announce the same at the same time take it back, and make it anew. By then it stands again, of the device if one is given,
// or the machine has gone. Where there was one leader, it has to stand at once.
func (o *Oracle) unlessMadeAnew(name string, c v1alpha1.Conviction, uuid string, broken func()) {
	m := o.Machines[name]
	check := func() {
		record := kube.Find[*v1alpha1.NodeValidation](o.API, name)
		if o.Machines[name] == m && (uuid == "" || m.Has(uuid)) && !stillConvicts(record, c.Benchmark, uuid) {
			broken()
		}
	}
	if o.Now().Sub(o.leaders.Trouble) < takenBack {
		o.After(takenBack, check)
		return
	}
	check()
}

// stillConvicts says whether a benchmark convicts a node, or, if one is given, a device of it.
func stillConvicts(record *v1alpha1.NodeValidation, benchmark, uuid string) bool {
	return record != nil && slices.ContainsFunc(record.Convictions, func(o v1alpha1.Conviction) bool {
		return o.Benchmark == benchmark && (uuid == "" || len(o.Devices) == 0 || slices.Contains(o.Devices, uuid))
	})
}
