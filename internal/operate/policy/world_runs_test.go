package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
	"github.com/assay-dev/assay/internal/operate/policy/needs"
)

// The runs of the simulated cluster, and what they find.

func (w *world) create(p *worldPolicy, planned Run) {
	w.say("run     %s: %s", w.shorten(planned.Name, planned.Reason), listed(planned.Spec.NodeNames))
	run := &v1alpha1.ValidationRun{Spec: planned.Spec}
	run.Name = planned.Name
	run.Labels = map[string]string{v1alpha1.LabelPolicy: p.Name, v1alpha1.LabelPolicyReason: planned.Reason}
	run.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(p, v1alpha1.GroupVersion.WithKind("ValidationPolicy"))}
	w.start(run)
}

// shorten a run's name by its hash, and say what it is for: which one it is says the order.
func (w *world) shorten(name, reason string) string {
	if i := strings.LastIndex(name, "-"); len(name)-i == 9 {
		return name[:i] + "-" + strings.ToLower(reason)
	}
	return name
}

// start a run; its nodes take so long as its benchmarks cost, and are measured at once.
func (w *world) start(run *v1alpha1.ValidationRun) {
	w.made++
	run.UID = types.UID(fmt.Sprintf("run-%d", w.made))
	run.CreationTimestamp = metav1.Time{Time: w.now}
	run.Status.StartTime = &metav1.Time{Time: w.now}
	r := &worldRun{ValidationRun: run, ends: w.now.Add(2 * time.Second)}
	for _, name := range run.Spec.NodeNames {
		n := w.node(name)
		if n.busy == "" {
			r.nodes = append(r.nodes, n)
		}
	}
	if len(r.nodes) > 0 {
		for _, b := range w.asked(run) {
			r.ends = r.ends.Add(seconds(b.Spec.CostSeconds))
		}
	}
	w.runs = append(w.runs, r)
}

func (w *world) asked(run *v1alpha1.ValidationRun) []*v1alpha1.Benchmark {
	var all []*v1alpha1.Benchmark
	for i := range w.benchmarks {
		b := &w.benchmarks[i]
		named := slices.ContainsFunc(run.Spec.Benchmarks, func(r v1alpha1.BenchmarkRef) bool { return r.Name == b.Name })
		if named || run.Spec.Suite != "" && slices.Contains(b.Spec.Suites, run.Spec.Suite) {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b *v1alpha1.Benchmark) int { return cmp.Compare(a.Spec.CostSeconds, b.Spec.CostSeconds) })
	return all
}

// finish a run: what it found enters what is known of its nodes.
func (w *world) finish(r *worldRun) {
	verdict := v1alpha1.VerdictPass
	var bad []string
	for _, n := range r.nodes {
		if !slices.Contains(w.nodes, n) {
			continue
		}
		v := w.record(r, n)
		if v != v1alpha1.VerdictPass {
			verdict, bad = v1alpha1.VerdictFail, append(bad, fmt.Sprintf("%s %s", n.Name, v))
		}
	}
	skipped := len(r.Spec.NodeNames) - len(r.nodes)
	if len(r.nodes) == 0 {
		verdict = v1alpha1.VerdictInconclusive
	}
	text := ""
	if len(bad) > 0 {
		text += "; " + listed(bad)
	}
	if skipped > 0 {
		text += fmt.Sprintf("; %d busy", skipped)
	}
	w.say("ended   %s: %d measured%s", w.shorten(r.Name, r.Labels[v1alpha1.LabelPolicyReason]), len(r.nodes), text)
	if metav1.GetControllerOf(r) == nil {
		r.Spec.NodeNames = nil // as the cache has it
	}
	r.Status.Verdict, r.Status.Progress = verdict, fmt.Sprintf("%d/%d", len(r.nodes), len(r.nodes)+skipped)
	r.Status.CompletionTime = &metav1.Time{Time: w.now}
	r.Status.Cost = w.costOf(r)
	meta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue,
		Reason: "Passed", LastTransitionTime: metav1.Time{Time: w.now}})
}

// costOf a run: programs take half as long as their Benchmarks say.
func (w *world) costOf(r *worldRun) *v1alpha1.Cost {
	var c v1alpha1.Cost
	for _, n := range r.nodes {
		for _, b := range w.asked(r.ValidationRun) {
			gpus := workload.Devices(b, n.Node)
			c.GPUSeconds += gpus.Value() * int64(b.Spec.CostSeconds) / 2
		}
	}
	return c.OrNone()
}

