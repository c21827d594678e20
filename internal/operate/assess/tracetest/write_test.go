package tracetest

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// refusal is which results of a node the API server refuses.
type refusal string

const (
	refuseMeasured refusal = "measured"
	refuseFindings refusal = "findings"
	refuseAll      refusal = "all"
)

// writer carries out one Output, in the order that the controller keeps.
type writer struct {
	*run
	in       observe.Input
	out      *assess.Output
	written  assess.Written
	unstored map[string]bool
	// spent says why no more nodes are tainted in this pass.
	spent string
}

func (r *run) write(in observe.Input, out *assess.Output) assess.Written {
	w := &writer{run: r, in: in, out: out, unstored: map[string]bool{}, written: assess.Written{Nodes: map[string]assess.NodeWritten{}}}
	if !observe.Started(r.object) {
		if !r.object.Spec.Suspend && out.NodeCount() > 0 {
			snapshot := r.catalogue()
			r.pin = &snapshot
		}
		return w.written
	}
	w.act()
	return w.written
}

func (w *writer) act() {
	w.shortSince = w.out.ShortSince
	for what, waited := range w.out.CutShort { // what is being deleted only waits for its end: what was known first counts
		w.cutShort[what] = cmp.Or(w.cutShort[what], waited)
	}
	w.startedAnew.Add(w.out.StartedAnew)
	for _, g := range w.out.Groups {
		refused, err := w.put(g)
		w.written.Err = errors.Join(w.written.Err, err)
		w.written.GroupRefused = w.written.GroupRefused || refused && err == nil
	}
	if w.written.GroupRefused {
		return
	}
	for _, n := range w.out.Nodes {
		refused, err := w.put(n)
		w.written.Err = errors.Join(w.written.Err, err)
		found := w.written.Nodes[n.Result.Node.Name]
		found.Unstored, found.Refused = err, refused && err == nil
		if err == nil {
			w.written.Stored++
		}
		w.written.Nodes[n.Result.Node.Name] = found
	}
	for _, d := range w.out.DeletePods {
		if !w.unstored[d.After] {
			w.deletePod(d)
		}
	}
	for _, d := range w.out.DeleteJobs {
		if !w.unstored[d.After] {
			w.deleteJob(d)
		}
	}
	for _, p := range w.out.Leftovers {
		w.remove(w.pod(p.Name), false, "leftover")
	}
	for _, j := range w.out.Judged {
		if name := j.Node.Name; !w.unstored[j.Result.Name] && !w.written.Nodes[name].Refused {
			w.actOnNode(j)
		}
	}
	for _, l := range w.out.LaunchPods {
		w.launchPod(l)
	}
	for _, l := range w.out.LaunchJobs {
		w.launchJob(l)
	}
}

// put stores a result. One that is refused is stored without what is new in it.
func (w *writer) put(write assess.ResultWrite) (refused bool, err error) {
	next := write.Result.DeepCopy()
	if why := w.refusal(next); why != "" {
		refused = true
		next = result.Refused(write.Stored, write.Result, why)
		if why = w.refusal(next); why != "" {
			w.unstored[next.Name] = true
			return refused, fmt.Errorf("storing the result of %s: %s", write.About, why)
		}
	}
	before := w.results[next.Name]
	who := next.Node.Name
	if next.Group != nil {
		who = groupName(next.Group.Nodes)
		w.call(next.Name, w.object.Name+"."+next.Benchmarks[0].Name+"@"+who)
	} else {
		w.call(next.Name, w.object.Name+"."+who)
	}
	next = stored(w.t, next)
	w.results[next.Name] = next
	for _, b := range next.Benchmarks {
		for _, a := range b.Attempts[min(len(b.Attempts), len(attemptsOf(before, b.Name))):] {
			w.checkAttempt(who, a)
			w.sayUsual(w.stored(next, &a), "store", who, "%s #%d %s", b.Name, a.Number, attemptText(a))
		}
	}
	if next.Verdict != v1alpha1.VerdictPending && (before == nil || before.Verdict != next.Verdict || before.Message != next.Message) {
		w.say("verdict", who, "%s", strings.TrimSuffix(fmt.Sprintf("%s/%s: %s", next.Verdict, next.Reason, next.Message), ": "))
	}
	return refused, nil
}

