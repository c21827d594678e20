package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/operate/policy/validity"
)

// Labels by which GPU feature discovery says what a node has.
const (
	labelDriverTest = "nvidia.com/cuda.driver-version.full"
	labelCountTest  = "nvidia.com/gpu.count"
)

// world is a simulated cluster with policies. It plays the parts of kubelets, people, the controller of runs, and the controller around
// Next. What a run finds enters NodeValidations as it does in the operator: by nodevalidation.Next.
type world struct {
	t          testing.TB
	now        time.Time
	zone       *time.Location
	nodes      []*worldNode
	benchmarks []v1alpha1.Benchmark
	profiles   peak.Profiles
	policies   []*worldPolicy
	runs       []*worldRun
	incidents  []incident
	allowed    []string
	made       int
	versions   int
	down       bool
	// terse: no status but the last.
	terse bool
	said  strings.Builder
	// left are the NodeValidations of nodes that are gone, until a node of the same name comes.
	left map[string]*v1alpha1.NodeValidation
	// wakes are when the controller looks again, by policy.
	wakes map[string]time.Time
	// measured is every measurement that was made, for the oracle alone.
	measured []measurement
}

type worldNode struct {
	*corev1.Node
	validation *v1alpha1.NodeValidation
	history    *v1alpha1.NodeHistory
	busy       string
	// finds what a benchmark finds on it; pass where it says nothing.
	finds map[string]string
	// stamped are node and validation as they were when they got their versions.
	stamped           *corev1.Node
	stampedValidation *v1alpha1.NodeValidation
}

type worldPolicy struct {
	*v1alpha1.ValidationPolicy
	passes int
	seen   map[types.UID]Seen
	looks  map[types.UID]Look
	looked map[string]int
	memory *validity.Memory
	// counts, next and rows of its status are those that were told.
	counts, next string
	rows         map[string]string
}

type worldRun struct {
	*v1alpha1.ValidationRun
	ends time.Time
	// takes part: the nodes that were there and idle when it started.
	nodes []*worldNode
}

type incident struct {
	at   time.Time
	what string
	do   func()
}

// stepLimit stops a life in which something happens all the time.
const stepLimit = 20_000

func newWorld(t testing.TB) *world {
	return &world{t: t, now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), zone: time.UTC, wakes: map[string]time.Time{},
		left: map[string]*v1alpha1.NodeValidation{}}
}

func (w *world) at(when time.Time, what string, do func()) {
	w.incidents = append(w.incidents, incident{when, what, do})
	slices.SortStableFunc(w.incidents, func(a, b incident) int { return a.at.Compare(b.at) })
}

// addNode that offers 8 devices and is Ready.
func (w *world) addNode(name string) *worldNode {
	w.made++
	n := &worldNode{Node: &corev1.Node{}, finds: map[string]string{}}
	n.Name, n.UID = name, types.UID(fmt.Sprintf("uid-%d-%s", w.made, name))
	n.CreationTimestamp = metav1.Time{Time: w.now}
	n.Labels = map[string]string{v1alpha1.LabelGPUProduct: "NVIDIA-H200", labelDriverTest: "570.10"}
	n.Status.NodeInfo = corev1.NodeSystemInfo{BootID: "boot-1", KernelVersion: "6.8"}
	n.setReady(true, w.now)
	n.setDevices(8)
	n.validation = w.left[name]
	w.nodes = append(w.nodes, n)
	return n
}

func (n *worldNode) setReady(ready bool, at time.Time) {
	status := corev1.ConditionFalse
	if ready {
		status = corev1.ConditionTrue
	}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status, LastTransitionTime: metav1.Time{Time: at}}}
}

func (n *worldNode) setDevices(count int64) {
	q := *newQuantity(count)
	n.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": q}
	n.Labels[labelCountTest] = fmt.Sprint(count)
}

func (w *world) node(name string) *worldNode {
	i := slices.IndexFunc(w.nodes, func(n *worldNode) bool { return n.Name == name })
	if i < 0 {
		w.t.Fatalf("there is no node %s", name)
	}
	return w.nodes[i]
}

func (w *world) policy(name string) *worldPolicy {
	return w.policies[slices.IndexFunc(w.policies, func(p *worldPolicy) bool { return p.Name == name })]
}

func (w *world) snapshot(p *worldPolicy) Snapshot {
	for _, n := range w.nodes {
		w.stamp(n)
	}
	return w.unchanged(p)
}

// unchanged is the snapshot where nothing of the nodes has changed since the last one.
func (w *world) unchanged(p *worldPolicy) Snapshot {
	s := Snapshot{Policy: p.ValidationPolicy, Profiles: w.profiles, First: p.passes == 0, Memory: p.memory, GateAllowed: func(key string) bool {
		return strings.HasPrefix(key, "assay.dev/") || slices.Contains(w.allowed, key)
	}}
	s.Benchmarks, s.Unresolved = Resolve(&p.Spec, w.benchmarks)
	for _, n := range w.nodes {
		one := Node{Object: n.Node, Look: p.looks[n.UID], Seen: p.seen[n.UID]}
		if n.validation != nil {
			one.Validation = n.validation
		}
		s.Nodes = append(s.Nodes, one)
	}
	for _, r := range w.runs {
		s.Runs = append(s.Runs, r.ValidationRun)
	}
	for _, o := range w.policies {
		s.Policies = append(s.Policies, o.ValidationPolicy)
	}
	return s
}

