// Long, because it is one simulated cluster: a world in parts would be read in parts.

package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// epoch is when every simulated run starts.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	// podEnds is how long a deleted pod takes to go.
	podEnds = 2 * time.Second
	// cleanup is how long after its deadline a run may wait for its last pods.
	cleanup = 2 * time.Minute
	// stepLimit stops a simulation that does not end.
	stepLimit = 200_000
)

// found is what a simulated attempt finds.
type found string

const (
	passes  found = "pass"
	slow    found = "slow"
	errs    found = "error"
	vanish  found = "vanish"  // somebody deletes the pod
	forever found = "forever" // the program runs until its pod is deleted
	stuck   found = "stuck"   // the program errs, and its pod never goes by itself
)

// behaviour of one attempt.
type behaviour struct {
	found found
	after time.Duration
}

// incident is something that happens to the cluster or the run.
type incident struct {
	at   time.Time
	what string
	do   func(*world)
}

// world is a simulated cluster with one run in it. It plays the parts of kubelet, scheduler, people, and of the
// controller around the planner.
type world struct {
	t             *testing.T
	now           time.Time
	run           Snapshot
	nodes         []*worldNode
	confirmations int
	behave        func(node, benchmark string, attempt int32) behaviour
	incidents     []incident
	trace         strings.Builder
}

type worldNode struct {
	Facts
	name  string
	busy  string
	tasks []*worldTask
}

type worldTask struct {
	benchmark string
	unmet     string
	stored    []found
	pods      []*worldPod
}

type worldPod struct {
	name    string
	attempt int32
	behaviour
	// ends: when the program ends, gone: when the pod goes. Zero: never.
	ends, gone         time.Time
	stored, terminated bool
}

// newWorld has Ready nodes on which everything passes after 10 seconds.
func newWorld(t *testing.T, nodes int, benchmarks ...string) *world {
	w := &world{t: t, now: epoch, confirmations: 1, run: Snapshot{Deadline: epoch.Add(time.Hour), MaxConcurrent: nodes}}
	w.behave = func(string, string, int32) behaviour { return behaviour{passes, 10 * time.Second} }
	for i := range nodes {
		n := &worldNode{name: fmt.Sprintf("node-%04d", i), Facts: Facts{Exists: true, Ready: true}}
		if nodes <= 26 {
			n.name = "node-" + string(rune('a'+i))
		}
		for _, b := range benchmarks {
			n.tasks = append(n.tasks, &worldTask{benchmark: b})
		}
		w.nodes = append(w.nodes, n)
	}
	return w
}

// at plans an incident.
func (w *world) at(after time.Duration, what string, do func(*world)) {
	w.incidents = append(w.incidents, incident{epoch.Add(after), what, do})
	slices.SortStableFunc(w.incidents, func(a, b incident) int { return a.at.Compare(b.at) })
}

func (w *world) node(name string) *worldNode {
	return w.nodes[slices.IndexFunc(w.nodes, func(n *worldNode) bool { return n.name == name })]
}

func (w *world) say(format string, args ...any) {
	fmt.Fprintf(&w.trace, "%6s  %s\n", w.now.Sub(epoch), fmt.Sprintf(format, args...))
}

// play plays the run to its end and returns the trace. The planner is asked when something changed, and when it wanted
// to look again, never else: a Recheck that is forgotten shows as a run that does not end.
func (w *world) play() string {
	w.t.Helper()
	waiting := map[string]string{}
	for range stepLimit {
		w.happen()
		p := Next(w.snapshot(), w.now)
		w.check(p)
		w.reportWaiting(waiting, p)
		if w.over(p) {
			w.conclude()
			return w.trace.String()
		}
		if w.apply(p) {
			continue
		}
		next := w.nextChange(p)
		if next.IsZero() {
			w.t.Fatalf("nothing will ever happen again, and the run is not over:\n%s", w.trace.String())
		}
		w.now = next
	}
	w.t.Fatalf("the run does not end:\n%s", w.trace.String())
	return ""
}

// reportWaiting says who waits for what, when that changes.
func (w *world) reportWaiting(before map[string]string, p Plan) {
	for _, n := range w.nodes {
		if why := p.Waiting[n.name]; why != before[n.name] {
			if why != "" {
				w.say("waits    %s: %s", n.name, why)
			}
			before[n.name] = why
		}
	}
}

// happen lets everything take place that is due: incidents, programs that end, pods that go.
func (w *world) happen() {
	for len(w.incidents) > 0 && !w.incidents[0].at.After(w.now) {
		w.say("-- %s", w.incidents[0].what)
		w.incidents[0].do(w)
		w.incidents = w.incidents[1:]
	}
	for _, n := range w.nodes {
		for _, t := range n.tasks {
			for _, p := range slices.Clone(t.pods) {
				w.live(n, t, p)
			}
		}
	}
}

