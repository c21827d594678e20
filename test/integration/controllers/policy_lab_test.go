package controllers_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	policies "github.com/assay-dev/assay/controllers/policy"
	"github.com/assay-dev/assay/internal/operate/metrics"
)

// policyLab is a policy over the nodes of a lab. Its runs are those of the lab's operator and kubelet.
type policyLab struct {
	*lab
	// enforcer is the controller of policies. It writes by a hand of its own.
	enforcer *policies.Reconciler
	deeds    *hand
	told     *events
	gateKeys []string
	// before each pass of the policy; quiet is how many turns without a change it takes to believe that there will be none.
	before func()
	quiet  int
}

// newPolicyLab has this many nodes, and no policy yet.
func newPolicyLab(t *testing.T, nodes int) *policyLab {
	t.Helper()
	l := &policyLab{lab: newLab(t, nodes), deeds: &hand{}, told: &events{}, before: func() {}, quiet: 2}
	l.restartEnforcer()
	t.Cleanup(func() {
		for _, run := range l.runs() {
			discard(run.Name)
		}
	})
	return l
}

// restartEnforcer puts a new controller of policies in the place of the old one, which remembers nothing.
func (l *policyLab) restartEnforcer() {
	l.enforcer = &policies.Reconciler{Client: l.deeds.client(asCached(api)), Live: live, Recorder: l.told, Clock: l.clock,
		GateKeys: l.gateKeys, Metrics: metrics.New(prometheus.NewRegistry())}
}

// enforce creates a policy of all nodes of the lab by its benchmark.
func (l *policyLab) enforce(change ...func(*v1alpha1.ValidationPolicy)) *v1alpha1.ValidationPolicy {
	l.t.Helper()
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: l.name}}
	p.Spec.Selector = metav1.LabelSelector{MatchLabels: map[string]string{"lab": l.nodes}}
	p.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: l.name}}
	for _, c := range change {
		c(p)
	}
	l.create(p)
	l.t.Cleanup(func() {
		_ = api.Delete(background, &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: p.Name}})
	})
	return p
}

// gated lets the policy have the default gate.
func gated(p *v1alpha1.ValidationPolicy) { p.Spec.Gate = &v1alpha1.Gate{} }

// retrying lets the policy measure a failed node again soon. The API server's clock, which dates pods, does not go on with the lab's.
func retrying(p *v1alpha1.ValidationPolicy) { p.Spec.Retry.AfterSeconds = 180 }

// request measurements of all nodes, at a time by the API server's clock: what is measured before does not count.
func (l *policyLab) request(value string) {
	l.t.Helper()
	for real := time.Now(); real.Before(l.clock.Now()); real = time.Now() {
		l.nextSecond()
	}
	l.nextSecond()
	l.clock.SetTime(time.Now())
	l.edit(func(p *v1alpha1.ValidationPolicy) {
		p.Annotations = map[string]string{v1alpha1.AnnotationValidateNow: value}
	})
}

// atOnce keeps the lab's clock near the API server's.
func atOnce(p *v1alpha1.ValidationPolicy) { p.Spec.BatchSeconds = new(int32(0)) }

// gate is the taint that new nodes carry.
var gate = corev1.Taint{Key: v1alpha1.DefaultGateKey, Value: "pending", Effect: corev1.TaintEffectNoSchedule}

// closed makes a new node carry the gate's taint.
func closed(n *corev1.Node) { n.Spec.Taints = append(n.Spec.Taints, gate) }

// withDriver gives a node the label of a driver.
func withDriver(version string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels["nvidia.com/cuda.driver-version.full"] = version }
}

func (l *policyLab) policy() *v1alpha1.ValidationPolicy {
	l.t.Helper()
	p := &v1alpha1.ValidationPolicy{}
	l.must(api.Get(l.t.Context(), keyOf(l.name), p))
	checkPolicyTools(l.t, p)
	return p
}

// edit the policy as a person would.
func (l *policyLab) edit(change func(*v1alpha1.ValidationPolicy)) {
	l.t.Helper()
	p := l.policy()
	before := p.DeepCopy()
	change(p)
	l.must(api.Patch(l.t.Context(), p, client.MergeFrom(before)))
}

// runs over the lab's nodes: those of its policies, and the one that a person made.
func (l *policyLab) runs() []v1alpha1.ValidationRun {
	var all []v1alpha1.ValidationRun
	for _, match := range []client.ListOption{client.MatchingLabels{v1alpha1.LabelPolicy: l.name}, client.MatchingFields{"metadata.name": l.nodes + byHand}} {
		var list v1alpha1.ValidationRunList
		l.must(api.List(background, &list, match))
		all = append(all, list.Items...)
	}
	return all
}

