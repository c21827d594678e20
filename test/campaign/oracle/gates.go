package oracle

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// policySpec is what a policy asked for from some time on; nil: it is gone.
type policySpec struct {
	since time.Time
	asks  *v1alpha1.ValidationPolicySpec
}

func (o *Oracle) notePolicy(p *v1alpha1.ValidationPolicy, there bool) {
	of := o.edited.policies[p.UID]
	switch {
	case !there:
		of = append(of, policySpec{o.Now(), nil})
	case len(of) == 0 || !equality.Semantic.DeepEqual(*of[len(of)-1].asks, p.Spec):
		of = append(of, policySpec{o.Now(), &p.Spec})
	}
	o.edited.policies[p.UID] = of
}

// gatesLately are what policies that have a gate asked for at any time within the last minutes: whoever opens one may have read them then.
func (o *Oracle) gatesLately() (all []*v1alpha1.ValidationPolicySpec) {
	for _, uid := range sortedKeys(o.edited.policies) {
		of := o.edited.policies[uid]
		for i, p := range of {
			if over := i+1 < len(of) && of[i+1].since.Before(o.Now().Add(-long)); !over && p.asks != nil && p.asks.Gate != nil {
				all = append(all, p.asks)
			}
		}
	}
	return all
}

func sortedKeys(m map[types.UID][]policySpec) (keys []types.UID) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// opensByTime: a policy opens gates without a pass.
func (o *Oracle) opensByTime() bool {
	return slices.ContainsFunc(o.gatesLately(), func(p *v1alpha1.ValidationPolicySpec) bool { return p.Gate.OnTimeout == v1alpha1.OnTimeoutOpen })
}

// isAsked: whichever policy has opened the gate of a node asks for a benchmark, and did all the time that it may have gone by, and the benchmark is for the node.
func (o *Oracle) isAsked(benchmark string, node *corev1.Node) bool {
	for i, is := range o.edited.benchmarks[benchmark] {
		all := o.edited.benchmarks[benchmark]
		if over := i+1 < len(all) && all[i+1].since.Before(o.Now().Add(-long)); over {
			continue
		}
		m := o.Machines[node.Name]
		if !is.there || m == nil || is.devices > m.GPUs || !slices.Contains(is.suites, "quick") {
			return false
		}
	}
	return !slices.ContainsFunc(o.gatesLately(), func(p *v1alpha1.ValidationPolicySpec) bool {
		named := slices.ContainsFunc(p.Benchmarks, func(b v1alpha1.BenchmarkRef) bool { return b.Name == benchmark })
		return p.Suite == "" && !named
	})
}

// isGuarded: some policy has the gate of a node, or had it lately.
func (o *Oracle) isGuarded(node *corev1.Node) bool {
	return slices.ContainsFunc(o.gatesLately(), func(p *v1alpha1.ValidationPolicySpec) bool {
		return selects(p, node) || o.Now().Sub(o.edited.moved[node.UID]) < long
	})
}

func selects(p *v1alpha1.ValidationPolicySpec, node *corev1.Node) bool {
	s, err := metav1.LabelSelectorAsSelector(&p.Selector)
	return p.AllNodes || err == nil && s.Matches(labels.Set(node.Labels))
}

// guarded: a policy opens the gate of a node, no other one has the same, and each of its benchmarks measures a node whatever others there are.
func (o *Oracle) guarded(n *corev1.Node) bool {
	if o.Case.HasGroups() { // a run that had no partner for a node passes without it
		return false
	}
	opens := 0
	for _, p := range kube.All[*v1alpha1.ValidationPolicy](o.API) {
		if p.Spec.Gate == nil || !selects(&p.Spec, n) || p.DeletionTimestamp != nil {
			continue
		}
		opens++
		own := func(ref v1alpha1.BenchmarkRef) bool { return len(ref.Expectations)+len(ref.Parameters) > 0 } // by which the audit proves nothing
		if slices.ContainsFunc(slices.Concat(p.Spec.Benchmarks, p.Spec.Overrides), own) || p.Spec.Suspend || o.unmeasured(&p.Spec, o.Machines[n.Name]) {
			return false
		}
	}
	return opens == 1
}

// unmeasured: a node that divides its GPUs, or has none, passes a run, and is not measured by all that a policy asks for: it is not let in.
func (o *Oracle) unmeasured(p *v1alpha1.ValidationPolicySpec, m *cluster.Machine) bool {
	asked := o.Case.Benchmarks
	if p.Suite == "" {
		asked = list.Map(p.Benchmarks, func(b v1alpha1.BenchmarkRef) string { return b.Name })
	}
	return slices.ContainsFunc(asked, func(b string) bool { return !m.Measures(b) })
}

// lastOf the programs of a benchmark that tell how fit a machine is: by the order in which they began, and by the order that the API server's clock gave them, which
// is another one where that was set back. By decision 0015 the latter counts.
func (o *Oracle) lastOf(n *nodeTruth, benchmark string) (last, lastByClock *measured) {
	for _, m := range n.stored[benchmark] {
		if !m.decided || m.bad || m.Exit != 0 || !o.tellsOfFitness(m, n.stored[benchmark]) {
			continue
		}
		last = m
		if lastByClock == nil || !m.Pod.CreationTimestamp.Before(&lastByClock.Pod.CreationTimestamp) {
			lastByClock = m
		}
	}
	if o.API.Ahead() == 0 {
		return last, last
	}
	return last, lastByClock
}

// checkOpened: a gate that a policy has opens for a pass of every benchmark that the policy asks for, measured on this machine, that nothing newer contradicts (P11).
// Where a policy opens it when time is over, it does so without a pass, but never after a failure.
func (o *Oracle) checkOpened(n *nodeTruth, node *corev1.Node) {
	if n.Lies {
		return
	}
	if !o.isGuarded(node) {
		o.Broken("P11", "the gate of node %s is opened, and no policy that selects it has one", node.Name)
	}
	for _, b := range o.Case.Benchmarks {
		if cases.IsGroup(b) || !o.isAsked(b, node) || o.checkOpenedOnOwnTerms(n, node.Name, b) { // a group's result tells of no node
			continue
		}
		last, byClock := o.lastOf(n, b)
		switch {
		case last == nil && o.opensByTime():
		case last == nil:
			o.Broken("P11", "the gate of node %s is opened, and %s has never measured it", node.Name, b)
		case !o.mayPass(last) && !o.mayPass(byClock) && b != "fleet" && !o.meetsNewerBound(n, last):
			o.Broken("P11", "the gate of node %s is opened, and the last that %s measured was too slow", node.Name, b)
		}
	}
}
