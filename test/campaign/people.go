package campaign

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/test/campaign/cases"
	"github.com/assay-dev/assay/test/campaign/cluster"
	"github.com/assay-dev/assay/test/campaign/kube"
	"github.com/assay-dev/assay/test/campaign/oracle"
)

func (w *world) createRun(h cases.Happening) {
	r := w.newRun(h)
	if _, err := w.API.Create("person", r); err != nil {
		w.Say("person      cannot create run %s: %v", h.Name, err)
	}
}

// newRun as somebody asks for it.
func (w *world) newRun(h cases.Happening) *v1alpha1.ValidationRun {
	r := &v1alpha1.ValidationRun{}
	r.Name = h.Name
	r.Spec = v1alpha1.ValidationRunSpec{AllNodes: len(h.Nodes) == 0, NodeNames: h.Nodes, Confirmations: new(int32(min(h.Number, 2))),
		ActiveDeadlineSeconds: new(int64(h.For.Seconds())), BusyNodes: v1alpha1.BusyWait, MaxConcurrentNodes: new(intstr.FromString("100%"))}
	if h.Number == 3 {
		r.Spec.BusyNodes = v1alpha1.BusySkip
	}
	for _, b := range h.Benchmarks {
		r.Spec.Benchmarks = append(r.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: b})
	}
	if len(h.Benchmarks) == 0 {
		r.Spec.Suite = "quick"
	}
	if h.Flag {
		r.Spec.OnFailure = onFailure(h)
	}
	w.ownTerms(r, h.How)
	return r
}

// onFailure taints as many nodes as are allowed; 0: any number.
func onFailure(h cases.Happening) *v1alpha1.OnFailure {
	f := &v1alpha1.OnFailure{MaxTaintedNodes: new(intstr.FromString("100%")),
		Taint: &v1alpha1.Taint{Key: v1alpha1.DefaultTaintKey, Value: "failed", Effect: corev1.TaintEffectNoSchedule, Scope: h.Scope}}
	if h.Times > 0 {
		f.MaxTaintedNodes = new(intstr.FromInt(h.Times))
	}
	switch {
	case h.Taint == cases.OtherKey:
		f.Taint.Key = h.Taint
	case h.Taint == cases.OtherEffect && h.Scope != v1alpha1.TaintScopeDevice: // which there is not
		f.Taint.Effect = corev1.TaintEffectPreferNoSchedule
	}
	return f
}

func (w *world) suspendRun(name string, suspend bool) {
	if r := kube.Find[*v1alpha1.ValidationRun](w.API, name); r != nil {
		next := r.DeepCopy()
		next.Spec.Suspend = suspend
		_, _ = w.API.Update("person", next, false)
	}
}

func (w *world) createPolicy(h cases.Happening) {
	p := newPolicy(h)
	p.Spec.Benchmarks, p.Spec.Overrides = w.policyTerms(&p.Spec, h.How)
	if _, err := w.API.Create("person", p); err != nil {
		w.Say("person      cannot create policy %s: %v", h.Name, err)
	}
}

// newPolicy as somebody asks for it.
func newPolicy(h cases.Happening) *v1alpha1.ValidationPolicy {
	p := &v1alpha1.ValidationPolicy{}
	p.Name = h.Name
	p.Spec = v1alpha1.ValidationPolicySpec{AllNodes: true, Suite: "quick", OverdueSeconds: 86400, BatchSeconds: new(int32(10 * h.Number)),
		Retry: v1alpha1.Retry{AfterSeconds: 7200}, RevalidateOn: []v1alpha1.Change{v1alpha1.ChangeDriver, v1alpha1.ChangeDevices},
		Gate: &v1alpha1.Gate{Taint: v1alpha1.GateTaint{Key: cluster.GateTaint.Key, Value: cluster.GateTaint.Value, Effect: cluster.GateTaint.Effect}, TimeoutSeconds: 3600}}
	p.Spec.Run = v1alpha1.RunTemplate{ActiveDeadlineSeconds: new(int64(h.For.Seconds())), Confirmations: new(int32(2)), BusyNodes: v1alpha1.BusySkip}
	times := h.Times
	if h.Times = 0; h.Flag {
		p.Spec.Run.OnFailure = onFailure(h)
	}
	if h.Name != "policy" { // two that open one gate would be in each other's way
		p.Spec.Gate = nil
	} else if times > 0 {
		p.Spec.Gate.OnTimeout, p.Spec.Gate.TimeoutSeconds = v1alpha1.OnTimeoutOpen, 240
	}
	return p
}

func (w *world) suspendPolicy(name string, suspend bool) {
	if p := kube.Find[*v1alpha1.ValidationPolicy](w.API, name); p != nil {
		next := p.DeepCopy()
		next.Spec.Suspend = suspend
		_, _ = w.API.Update("person", next, false)
	}
}

