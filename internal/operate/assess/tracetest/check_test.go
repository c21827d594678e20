package tracetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/attempt"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// wrong fails the story.
func (w *world) wrong(format string, args ...any) {
	w.t.Helper()
	w.t.Errorf("%s: %s", w.now.Sub(epoch), w.read(fmt.Sprintf(format, args...)))
}

// unchanged makes sure that nothing that was read is changed, as all passes share it.
func (r *run) unchanged(in observe.Input, histories map[string]*v1alpha1.NodeHistory) func() {
	text := func() []byte {
		data, err := json.Marshal([]any{in.Run, in.Nodes, in.Results, in.Pods, in.Jobs, in.Validations, histories})
		if err != nil {
			r.t.Fatal(err)
		}
		return data
	}
	before := text()
	return func() {
		if !bytes.Equal(before, text()) {
			r.wrong("the pass changed what it was given")
		}
	}
}

// checkMemory: a pass that remembers those before it comes to the same as one that does not.
func (r *run) checkMemory(in observe.Input, out *assess.Output) {
	in.Memory = nil
	collected, err := assess.Collect(in)
	if err != nil {
		r.t.Fatal(err)
	}
	again := assess.Run(collected.Given(r.historiesOf(maps.Keys(in.Validations))))
	judged := func(o *assess.Output) (all []taint.Judgement) {
		for _, j := range o.Judged {
			all = append(all, j.Judge(r.validations[j.Node.Name], r.histories[j.Node.Name]))
		}
		return all
	}
	for what, both := range map[string][2]any{
		"plan": {again.Plan, out.Plan}, "results of nodes": {again.Nodes, out.Nodes}, "results of groups": {again.Groups, out.Groups},
		"judgements": {judged(&again), judged(out)}, "status": {timeless(again.Report(assess.Written{})), timeless(out.Report(assess.Written{}))},
	} {
		if !reflect.DeepEqual(both[0], both[1]) {
			r.wrong("without what it remembers, the pass would come to another %s (-without +with):\n%s", what, cmp.Diff(both[0], both[1]))
		}
	}
}