// byHand ends the name of the run that a person makes.
const byHand = "-byhand"

// reasons of the policy's runs, with how many nodes each has.
func (l *policyLab) reasons() []string {
	l.t.Helper()
	out := []string{}
	for _, run := range l.runs() {
		if reason := run.Labels[v1alpha1.LabelPolicyReason]; reason != "" {
			out = append(out, fmt.Sprintf("%s %d", reason, len(run.Spec.NodeNames)))
		}
	}
	slices.Sort(out)
	return out
}

// enforcePass lets the controller of policies look once.
func (l *policyLab) enforcePass() reconcile.Result {
	l.t.Helper()
	result, err := l.enforcer.Reconcile(l.t.Context(), reconcile.Request{NamespacedName: keyOf(l.name)})
	if err != nil && (l.tolerate == nil || !l.tolerate(err)) {
		l.t.Fatalf("pass %d of the policy: %v", l.steps, err)
	}
	if err != nil {
		result.RequeueAfter = time.Millisecond
	}
	return result
}

// turn is one pass over the policy and one over each run, and what the kubelets make of it. It says whether anything changed, and when
// something will; zero: never.
func (l *policyLab) turn() (changed bool, next time.Time) {
	l.t.Helper()
	if l.steps++; l.steps > maxSteps {
		l.t.Fatalf("the policy does not come to rest: %s", l.describePolicy())
	}
	l.before()
	before := l.hand.count() + l.deeds.count()
	results := []reconcile.Result{l.enforcePass()}
	for _, run := range l.runs() {
		one := *l.lab
		one.name = run.Name
		results = append(results, one.pass())
		did, at := one.kubelet()
		changed, next = changed || did, earlier(next, at)
	}
	for _, result := range results {
		if result.RequeueAfter > 0 {
			next = earlier(next, l.clock.Now().Add(result.RequeueAfter))
		}
	}
	return changed || l.hand.count()+l.deeds.count() != before, next
}

// goOn until something is so. Where nothing changes, the clock goes on to when something will.
func (l *policyLab) goOn(what string, is func() bool) {
	l.t.Helper()
	for still := 0; !is(); still++ {
		changed, next := l.turn()
		switch {
		case changed:
			still = -1
		case still < l.quiet-2:
		case next.IsZero():
			l.t.Fatalf("nothing will ever happen again, but not %s: %s", what, l.describePolicy())
		default:
			l.clock.SetTime(next)
		}
	}
}

// settle goes on, at this moment and a little later, until nothing changes for some turns.
func (l *policyLab) settle() {
	l.t.Helper()
	for still := 0; still <= l.quiet; still++ {
		changed, next := l.turn()
		if changed {
			still = -1
		} else if !next.IsZero() && next.Sub(l.clock.Now()) < 2*time.Minute {
			l.clock.SetTime(next)
		}
	}
}

func (l *policyLab) describePolicy() string {
	s := l.policy().Status
	var runs []string
	for _, run := range l.runs() {
		runs = append(runs, fmt.Sprintf("%s %v %v", run.Name, run.Spec.NodeNames, state(&run)))
	}
	return fmt.Sprintf("%+v\nattention %+v\nconditions %+v\nruns %v\nevents %v", s.Nodes, s.Attention, s.Conditions, runs, l.told.all())
}

// conditions of the policy, as "True/Enforced".
func (l *policyLab) conditions() map[string]string {
	l.t.Helper()
	out := map[string]string{}
	for _, c := range l.policy().Status.Conditions {
		out[c.Type] = string(c.Status) + "/" + c.Reason
	}
	return out
}

// saying of a condition of the policy.
func (l *policyLab) saying(condition string) string {
	l.t.Helper()
	for _, c := range l.policy().Status.Conditions {
		if c.Type == condition {
			return c.Message
		}
	}
	return ""
}

// attention of the policy, by the short name of the node.
func (l *policyLab) attention() map[string]v1alpha1.NodeAttention {
	l.t.Helper()
	out := map[string]v1alpha1.NodeAttention{}
	for _, a := range l.policy().Status.Attention {
		out[strings.TrimPrefix(a.Name, l.nodes+"-")] = a
	}
	return out
}

// needing attention, as "node reason".
func (l *policyLab) needing() []string {
	l.t.Helper()
	out := []string{}
	for _, short := range slices.Sorted(maps.Keys(l.attention())) {
		out = append(out, short+" "+l.attention()[short].Reason)
	}
	return out
}

func (l *policyLab) valid(want string) func() bool {
	return func() bool { return l.policy().Status.Valid == want }
}

var allValid = map[string]string{"Ready": "True/Enforced", "Satisfied": "True/AllValid"}