// stored is what is to be expected of a node's attempt in a group: it has the value of the groups' attempts, which were told, and its verdict follows.
func (w *writer) stored(r *v1alpha1.ValidationResult, a *v1alpha1.Attempt) fold {
	value, alone := strings.CutPrefix(attemptText(*a), "measured: node ")
	inGroup := slices.ContainsFunc(w.in.Tasks, func(t observe.Task) bool { return t.IsGroup() && t.Name() == r.Benchmarks[0].Name })
	if !alone || !inGroup || r.Group != nil || len(r.Benchmarks) > 1 {
		return fold{}
	}
	return fold{"verdict", string(r.Verdict) + "/", "stored as " + value}
}

// refusal is what the API server says of a result that it does not take.
func (w *world) refusal(next *v1alpha1.ValidationResult) string {
	var nodes []v1alpha1.ObjectReference
	if next.Group != nil {
		nodes = next.Group.Nodes
	}
	for _, n := range append(nodes, next.Node) {
		switch w.refuses[n.Name] {
		case refuseAll:
			return "the API server takes no result of " + n.Name
		case refuseFindings:
			for _, b := range next.Benchmarks {
				if len(b.Findings) > 0 {
					return "the API server takes no finding about " + n.Name
				}
			}
		case refuseMeasured:
			for _, b := range next.Benchmarks {
				for _, a := range b.Attempts {
					if len(a.Measurements) > 0 {
						return "the API server takes no measurement of " + n.Name
					}
				}
			}
		}
	}
	return ""
}

func attemptsOf(v *v1alpha1.ValidationResult, benchmark string) []v1alpha1.Attempt {
	if v != nil {
		for _, b := range v.Benchmarks {
			if b.Name == benchmark {
				return b.Attempts
			}
		}
	}
	return nil
}

// attemptText is what an attempt measured, or why it did not.
func attemptText(a v1alpha1.Attempt) string {
	var values []string
	for _, m := range a.Measurements {
		for _, p := range m.Parts {
			values = append(values, fmt.Sprintf("%s %s", p.At, p.Value))
		}
		values[len(values)-1] += " " + m.Unit
	}
	text := string(a.Verdict) + "/" + a.Reason
	if a.Reason == v1alpha1.ReasonMeasured {
		text = "measured"
	}
	return strings.TrimSuffix(text+": "+strings.Join(append(values, a.Message), ", "), ", ")
}

func groupName(nodes []v1alpha1.ObjectReference) string {
	var names []string
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return strings.Join(names, "+")
}

// reason that the plan gives for an action.
func (w *writer) reason(is func(plan.Action) bool) string {
	for _, a := range w.out.Plan.Actions {
		if is(a) {
			return a.Reason
		}
	}
	return ""
}

func (w *writer) deletePod(d assess.PodDeletion) {
	p := w.pod(d.Pod.Name)
	w.checkDeletion(p)
	w.remove(p, d.Force, w.reason(func(a plan.Action) bool { return a.Kind == plan.Delete && a.Pod == d.Pod.Name }))
}

func (w *writer) deleteJob(d assess.JobDeletion) {
	for _, name := range d.Unplaced {
		w.busy[name] = busyNode{d.Busy, w.now}
	}
	i := slices.IndexFunc(w.jobs, func(j *job) bool { return j.meta.UID == d.UID })
	j := w.jobs[i]
	w.checkJobDeletion(j)
	w.sayDeleted(j.who(), fmt.Sprintf("%s #%d", j.benchmark, j.attempt), j.benchmark, strconv.Itoa(j.attempt),
		w.reason(func(a plan.Action) bool { return a.Kind == plan.Delete && a.Pod == d.Name }))
	w.jobs = slices.Delete(w.jobs, i, i+1)
}