// ownTerms of a run: for one benchmark of its suite, or for what it names.
func (w *world) ownTerms(r *v1alpha1.ValidationRun, how string) {
	if how == "" {
		return
	}
	ref := w.termsOf(r.Name, r.Spec.Benchmarks, how)
	if len(r.Spec.Benchmarks) > 0 {
		r.Spec.Benchmarks[0] = ref
	} else {
		r.Spec.Overrides = []v1alpha1.BenchmarkRef{ref}
	}
}

// policyTerms are what a policy asks for with terms of its own, as runs have them; of no terms: as the Benchmarks have it.
func (w *world) policyTerms(s *v1alpha1.ValidationPolicySpec, how string) (named, overrides []v1alpha1.BenchmarkRef) {
	named = list.Map(s.Benchmarks, func(b v1alpha1.BenchmarkRef) v1alpha1.BenchmarkRef { return v1alpha1.BenchmarkRef{Name: b.Name} })
	switch {
	case !slices.Contains([]string{cases.TermsTooHard, cases.TermsHard, cases.TermsEasy, cases.TermsSmall}, how):
		return named, nil
	case len(named) == 0:
		return nil, []v1alpha1.BenchmarkRef{w.termsOf("policy", nil, how)}
	}
	named[0] = w.termsOf("policy", named, how)
	return named, nil
}

// termsOf a run or a policy for one benchmark of its suite, or for the first that it names.
func (w *world) termsOf(who string, named []v1alpha1.BenchmarkRef, how string) v1alpha1.BenchmarkRef {
	name := w.Case.Benchmarks[w.Draw("terms/"+who)%uint64(len(w.Case.Benchmarks))]
	if len(named) > 0 {
		name = named[0].Name
	}
	metric, fit := "speed", 100.0
	if cases.IsGroup(name) {
		metric, fit = "bandwidth", 10
	}
	ref := v1alpha1.BenchmarkRef{Name: name}
	share := map[string]float64{cases.TermsTooHard: 1.5, cases.TermsHard: 0.95, cases.TermsEasy: 0.1}[how]
	if how == cases.TermsSmall {
		ref.Parameters = []v1alpha1.ParameterValue{{Name: "size", Value: "1"}}
	} else {
		ref.Expectations = []v1alpha1.ExpectationOverride{{Metric: metric, Expectation: v1alpha1.Expectation{Min: decimal(fit * share)}}}
	}
	return ref
}

func decimal(v float64) v1alpha1.Decimal {
	return v1alpha1.Decimal(strconv.FormatFloat(v, 'f', -1, 64))
}

// onRule of Assay something happens: to one for a device of a node, or, where it has none, to any, as soon as there is one.
func (w *world) onRule(h cases.Happening, do func(*resourcev1.DeviceTaintRule)) {
	all := w.oracle.RulesOf(h.Name)
	if len(all) == 0 {
		all = list.Where(kube.All[*resourcev1.DeviceTaintRule](w.API), oracle.IsOurs)
	}
	switch {
	case len(all) > 0:
		do(all[h.Number%len(all)])
	case !w.Healed:
		w.After(20*time.Second, func() { w.onRule(h, do) })
	}
}

func (w *world) editRule(r *resourcev1.DeviceTaintRule, how string) {
	next := r.DeepCopy()
	switch how {
	case cases.EditsDevice:
		next.Spec.DeviceSelector.Device = new("gpu-0")
	case cases.EditsTaint:
		next.Spec.Taint.Effect = resourcev1.DeviceTaintEffectNone
	case cases.EditsLabel:
		delete(next.Labels, v1alpha1.LabelManagedBy)
	case cases.EditsNotes:
		next.Annotations = nil
	case cases.EditsTheirs:
		metav1.SetMetaDataLabel(&next.ObjectMeta, "site/team", "x")
		metav1.SetMetaDataAnnotation(&next.ObjectMeta, "site/note", "mine") // somebody may have taken all away before
	}
	_, _ = w.API.Update("person", next, false)
}

// makeRule of somebody else, for a device of a node.
func (w *world) makeRule(h cases.Happening) {
	devices := w.Published(h.Name)
	if len(devices) == 0 {
		return
	}
	at := devices[h.Number%len(devices)]
	r := &resourcev1.DeviceTaintRule{}
	r.Name = fmt.Sprintf("theirs-%s-%d", h.Name, int(h.At.Seconds()))
	r.Spec = resourcev1.DeviceTaintRuleSpec{DeviceSelector: &resourcev1.DeviceTaintSelector{Driver: &at.Driver, Pool: &at.Pool, Device: &at.Place.Device},
		Taint: resourcev1.DeviceTaint{Key: v1alpha1.DefaultTaintKey, Value: "theirs", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
	_, _ = w.API.Create("person", r)
}

// forgeDevices of a mark.
func (w *world) forgeDevices(m *cluster.Machine, number int) {
	w.oracle.Touched(m.Name)
	w.Edit("person", m.Name, func(n *corev1.Node) {
		n.Annotations[v1alpha1.AnnotationQuarantine] = fmt.Sprintf(`{"id":"forged","key":%q,"value":"failed","effect":"NoSchedule","devices":[%q]}`,
			v1alpha1.DefaultTaintKey, m.UUID(number%max(m.Full, 1)))
	})
}