// live is the life of one pod up to now, and what the controller collects of it.
func (w *world) live(n *worldNode, t *worldTask, p *worldPod) {
	gone := func() { t.pods = slices.DeleteFunc(t.pods, func(q *worldPod) bool { return q == p }) }
	ended := !p.ends.IsZero() && !w.now.Before(p.ends)
	switch {
	case p.found == vanish && ended:
		w.say("vanished %s %s #%d", n.name, t.benchmark, p.attempt)
		gone()
		return
	case !p.stored && (!n.Exists || n.Recreated || n.GivenUp(w.now)):
		w.store(n, t, p, errs)
	case !p.stored && ended && !p.terminated:
		w.store(n, t, p, p.finds())
	}
	if !p.gone.IsZero() && !w.now.Before(p.gone) {
		w.say("gone     %s %s #%d", n.name, t.benchmark, p.attempt)
		gone()
	}
}

func (w *world) store(n *worldNode, t *worldTask, p *worldPod, f found) {
	p.stored = true
	t.stored = append(t.stored, f)
	w.say("stored   %s %s #%d %s", n.name, t.benchmark, p.attempt, f)
}

// decided judges the stored attempts the way the verdicts do.
func (w *world) decided(n *worldNode, t *worldTask) (verdict string, needs bool) {
	stop := w.verdictWithoutStart(n)
	if len(t.stored) == 0 {
		switch {
		case t.unmet != "":
			return "Skipped", false
		case stop != "" && len(w.awaited(n, t)) == 0:
			return stop, false
		}
		return "", false
	}
	switch last := t.stored[len(t.stored)-1]; {
	case last == errs:
		return "Error", false
	case last == passes && len(t.stored) > 1:
		return "Pass (not confirmed)", false
	case last == passes:
		return "Pass", false
	case len(t.stored) > w.confirmations:
		return "Fail", false
	case stop != "":
		return "Error (could not be confirmed)", false
	}
	return "", true
}

// verdictWithoutStart is the verdict on a node on which nothing can be started any more.
func (w *world) verdictWithoutStart(n *worldNode) string {
	reason, _, wait := n.Unavailable(w.now)
	switch {
	case reason != "" && wait.IsZero():
		return reason
	case !w.now.Before(w.run.Deadline):
		return "Missing"
	case reason == "" && n.busy != "" && w.run.SkipBusy:
		return v1alpha1.ReasonNodeBusy
	}
	return ""
}

func (w *world) snapshot() Snapshot {
	s := w.run
	for _, n := range w.nodes {
		out := Node{Name: n.name, Facts: n.Facts, Busy: n.busy}
		for _, t := range n.tasks {
			verdict, needs := w.decided(n, t)
			task := Task{Benchmark: t.benchmark, NeedsNotMet: t.unmet, Decided: verdict != "", NeedsAttempt: needs, Attempts: int32(len(t.stored))}
			for _, p := range w.awaited(n, t) {
				task.Pods = append(task.Pods, Pod{Name: p.name, Attempt: p.attempt, Ended: p.stored, Terminating: p.terminated})
			}
			out.Tasks = append(out.Tasks, task)
		}
		s.Nodes = append(s.Nodes, out)
	}
	return s
}

// apply does what the plan says. It is true where that changed anything.
func (w *world) apply(p Plan) bool {
	changed := false
	for _, a := range p.Actions {
		n := w.node(a.Node)
		t := n.tasks[slices.IndexFunc(n.tasks, func(t *worldTask) bool { return t.benchmark == a.Benchmark })]
		if a.Kind == Launch {
			w.say("launch   %s %s #%d: %s", n.name, t.benchmark, a.Attempt, a.Reason)
			pod := &worldPod{name: fmt.Sprintf("%s-%s-%d", n.name, t.benchmark, a.Attempt), attempt: a.Attempt,
				behaviour: w.behave(n.name, t.benchmark, a.Attempt)}
			if pod.found != forever {
				pod.ends = w.now.Add(pod.after)
			}
			t.pods = append(t.pods, pod)
			changed = true
			continue
		}
		for _, pod := range t.pods {
			if pod.name == a.Pod {
				changed = w.remove(n, t, pod, a) || changed
			}
		}
	}
	return changed
}

func (w *world) remove(n *worldNode, t *worldTask, p *worldPod, a Action) bool {
	if p.terminated {
		return false
	}
	w.say("delete   %s %s #%d: %s", n.name, t.benchmark, p.attempt, a.Reason)
	p.terminated = true
	if p.found != stuck && n.Exists && n.Ready {
		p.gone = w.now.Add(podEnds)
	}
	return true
}

