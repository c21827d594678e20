package campaign

import (
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// The terms that runs set for themselves.
const (
	// termsTooHard: healthy nodes do not meet them.
	termsTooHard = "with bounds that nothing meets"
	// termsHard: only slow nodes do not meet them, nor what the Benchmark asks.
	termsHard = "with harder bounds"
	// termsEasy: slow nodes meet them.
	termsEasy = "with bounds that all meet"
	// termsSmall: it measures something else, which is slower.
	termsSmall = "with a size of its own"
)

const sizeArgument = "--size="

// ownTerms of a run: for one benchmark of its suite, or for what it names.
func (w *world) ownTerms(r *v1alpha1.ValidationRun, how string) {
	if how == "" {
		return
	}
	name := w.c.Benchmarks[w.draw("terms/"+r.Name)%uint64(len(w.c.Benchmarks))]
	if len(r.Spec.Benchmarks) > 0 {
		name = r.Spec.Benchmarks[0].Name
	}
	metric, fit := "speed", 100.0
	if name == "net" {
		metric, fit = "bandwidth", 10
	}
	ref := v1alpha1.BenchmarkRef{Name: name}
	share := map[string]float64{termsTooHard: 1.5, termsHard: 0.95, termsEasy: 0.1}[how]
	if how == termsSmall {
		ref.Parameters = []v1alpha1.ParameterValue{{Name: "size", Value: "1"}}
	} else {
		ref.Expectations = []v1alpha1.ExpectationOverride{{Metric: metric, Expectation: v1alpha1.Expectation{Min: decimal(fit * share)}}}
	}
	if len(r.Spec.Benchmarks) > 0 {
		r.Spec.Benchmarks[0] = ref
	} else {
		r.Spec.Overrides = []v1alpha1.BenchmarkRef{ref}
	}
	if r.Spec.OnFailure != nil {
		w.truth.tainting[r.Name] = true
	}
	if how == termsEasy || how == termsTooHard {
		w.truth.ownBounds[r.Name] = name
	}
}

// isSmall: the program measures something else than the Benchmark does.
func isSmall(pod *corev1.Pod) bool {
	for i := range pod.Spec.Containers {
		if slices.ContainsFunc(append(pod.Spec.Containers[i].Command, pod.Spec.Containers[i].Args...), func(a string) bool { return a == sizeArgument+"1" }) {
			return true
		}
	}
	return false
}

// tellsOfFitness: the run judged the program by what its Benchmark asks, or by what only slow nodes do not meet. What all nodes meet, or none, contradicts nothing.
func (t *truth) tellsOfFitness(p *program) bool {
	return !isSmall(p.pod) && t.ownBounds[p.pod.Labels[v1alpha1.LabelRunName]] != p.benchmark
}

// checkConvicted: nobody is convicted who was never unfit (P6), whether a taint follows or not. By its own terms a run convicts together with its taint only.
func (t *truth) checkConvicted(n *nodeTruth, before, after *v1alpha1.NodeValidation) {
	for _, c := range after.Convictions {
		if before != nil && slices.ContainsFunc(before.Convictions, func(o v1alpha1.Conviction) bool { return o.Run == c.Run && o.Benchmark == c.Benchmark }) {
			continue
		}
		if !c.AsCatalogued && t.tainting[c.Run.Name] && after.Quarantine != nil {
			n.byOwnTerms = true
			continue
		}
		if !t.mayFail(n) {
			t.w.broken("P6", "node %s is convicted by %s of run %s, and it was never unfit", after.Name, c.Benchmark, c.Run.Name)
		}
	}
}

// mayFail: the machine was unfit once, or nothing tells it from one that was.
func (t *truth) mayFail(n *nodeTruth) bool {
	disturbed := n.disturbed > 1 || n.disturbed == 1 && t.unconfirmed() // who is disturbed again when looked at again cannot be told from who is slow
	return n.everUnfit || n.lies || disturbed || t.mostAreSlow()
}

// checkCalled: no node is called failed that nothing convicts (P6).
func (t *truth) checkCalled(n *nodeTruth, before, after *corev1.Node) {
	called := after.Labels[v1alpha1.LabelVerdict]
	if called == "failed" && before.Labels[v1alpha1.LabelVerdict] != called && !n.byOwnTerms && !t.mayFail(n) {
		t.w.broken("P6", "node %s is called failed, and it was never unfit", after.Name)
	}
}

func decimal(v float64) v1alpha1.Decimal {
	return v1alpha1.Decimal(strconv.FormatFloat(v, 'f', -1, 64))
}

func (w *world) createRun(h Happening) {
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
		r.Spec.OnFailure = onFailure(h.Times, h.Scope)
	}
	w.ownTerms(r, h.How)
	if _, err := w.api.Create("person", r); err != nil {
		w.say("person      cannot create run %s: %v", h.Name, err)
	}
}