// timeless is a report without when its conditions changed, which is by the clock on the wall.
func timeless(report assess.Report) assess.Report {
	report.Status = *report.Status.DeepCopy()
	for i := range report.Status.Conditions {
		report.Status.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	return report
}

// checkMeasuring: a row names the benchmark that runs exactly where its text says that one does.
func (r *run) checkMeasuring(row v1alpha1.NodeRow) {
	says := row.Verdict == v1alpha1.VerdictPending && (strings.HasSuffix(row.Message, " is running") || strings.Contains(row.Message, " is measuring the node with "))
	if m := row.Measuring; says != (m != nil) {
		r.wrong("node %s: measuring is %v, and its text says %q", row.Name, m, row.Message)
	} else if says && (m.Attempt < 1 || m.Since.IsZero() || m.Since.After(r.now) || !strings.Contains(row.Message, m.Benchmark)) {
		r.wrong("node %s: measuring is %+v, and its text says %q", row.Name, *m, row.Message)
	}
}

// checkPlan: nothing is started where nothing may be.
func (r *run) checkPlan(out *assess.Output) {
	deadline, done := r.deadline(), out.Report(assess.Written{}).Status.Summary
	for _, a := range out.Plan.Actions {
		switch {
		case a.Reason == "":
			r.wrong("%s of %s%s gives no reason", a.Kind, a.Node, a.Group)
		case a.Kind == plan.Launch && r.object.Spec.Suspend:
			r.wrong("a launch although the run is suspended")
		case a.Kind == plan.Launch && !deadline.IsZero() && !r.now.Before(deadline):
			r.wrong("a launch although the deadline has passed")
		case a.Kind == plan.Launch && done.Pending+done.Running == 0:
			r.wrong("a launch on %s%s although every node has its verdict", a.Node, a.Group)
		}
	}
}

// deadline of a run that goes on; zero where it has not started, or is suspended, or was a moment ago.
func (r *run) deadline() time.Time {
	if r.object.Status.StartTime == nil || r.object.Spec.Suspend || conditionOf(r.object.Status.Conditions, v1alpha1.ConditionSuspended) != nil {
		return time.Time{}
	}
	return r.object.Status.StartTime.Add(time.Duration(*r.object.Spec.ActiveDeadlineSeconds) * time.Second)
}

// checkLaunch: an attempt is the next one, and its nodes are free and fit.
func (w *writer) checkLaunch(benchmark string, attempt int32, result string, nodes ...string) {
	if n := len(w.attempts(result, benchmark)); int(attempt) != n+1 {
		w.wrong("%s #%d is launched on %v, but %d attempts are stored", benchmark, attempt, nodes, n)
	}
	w.checkConcurrency(nodes...)
	for _, name := range nodes {
		n := w.nodes[name]
		if n == nil || !isReady(n) || n.Spec.Unschedulable {
			w.wrong("%s #%d is launched on node %s, which takes no pod", benchmark, attempt, name)
		}
		for _, p := range w.pods {
			if p.node() == name && !p.isLauncher() && (!p.over() || metav1.IsControlledBy(p.object, w.object)) {
				w.wrong("%s #%d is launched on node %s, which has pod %s", benchmark, attempt, name, p.object.Name)
			}
		}
		for _, j := range w.jobs {
			if slices.Contains(j.nodes, name) && j.run == w.object.Name {
				w.wrong("%s #%d is launched on node %s, which job %s measures", benchmark, attempt, name, j.meta.Name)
			}
		}
	}
}

// checkConcurrency: with these nodes the run measures no more than it may at once, but for a group that is larger than that, alone.
func (w *writer) checkConcurrency(nodes ...string) {
	active := map[string]bool{}
	for _, p := range w.pods {
		if metav1.IsControlledBy(p.object, w.object) && !w.cutOff(p) {
			active[p.node()] = true
		}
	}
	for _, j := range w.jobs {
		for _, n := range j.nodes {
			active[n] = active[n] || j.run == w.object.Name
		}
	}
	maps.DeleteFunc(active, func(_ string, is bool) bool { return !is })
	limit, err := intstr.GetScaledValueFromIntOrPercent(w.object.Spec.MaxConcurrentNodes, w.out.NodeCount(), false)
	if err != nil {
		w.t.Fatal(err)
	}
	if n := len(active) + len(nodes); n > max(1, limit) && len(active) > 0 {
		w.wrong("run %s measures %d nodes at once, at most %d may be", w.object.Name, n, limit)
	}
}

// checkDeletion: what an ended pod found is stored before the pod is deleted.
func (w *writer) checkDeletion(p *pod) {
	attempt, _ := strconv.Atoi(p.object.Annotations[v1alpha1.AnnotationAttempt])
	if p.over() && p.object.DeletionTimestamp == nil {
		w.checkStored(v1alpha1.ResultName(w.object, p.node()), p.object.Labels[v1alpha1.LabelBenchmark], attempt)
	}
}

func (w *writer) checkJobDeletion(j *job) {
	for _, p := range w.pods {
		if p.job != j || !p.isLauncher() || !p.over() {
			continue
		}
		for name, v := range w.results {
			if v.Group != nil && v.Run.UID == w.object.UID && groupName(v.Group.Nodes) == j.who() && v.Benchmarks[0].Name == j.benchmark {
				w.checkStored(name, j.benchmark, j.attempt)
				return
			}
		}
		w.wrong("job %s is deleted, and there is no result of it", j.meta.Name)
	}
}

func (w *writer) checkStored(result, benchmark string, attempt int) {
	known := slices.ContainsFunc(w.attempts(result, benchmark), func(a v1alpha1.Attempt) bool { return int(a.Number) == attempt })
	if !known {
		w.wrong("%s #%d is deleted, and its attempt is not stored in %s", benchmark, attempt, result)
	}
}

// onlyFacts failed a node: they need no confirmation.
func onlyFacts(findings []v1alpha1.Finding) bool {
	return !slices.ContainsFunc(findings, func(f v1alpha1.Finding) bool {
		return f.Verdict == v1alpha1.VerdictFail && !strings.HasPrefix(f.Rule, "Fact")
	})
}

// checkTaint: a taint rests on a stored failure that was confirmed, and keeps the budgets.
func (n *nodeWriter) checkTaint(j taint.Judgement) {
	v := n.results[j.Result.Name]
	if v == nil || v.Verdict != v1alpha1.VerdictFail {
		n.wrong("node %s is tainted, and its result is %v", n.name(), v)
		return
	}
	proved := false
	for _, b := range v.Benchmarks {
		i := slices.IndexFunc(n.in.Tasks, func(t observe.Task) bool { return t.Name() == b.Name })
		wrong := slices.ContainsFunc(b.Attempts, func(a v1alpha1.Attempt) bool { return attempt.WrongData(&a) })
		counted := slices.DeleteFunc(slices.Clone(b.Attempts), func(a v1alpha1.Attempt) bool { return attempt.Disturbed(&a) })
		enough := i >= 0 && n.in.Tasks[i].IsGroup() || len(counted) > min(1, int(*n.object.Spec.Confirmations)) || wrong
		enough = enough || onlyFacts(b.Findings) || b.Reason == v1alpha1.ReasonDevicesMissing // which nothing has to confirm
		proved = proved || b.Verdict == v1alpha1.VerdictFail && enough
	}
	if !proved {
		n.wrong("node %s is tainted by a failure that was not confirmed", n.name())
	}
	all, ofRun := 1, 1
	for name, v := range n.validations {
		if node := n.nodes[name]; name != n.name() && node != nil && v.Quarantine != nil && taint.Carries(node, v.Quarantine) {
			all++
			if n.out.Has(name) {
				ofRun++
			}
		}
	}
	if limit := taint.Limit(n.object.Spec.OnFailure.MaxTaintedNodes, n.out.NodeCount()); ofRun > limit || all > n.policy.Cap(len(n.nodes)) {
		n.wrong("node %s is tainted: %d of the run, at most %d; %d of all, at most %d", n.name(), ofRun, limit, all, n.policy.Cap(len(n.nodes)))
	}
	for _, b := range v.Benchmarks {
		if i := slices.IndexFunc(n.in.Tasks, func(t observe.Task) bool { return t.Name() == b.Name }); i >= 0 && b.Verdict == v1alpha1.VerdictFail {
			n.checkPool(n.in.Tasks[i].Benchmark.Spec.Needs.DeviceResource)
		}
	}
}

// checkPool: with this node, no more of its instance type that have the devices are unfit than the operator's share of them.
func (n *nodeWriter) checkPool(devices string) {
	alike, unfit := 0, 1
	for name, other := range n.nodes {
		has, offers := other.Status.Capacity[corev1.ResourceName(devices)], other.Status.Allocatable[corev1.ResourceName(devices)]
		if other.Labels["node.kubernetes.io/instance-type"] != n.current.Node.Labels["node.kubernetes.io/instance-type"] || devices != "" && has.IsZero() && offers.IsZero() {
			continue
		}
		alike++
		if v := n.validations[name]; name != n.name() && v != nil && len(v.Convictions) > 0 && (v.Quarantine == nil || taint.Carries(other, v.Quarantine)) {
			unfit++
		}
	}
	if limit := max(1, alike*n.policy.MaxPercent/100); unfit > limit {
		n.wrong("node %s is tainted: %d of %d nodes of its type are unfit, at most %d may be", n.name(), unfit, alike, limit)
	}
}

// checkProofs: what this run measured last says what was asked for and on which machine. What came before says what only where the same was not asked for again,
// unless it was asked for on own terms, and is no pass but the last on its terms.
func (n *nodeWriter) checkProofs(v *v1alpha1.NodeValidation) {
	for _, b := range v.Benchmarks {
		i := slices.IndexFunc(n.in.Tasks, func(t observe.Task) bool { return t.Name() == b.Name })
		for k, e := range b.History {
			newest := k == len(b.History)-1
			again := slices.ContainsFunc(b.History[k+1:], func(later v1alpha1.HistoryEntry) bool { return later.Asked == e.Asked })
			passed := slices.ContainsFunc(b.History[k+1:], func(later v1alpha1.HistoryEntry) bool {
				return later.Verdict == v1alpha1.VerdictPass && (e.AsCatalogued() && later.AsCatalogued() || !e.AsCatalogued() && later.Asked == e.Asked)
			})
			switch {
			case newest && i >= 0 && e.RunUID == n.object.UID && (e.Asked != n.in.Tasks[i].Asked || e.Machine == nil && !n.otherDevices):
				n.wrong("run %s measured %s on node %s, and asked for %q on %v", e.Run, b.Name, n.name(), e.Asked, e.Machine)
			case !newest && e.Asked != "" && again && e.AsCatalogued(), e.Verdict == v1alpha1.VerdictPass && passed:
				n.wrong("node %s still knows what run %s asked for by %s: %q on %v", n.name(), e.Run, b.Name, e.Asked, e.Machine)
			}
		}
	}
}

// checkAttempt: what was measured has a span of time.
func (w *world) checkAttempt(who string, a v1alpha1.Attempt) {
	if len(a.Measurements) > 0 && (a.StartTime == nil || a.EndTime == nil || a.EndTime.Before(a.StartTime)) {
		w.wrong("attempt %d on %s was measured from %v to %v", a.Number, who, a.StartTime, a.EndTime)
	}
}

// checkFinished holds the status of a run that is over to what users rely on.
func (r *run) checkFinished() {
	s := r.object.Status
	if s.CompletionTime == nil || s.ObservedGeneration != r.object.Generation {
		r.wrong("run %s is over: completion %v, observedGeneration %d of %d", r.object.Name, s.CompletionTime, s.ObservedGeneration, r.object.Generation)
	}
	if sum := *s.Summary; sum.Passed+sum.Failed+sum.Errored+sum.NotJudged+sum.Skipped != sum.Nodes || sum.Pending+sum.Running != 0 {
		r.wrong("the summary does not add up: %+v", sum)
	}
	for _, c := range s.Conditions {
		if c.Message == "" || c.Reason == "" || c.ObservedGeneration != r.object.Generation {
			r.wrong("condition %s lacks a message, a reason or its generation: %+v", c.Type, c)
		}
	}
}

// check holds the world to what is always so.
func (w *world) check() {
	w.t.Helper()
	busy := map[string]int{}
	for _, p := range w.pods {
		if p.object.Spec.NodeName != "" && !p.over() && !p.isLauncher() {
			busy[p.object.Spec.NodeName]++
		}
	}
	for name, n := range busy {
		if n > 1 {
			w.wrong("%d pods measure on node %s", n, name)
		}
	}
	for name, v := range w.validations {
		if n := w.nodes[name]; n != nil && v.Fingerprint.NodeUID == n.UID {
			w.checkConvictions(n, v)
		}
	}
}

// checkEnd: all is over, nothing is left, and a taint of ours has a record.
func (w *world) checkEnd() {
	w.t.Helper()
	for _, r := range w.runs {
		if !r.object.Finished() {
			w.wrong("nothing will ever happen again, and run %s is not over:\n%s", r.object.Name, w.text())
		}
	}
	pods := slices.DeleteFunc(slices.Clone(w.pods), w.cutOff) // these go with their nodes, or when those are back
	if left := len(pods) + len(w.jobs); left > 0 && !w.leaves {
		w.wrong("%d pods and %d jobs are left:\n%s", len(pods), len(w.jobs), w.text())
	}
	for name, n := range w.nodes {
		v := w.validations[name]
		quarantined := v != nil && v.Quarantine != nil && taint.Carries(n, v.Quarantine)
		if slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1alpha1.DefaultTaintKey && t.Value == "failed" }) && !quarantined && !w.theirs[name] {
			w.wrong("node %s is tainted, and no record says why", name)
		}
		if quarantined && len(v.Convictions) == 0 {
			w.wrong("node %s is quarantined, and nothing convicts it", name)
		}
	}
}