// record what a run found on a node, by a result as the run's controller judges it.
func (w *world) record(r *worldRun, n *worldNode) v1alpha1.Verdict {
	result := &v1alpha1.ValidationResult{Verdict: v1alpha1.VerdictPass, Node: v1alpha1.ObjectReference{Name: n.Name, UID: n.UID}}
	j := nodevalidation.Judgement{Node: n.Node, Run: v1alpha1.ObjectReference{Name: r.Name, UID: r.UID}, Result: result, Time: metav1.Time{Time: w.now},
		Benchmarks: map[string]nodevalidation.Benchmark{}}
	launch := r.CreationTimestamp.Add(time.Second)
	for _, b := range w.asked(r.ValidationRun) {
		ref := r.Spec.Ref(b.Name)
		found := w.found(r, n, b, len(ref.Parameters) > 0)
		j.Benchmarks[b.Name] = nodevalidation.Benchmark{Asked: w.hashOf(r.ValidationRun, b), OwnParameters: len(ref.Parameters) > 0, OwnExpectations: len(ref.Expectations) > 0,
			OwnTerms: n.finds[b.Name] == "slow" && found.result.Verdict == v1alpha1.VerdictFail, DeviceResource: b.Spec.Needs.DeviceResource}
		at := metav1.Time{Time: launch}
		launch = launch.Add(seconds(b.Spec.CostSeconds))
		if found.launched {
			attempt := v1alpha1.Attempt{Number: 1, Verdict: found.attempt, LaunchTime: &at, Configuration: "c", Machine: new(w.machineOf(n, b, r.nodes))}
			was := n.condition()
			if n.finds[b.Name] == "unknown" { // which machine was measured
				attempt.Machine, was = nil, nil
			}
			w.measured = append(w.measured, measurement{node: n.UID, benchmark: b.Name, at: at.Time, verdict: found.result.Verdict,
				own: len(ref.Parameters)+len(ref.Expectations) > 0, image: b.Spec.Image, was: was,
				asked: j.Benchmarks[b.Name].Asked, ownTerms: j.Benchmarks[b.Name].OwnTerms})
			found.result.Attempts = []v1alpha1.Attempt{attempt}
		}
		found.result.Name = b.Name
		result.Benchmarks = append(result.Benchmarks, found.result)
		if v := found.result.Verdict; v != v1alpha1.VerdictPass && v != v1alpha1.VerdictSkipped && result.Verdict != v1alpha1.VerdictFail {
			result.Verdict = v
		}
	}
	k := nodevalidation.Next(nodevalidation.Known{Validation: n.validation, History: n.history}, j)
	n.validation, n.history = k.Validation, k.History
	n.validation.Convictions = slices.DeleteFunc(n.validation.Convictions, func(c v1alpha1.Conviction) bool {
		return slices.ContainsFunc(result.Benchmarks, func(b v1alpha1.BenchmarkResult) bool {
			return b.Name == c.Benchmark && b.Verdict == v1alpha1.VerdictPass
		})
	})
	return result.Verdict
}

// hashOf what a run asks for.
func (w *world) hashOf(r *v1alpha1.ValidationRun, b *v1alpha1.Benchmark) string {
	hash, err := workload.Asked(b, r.Spec.Ref(b.Name))
	if err != nil {
		w.t.Fatal(err)
	}
	return hash
}

type outcome struct {
	result   v1alpha1.BenchmarkResult
	launched bool
	attempt  v1alpha1.Verdict
}

// found by a benchmark on a node. huge: the run asks for more than any node has.
func (w *world) found(r *worldRun, n *worldNode, b *v1alpha1.Benchmark, huge bool) outcome {
	none := func(reason string) outcome {
		return outcome{result: v1alpha1.BenchmarkResult{Verdict: v1alpha1.VerdictSkipped, Reason: reason}}
	}
	if s := b.Spec.Needs.Selector; s != nil {
		if labelled, err := metav1.LabelSelectorAsSelector(s); err != nil || !labelled.Matches(labels.Set(n.Labels)) {
			return none(v1alpha1.ReasonNeedsNotMet)
		}
	}
	if workload.Shared(b.Spec.Needs.DeviceResource, n.Node) != "" {
		return none(v1alpha1.ReasonSharedDevices)
	}
	devices := workload.Devices(b, n.Node)
	if devices.Value() < workload.LeastDevices(b) && !needs.LostDevices(b, n.Node) {
		return none(v1alpha1.ReasonNeedsNotMet)
	}
	if b.Spec.Scope == v1alpha1.ScopeGroup && len(r.nodes) < groupSize(b.Spec.Group) {
		return none(v1alpha1.ReasonNotGrouped)
	}
	is := func(v v1alpha1.Verdict, reason string, attempt v1alpha1.Verdict) outcome {
		return outcome{v1alpha1.BenchmarkResult{Verdict: v, Reason: reason}, true, attempt}
	}
	if needs.LostDevices(b, n.Node) {
		return is(v1alpha1.VerdictFail, v1alpha1.ReasonDevicesMissing, v1alpha1.VerdictFail)
	}
	finds := cmp.Or(n.finds[b.Name], n.finds["*"])
	if huge {
		finds = "cannot"
	}
	switch finds {
	case "fail":
		return is(v1alpha1.VerdictFail, v1alpha1.ReasonBelowExpectation, v1alpha1.VerdictFail)
	case "slow": // it does as the Benchmark asks, and not as a run with bounds of its own does, unless those are 0
		if own := r.Spec.Ref(b.Name).Expectations; len(own) > 0 && own[0].Min != "0" {
			return is(v1alpha1.VerdictFail, v1alpha1.ReasonBelowExpectation, v1alpha1.VerdictFail)
		}
	case "nopull":
		return is(v1alpha1.VerdictError, v1alpha1.ReasonImagePullFailed, v1alpha1.VerdictError)
	case "notjudged":
		return is(v1alpha1.VerdictInconclusive, v1alpha1.ReasonNotJudged, v1alpha1.VerdictPass)
	case "missing": // as the run knows by other nodes, say
		return is(v1alpha1.VerdictFail, v1alpha1.ReasonDevicesMissing, v1alpha1.VerdictFail)
	case "cannot":
		return is(v1alpha1.VerdictError, v1alpha1.ReasonCannotRunHere, v1alpha1.VerdictError)
	}
	return is(v1alpha1.VerdictPass, v1alpha1.ReasonMeasured, v1alpha1.VerdictPass)
}