// onFailure taints as many nodes as are allowed; 0: any number.
func onFailure(most int, scope v1alpha1.TaintScope) *v1alpha1.OnFailure {
	f := &v1alpha1.OnFailure{MaxTaintedNodes: new(intstr.FromString("100%")),
		Taint: &v1alpha1.Taint{Key: v1alpha1.DefaultTaintKey, Value: "failed", Effect: corev1.TaintEffectNoSchedule, Scope: scope}}
	if most > 0 {
		f.MaxTaintedNodes = new(intstr.FromInt(most))
	}
	return f
}

func (w *world) suspendRun(name string, suspend bool) {
	if r := kube.Find[*v1alpha1.ValidationRun](w.api, name); r != nil {
		next := r.DeepCopy()
		next.Spec.Suspend = suspend
		_, _ = w.api.Update("person", next, false)
	}
}

func (w *world) createPolicy(h Happening) {
	p := &v1alpha1.ValidationPolicy{}
	p.Name = h.Name
	p.Spec = v1alpha1.ValidationPolicySpec{AllNodes: true, Suite: "quick", OverdueSeconds: 86400, BatchSeconds: new(int32(10 * h.Number)),
		Retry: v1alpha1.Retry{AfterSeconds: 7200}, RevalidateOn: []v1alpha1.Change{v1alpha1.ChangeDriver, v1alpha1.ChangeDevices},
		Gate: &v1alpha1.Gate{Taint: v1alpha1.GateTaint{Key: gateTaint.Key, Value: gateTaint.Value, Effect: gateTaint.Effect}, TimeoutSeconds: 3600}}
	p.Spec.Run = v1alpha1.RunTemplate{ActiveDeadlineSeconds: new(int64(h.For.Seconds())), Confirmations: new(int32(2)), BusyNodes: v1alpha1.BusySkip}
	if h.Flag {
		p.Spec.Run.OnFailure = onFailure(0, h.Scope)
	}
	if h.Name != "policy" { // two that open one gate would be in each other's way
		p.Spec.Gate = nil
	} else if h.Times > 0 {
		p.Spec.Gate.OnTimeout, p.Spec.Gate.TimeoutSeconds = v1alpha1.OnTimeoutOpen, 240
	}
	if _, err := w.api.Create("person", p); err != nil {
		w.say("person      cannot create policy %s: %v", h.Name, err)
	}
}

func (w *world) suspendPolicy(name string, suspend bool) {
	if p := kube.Find[*v1alpha1.ValidationPolicy](w.api, name); p != nil {
		next := p.DeepCopy()
		next.Spec.Suspend = suspend
		_, _ = w.api.Update("person", next, false)
	}
}

// unlessMadeAnew: two leaders that announce the same at the same time take it back, and make it anew. By then it stands again, of the device if one is given,
// or the machine has gone. Where there was one leader, it has to stand at once.
func (t *truth) unlessMadeAnew(name string, c v1alpha1.Conviction, uuid string, broken func()) {
	m := t.w.machines[name]
	check := func() {
		record := kube.Find[*v1alpha1.NodeValidation](t.w.api, name)
		if t.w.machines[name] == m && (uuid == "" || m.has(uuid)) && !stillConvicts(record, c.Benchmark, uuid) {
			broken()
		}
	}
	if t.w.now.Sub(t.w.trouble) < takenBack {
		t.w.after(takenBack, check)
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