// pass of the controller over one policy. It is repeated until nothing follows from what it did.
func (w *world) pass(p *worldPolicy) {
	quiet := false
	for range 50 {
		before := p.Status.DeepCopy()
		plan := Next(w.snapshot(p), w.now)
		if len(plan.Look) > 0 {
			w.look(p, plan.Look)
			plan = Next(w.unchanged(p), w.now)
		}
		w.check(p, plan)
		w.apply(p, plan)
		p.passes++
		w.wakes[p.Name] = plan.Again
		if len(plan.Create)+len(plan.Open)+len(plan.ByHand)+len(plan.Overdue)+len(plan.Delete) == 0 && equality.Semantic.DeepEqual(*before, p.Status) {
			if quiet && len(plan.Events) > 0 {
				w.t.Errorf("%s: event %s again, and nothing happened", w.now, plan.Events[0].Reason)
			}
			if quiet = true; len(plan.Events) > 0 {
				continue // a process that was started anew says it once more
			}
			w.tell(p)
			return
		}
	}
	w.t.Fatalf("%s: policy %s never comes to rest:\n%s", w.now, p.Name, w.said.String())
}

func (w *world) look(p *worldPolicy, names []string) {
	for _, name := range names {
		n := w.node(name)
		if n.busy != p.looks[n.UID].Busy {
			w.say("look    %s is %s", name, cmp.Or(n.busy, "idle"))
		}
		p.looks[n.UID] = Look{At: w.now, Busy: n.busy}
		p.looked[name]++
	}
}

func (w *world) apply(p *worldPolicy, plan Plan) {
	for _, r := range plan.Create {
		w.create(p, r)
	}
	for i := range plan.Open {
		w.open(p, &plan.Open[i])
	}
	for _, b := range plan.ByHand {
		w.node(b.Node.Name).annotate(b.Record)
	}
	var labels, events []said
	for _, name := range slices.Sorted(mapsKeys(plan.Overdue)) {
		if plan.Overdue[name] {
			labels = append(labels, said{name, "overdue=" + p.Name})
			w.node(name).Labels[v1alpha1.LabelOverdue] = p.Name
		} else {
			labels = append(labels, said{name, "not overdue"})
			delete(w.node(name).Labels, v1alpha1.LabelOverdue)
		}
	}
	for _, gone := range plan.Delete {
		w.runs = slices.DeleteFunc(w.runs, func(r *worldRun) bool { return r.UID == gone.UID })
	}
	for _, e := range plan.Events {
		events = append(events, said{e.Node.Name, e.Reason + ": " + e.Notes})
	}
	for _, line := range together(labels) {
		w.say("label   %s", line)
	}
	for _, line := range together(events) {
		w.say("event   %s", line)
	}
	p.seen = plan.Seen
	p.Status = plan.Status
}

func (n *worldNode) annotate(r v1alpha1.GateRecord) {
	if n.Annotations == nil {
		n.Annotations = map[string]string{}
	}
	n.Annotations[v1alpha1.AnnotationGate] = r.String()
}

func (w *world) open(p *worldPolicy, o *Opening) {
	n := w.node(o.Node)
	if !MayOpen(o, NewLive(w.unchanged(p), w.now), n.Node, n.validation, w.now) {
		w.t.Errorf("%s: the gate of %s is planned to be opened, and by what is there it may not be", w.now, o.Node)
		return
	}
	w.say("open    %s: %s", o.Node, o.Message)
	w.untaint(n, o.Taint)
	n.annotate(o.Record)
}

func (w *world) untaint(n *worldNode, like corev1.Taint) {
	n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == like.Key && t.Effect == like.Effect })
}

// play until the end. The controller makes a pass when something happens, and when it wanted to look again, never else.
func (w *world) play(until time.Time) {
	for step := 0; ; step++ {
		if step == stepLimit {
			said := w.said.String()
			w.t.Fatalf("%s: no end of passes; the last things that happened:\n%s", w.now, said[max(0, len(said)-6000):])
		}
		w.happen()
		if !w.down {
			for _, p := range slices.Clone(w.policies) {
				w.pass(p)
			}
		}
		next := w.nextEvent(until)
		if next.After(until) || !next.After(w.now) {
			w.now = until
			if w.terse {
				p := w.policies[0]
				p.rows = nil
				w.say("status  %s%s%s", p.counts, p.next, w.newRows(p))
			}
			return
		}
		w.now = next
	}
}

func (w *world) happen() {
	for len(w.incidents) > 0 && !w.incidents[0].at.After(w.now) {
		i := w.incidents[0]
		w.incidents = w.incidents[1:]
		if i.what != "" {
			w.say("-- %s", i.what)
		}
		i.do()
	}
	for _, r := range w.runs {
		if !r.Finished() && !r.ends.After(w.now) && !r.Spec.Suspend {
			w.finish(r)
		}
	}
}

func (w *world) nextEvent(until time.Time) time.Time {
	next := until.Add(time.Second)
	consider := func(at time.Time) {
		if at.After(w.now) && at.Before(next) {
			next = at
		}
	}
	if len(w.incidents) > 0 {
		consider(w.incidents[0].at)
	}
	for _, r := range w.runs {
		if !r.Finished() {
			consider(r.ends)
		}
	}
	for _, at := range w.wakes {
		if !w.down {
			consider(at)
		}
	}
	return next
}