func (w *writer) launchPod(l assess.PodLaunch) {
	node, name := l.Node.Name, l.Task.Name()
	if l.Task.Benchmark.Spec.Needs.DeviceResource != "" && w.foreign[node] != "" {
		w.markBusy(node, w.foreign[node])
		return
	}
	w.checkLaunch(name, l.Attempt, l.Result, node)
	w.checkDevices(&l.Task, node)
	object := workload.Pod(workload.Launch{Run: w.object, Benchmark: l.Task.Benchmark, Argv: l.Task.Argv, Node: l.Node, Attempt: l.Attempt,
		Quarantine: l.Quarantine, Machine: l.Machine}, settings)
	w.created(&object.ObjectMeta)
	object.Spec = corev1.PodSpec{Tolerations: object.Spec.Tolerations} // nor does the controller keep more of it
	w.call(object.Name, fmt.Sprintf("%s#%d@%s", name, l.Attempt, node))
	w.pods = append(w.pods, &pod{object: object, tolerations: object.Spec.Tolerations, behaviour: w.behaviour(name, node, int(l.Attempt), w.object.Name)})
	w.say("launch", node, "%s #%d: %s", name, l.Attempt, w.reason(func(a plan.Action) bool { return a.Kind == plan.Launch && a.Node == node }))
}

// markBusy remembers what holds a node, and has the run looked at again soon.
func (w *writer) markBusy(node, why string) {
	w.foundBusy(node, why)
	if at := w.now.Add(assess.BatchDelay); w.written.Recheck.IsZero() || at.Before(w.written.Recheck) {
		w.written.Recheck = at
	}
}

func (w *writer) foundBusy(node, why string) {
	w.busy[node] = busyNode{why, w.now}
	n := w.written.Nodes[node]
	n.Busy = why
	w.written.Nodes[node] = n
}

func (w *writer) launchJob(l assess.JobLaunch) {
	var names []string
	for _, n := range l.Nodes {
		if why := cmp.Or(w.foreign[n.Name], w.claimed(n.Name)); why != "" {
			w.foundBusy(n.Name, why)
			return
		}
		names = append(names, n.Name)
	}
	w.checkLaunch(l.Task.Name(), l.Attempt, l.Result, names...)
	w.checkDevices(&l.Task, names...)
	object := workload.MPIJob(workload.GroupLaunch{Run: w.object, Benchmark: l.Task.Benchmark, Argv: l.Task.Argv, Nodes: l.Nodes,
		Quarantines: l.Quarantines, Attempt: l.Attempt, Round: l.Round, Machines: l.Machines}, settings)
	w.created(&object.ObjectMeta)
	j := &job{meta: metav1.PartialObjectMetadata{ObjectMeta: object.ObjectMeta}, spec: object, run: w.object.Name, benchmark: l.Task.Name(), nodes: names,
		attempt: int(l.Attempt), round: int(l.Round)}
	j.behaviour = w.behaviour(j.benchmark, j.who(), j.attempt, w.object.Name)
	w.call(object.Name, fmt.Sprintf("%s#%d@%s", j.benchmark, j.attempt, j.who()))
	w.jobs = append(w.jobs, j)
	w.say("launch", j.who(), "%s #%d: %s", j.benchmark, j.attempt, w.reason(func(a plan.Action) bool { return a.Kind == plan.Launch && a.Group == l.Result }))
}

// claimed says which other run has an MPIJob on a node.
func (w *writer) claimed(node string) string {
	for _, j := range w.jobs {
		if j.run != w.object.Name && slices.Contains(j.nodes, node) {
			return "waiting for run " + j.run + ", which is measuring this node"
		}
	}
	return ""
}