// nextChange is when something happens next, or when the planner wants to look again.
func (w *world) nextChange(p Plan) time.Time {
	var next time.Time
	consider := func(at time.Time) {
		if at.After(w.now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if !w.run.Suspended {
		consider(p.Recheck)
		consider(w.run.Deadline.Add(cleanup))
	}
	if len(w.incidents) > 0 {
		consider(w.incidents[0].at)
	}
	for _, n := range w.nodes {
		if len(n.tasks) > 0 && !n.Ready { // the controller looks again at the pods of a node that is not Ready
			consider(n.NotReadySince.Add(notReadyGrace))
		}
		for _, t := range n.tasks {
			for _, pod := range t.pods {
				consider(pod.ends)
				consider(pod.gone)
			}
		}
	}
	return next
}

// over: every benchmark has its verdict and no pod is left, or the time for the last pods has passed.
func (w *world) over(p Plan) bool {
	if w.run.Suspended {
		return false
	}
	if !w.now.Before(w.run.Deadline.Add(cleanup)) {
		return true
	}
	for _, n := range w.nodes {
		for _, t := range n.tasks {
			if verdict, _ := w.decided(n, t); verdict == "" || len(w.awaited(n, t)) > 0 {
				return false
			}
		}
	}
	if len(p.Actions)+len(p.Waiting) > 0 {
		w.t.Errorf("%s: every benchmark is decided and no pod is left, but the plan goes on: %v, waiting %v", w.now.Sub(epoch), p.Actions, p.Waiting)
	}
	return true
}

// conclude tells how the run ended, nodes with like verdicts together.
func (w *world) conclude() {
	like := map[string]int{}
	for _, n := range w.nodes {
		var text []string
		left := 0
		for _, t := range n.tasks {
			verdict, _ := w.decided(n, t)
			if verdict == "" {
				verdict = "Missing"
			}
			text = append(text, t.benchmark+" "+verdict)
			left += len(t.pods)
		}
		line := strings.Join(text, ", ")
		if left > 0 {
			line += fmt.Sprintf("; %d pods are left", left)
		}
		if len(w.nodes) <= 26 {
			w.say("== %s: %s", n.name, line)
		}
		like[line]++
	}
	if len(w.nodes) > 26 {
		for _, line := range slices.Sorted(maps.Keys(like)) {
			w.say("== %d nodes: %s", like[line], line)
		}
	}
}

// check holds a plan to the invariants.
func (w *world) check(p Plan) {
	w.t.Helper()
	active, launched := 0, map[string]bool{}
	for _, n := range w.nodes {
		if w.awaits(n) {
			active++
		}
	}
	for _, a := range p.Actions {
		if a.Reason == "" {
			w.t.Errorf("%s: %s of %s gives no reason", w.now.Sub(epoch), a.Kind, a.Node)
		}
		if a.Kind != Launch {
			continue
		}
		if why := w.forbidden(a, launched[a.Node]); why != "" {
			w.t.Errorf("%s: %s %s #%d is launched, but %s", w.now.Sub(epoch), a.Node, a.Benchmark, a.Attempt, why)
		}
		launched[a.Node] = true
		active++
	}
	if len(launched) > 0 && active > w.run.MaxConcurrent {
		w.t.Errorf("%s: %d nodes are active, at most %d may be", w.now.Sub(epoch), active, w.run.MaxConcurrent)
	}
	if p.Active != active {
		w.t.Errorf("%s: the plan counts %d active nodes, there are %d", w.now.Sub(epoch), p.Active, active)
	}
}

// awaited are the pods of a task but for those that are deleted and nobody hears of: their programs may run on.
func (w *world) awaited(n *worldNode, t *worldTask) []*worldPod {
	return slices.DeleteFunc(slices.Clone(t.pods), func(p *worldPod) bool { return p.stored && p.terminated && n.OutOfReach(w.now) })
}

func (w *world) awaits(n *worldNode) bool {
	return slices.ContainsFunc(n.tasks, func(t *worldTask) bool { return len(w.awaited(n, t)) > 0 })
}

func (n *worldNode) pods() int {
	count := 0
	for _, t := range n.tasks {
		count += len(t.pods)
	}
	return count
}

// forbidden says why a launch must not be.
func (w *world) forbidden(a Action, second bool) string {
	n := w.node(a.Node)
	t := n.tasks[slices.IndexFunc(n.tasks, func(t *worldTask) bool { return t.benchmark == a.Benchmark })]
	reason, _, _ := n.Unavailable(w.now)
	verdict, _ := w.decided(n, t)
	switch {
	case second || n.pods() > 0:
		return "the node has a pod"
	case !w.now.Before(w.run.Deadline):
		return "the deadline has passed"
	case w.run.Suspended:
		return "the run is suspended"
	case reason != "":
		return "the node is unavailable: " + reason
	case n.busy != "":
		return "the node is busy"
	case t.unmet != "":
		return "the node lacks what the benchmark needs"
	case verdict != "":
		return "there is a verdict: " + verdict
	case int(a.Attempt) <= len(t.stored):
		return "this attempt is stored"
	case int(a.Attempt) != len(t.stored)+1:
		return "an attempt before it is missing"
	}
	return ""
}

// finds is what the program of an ended pod leaves.
func (p *worldPod) finds() found {
	if p.found == stuck {
		return errs
	}
	return p.found
}
