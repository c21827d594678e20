package quarantine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/retry"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/measure/dra"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// store is the part of a cluster that taints are about, and quick: nodes and NodeValidations, each with a version.
type store struct {
	nodes   map[string]*corev1.Node
	records map[string]*v1alpha1.NodeValidation
	past    map[string]*v1alpha1.NodeHistory
	slices  []*resourcev1.ResourceSlice
	version int
	writes  int
	// wrote looks at the cluster before and after each write.
	wrote func(before, after *store)
}

func (s *store) copy() *store {
	return &store{nodes: maps.Clone(s.nodes), records: maps.Clone(s.records), past: maps.Clone(s.past), slices: s.slices, version: s.version} // what they hold is never changed
}

func (s *store) put(o client.Object) error {
	before := s.copy()
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	switch o := o.(type) {
	case *corev1.Node:
		s.nodes[o.Name] = o.DeepCopy()
	case *v1alpha1.NodeValidation:
		s.records[o.Name] = o.DeepCopy()
	case *v1alpha1.NodeHistory:
		if o.UID == "" {
			o.UID = types.UID("history-" + strconv.Itoa(s.version))
		}
		o.Generation++
		s.past[o.Name] = o.DeepCopy()
	}
	s.writes++
	if s.wrote != nil {
		s.wrote(before, s)
	}
	return nil
}

func (s *store) get(o client.Object, name string) (found client.Object) {
	switch o.(type) {
	case *corev1.Node:
		if n := s.nodes[name]; n != nil {
			return n
		}
	case *v1alpha1.NodeValidation:
		if v := s.records[name]; v != nil {
			return v
		}
	case *v1alpha1.NodeHistory:
		if h := s.past[name]; h != nil {
			return h
		}
	}
	return nil
}

// process is one operator's client: each of its calls waits for its turn.
type process struct {
	client.WithWatch
	*store
	turn func() error
	// speaks: what is told of nodes is stored.
	speaks bool
}

var (
	resources = schema.GroupResource{Group: "test", Resource: "objects"}
	_         = client.Client(&process{})
)

func (p *process) Get(_ context.Context, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	if err := p.turn(); err != nil {
		return err
	}
	switch found := p.get(o, key.Name).(type) {
	case *corev1.Node:
		found.DeepCopyInto(o.(*corev1.Node))
	case *v1alpha1.NodeValidation:
		found.DeepCopyInto(o.(*v1alpha1.NodeValidation))
	case *v1alpha1.NodeHistory:
		found.DeepCopyInto(o.(*v1alpha1.NodeHistory))
	default:
		return apierrors.NewNotFound(resources, key.Name)
	}
	return nil
}

func (p *process) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if all, ok := list.(*resourcev1.ResourceSliceList); ok { // which nobody changes, so that it is no matter when they are read
		for _, slice := range p.slices {
			all.Items = append(all.Items, *slice)
		}
		return nil
	}
	if err := p.turn(); err != nil {
		return err
	}
	page, ok := list.(*metav1.PartialObjectMetadataList)
	if !ok {
		return fmt.Errorf("a list of %T", list)
	}
	for _, v := range p.records {
		if v.Labels[v1alpha1.LabelConvicted] != "" {
			page.Items = append(page.Items, metav1.PartialObjectMetadata{ObjectMeta: *v.ObjectMeta.DeepCopy()})
		}
	}
	return nil
}

func (p *process) Create(_ context.Context, o client.Object, _ ...client.CreateOption) error {
	if err := p.turn(); err != nil {
		return err
	}
	if p.get(o, o.GetName()) != nil {
		return apierrors.NewAlreadyExists(resources, o.GetName())
	}
	return p.put(o)
}

func (p *process) Update(_ context.Context, o client.Object, _ ...client.UpdateOption) error {
	if err := p.turn(); err != nil {
		return err
	}
	found := p.get(o, o.GetName())
	if found == nil {
		return apierrors.NewNotFound(resources, o.GetName())
	}
	if found.GetResourceVersion() != o.GetResourceVersion() {
		return apierrors.NewConflict(resources, o.GetName(), nil)
	}
	return p.put(o)
}

// Patch of a node under its resourceVersion is an update of its taints and its mark: what its slices show of it is no part of it.
func (p *process) Patch(ctx context.Context, o client.Object, _ client.Patch, _ ...client.PatchOption) error {
	n := o.(*corev1.Node)
	if stored := p.nodes[n.Name]; stored != nil {
		n.Status = *stored.Status.DeepCopy()
	}
	for key := range n.Annotations {
		if key != v1alpha1.AnnotationQuarantine {
			delete(n.Annotations, key)
		}
	}
	return p.Update(ctx, n)
}

func (p *process) Scheme() *runtime.Scheme          { return sharedScheme }
func (p *process) Status() client.SubResourceWriter { return words{p: p} }

// words told of nodes, which are lost, unless they are what this is about.
type words struct {
	client.SubResourceWriter
	p *process
}

func (w words) Apply(_ context.Context, o runtime.ApplyConfiguration, _ ...client.SubResourceApplyOption) error {
	if !w.p.speaks {
		return nil
	}
	if err := w.p.turn(); err != nil {
		return err
	}
	apply := o.(*corev1ac.NodeApplyConfiguration)
	stored := w.p.nodes[*apply.Name]
	if stored == nil || stored.ResourceVersion != *apply.ResourceVersion {
		return apierrors.NewConflict(resources, *apply.Name, nil)
	}
	n, said := stored.DeepCopy(), apply.Status.Conditions[0]
	n.Status.Conditions = []corev1.NodeCondition{{Type: *said.Type, Status: *said.Status, Reason: *said.Reason, Message: *said.Message}}
	n.Labels = apply.Labels
	return w.p.put(n)
}

var (
	sharedScheme  = newScheme()
	sharedMetrics = metrics.New(prometheus.NewRegistry())
)

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	if corev1.AddToScheme(s) != nil || v1alpha1.AddToScheme(s) != nil {
		panic("no scheme")
	}
	return s
}

// deed is what a run does about a node, by what its pass had read at the beginning.
type deed struct {
	node string
	j    taint.Judgement
}

func (d deed) do(t *testing.T, s, read *store, policy taint.Policy, turn func() error) {
	_ = d.by(t, &process{store: s, turn: turn}, read, policy) // conflicts, mostly: the next pass does it again
}

// by a process.
func (d deed) by(t *testing.T, p *process, read *store, policy taint.Policy) error {
	r := p.keeper(policy)
	node := read.nodes[d.node]
	if node == nil {
		return nil
	}
	w := passOf(t, r, startedRun(), slices.Collect(maps.Values(read.nodes))...)
	w.Out.Breaker.Input = taint.BreakerInput{Nodes: 1, Judged: []taint.JudgedNode{{Name: d.node, Verdict: d.j.Verdict}}, Limit: 5}
	n := &nodeWriter{pass: w.pass, judgement: d.j, current: taint.Current{Node: dra.ShowBy(node.DeepCopy(), read.slices), Validation: read.records[d.node].DeepCopy(), History: read.past[d.node].DeepCopy()}}
	return n.all(t.Context())
}

// keeper of a new operator, which has this client.
func (p *process) keeper(policy taint.Policy) *Keeper {
	clock := testclock.NewFakePassiveClock(begin)
	return &Keeper{Client: p, Live: p, Recorder: &events.FakeRecorder{}, Clock: clock, Policy: policy, Metrics: sharedMetrics,
		Devices: &controllers.Devices{Reader: p, Live: p, Rules: true}, Recent: recentwrites.New(clock), Taints: &sync.Mutex{}}
}

// schedule says in which order processes take turns: choices it was given, and then the first of those left. It notes how many there were.
type schedule struct {
	choices, of []int
	// by chance, where there are too many orders to try them all.
	chance *rand.Rand
}

func (s *schedule) choose(of int) int {
	if i := len(s.of); i == len(s.choices) {
		first := 0
		if s.chance != nil {
			first = s.chance.IntN(of)
		}
		s.choices = append(s.choices, first)
	}
	s.of = append(s.of, of)
	return s.choices[len(s.of)-1]
}

// next schedule that was not tried yet; false: there is none.
func (s *schedule) next() (*schedule, bool) {
	for i := len(s.choices) - 1; i >= 0; i-- {
		if s.choices[i]+1 < s.of[i] {
			return &schedule{choices: append(slices.Clone(s.choices[:i]), s.choices[i]+1)}, true
		}
	}
	return nil, false
}

// actor takes turns.
type actor struct {
	ready, proceed chan bool
	over, stopped  bool
}

var errStopped = errors.New("the process was stopped")

// turn waits until the actor may make its next call. One that was stopped makes none any more.
func (a *actor) turn() error {
	if a.stopped {
		return errStopped
	}
	a.ready <- true
	if a.stopped = !<-a.proceed; a.stopped {
		return errStopped
	}
	return nil
}

// race lets deeds take turns call by call, in the order of a schedule, which may also stop one of them for ever, once.
func race(s *schedule, stops bool, deeds ...func(turn func() error)) {
	actors := make([]*actor, len(deeds))
	for i, do := range deeds {
		a := &actor{ready: make(chan bool), proceed: make(chan bool)}
		actors[i] = a
		go func() {
			do(a.turn)
			a.ready <- false
		}()
		a.over = !<-a.ready
	}
	for {
		live := slices.DeleteFunc(slices.Clone(actors), func(a *actor) bool { return a.over })
		if len(live) == 0 {
			return
		}
		options := len(live)
		if stops {
			options *= 2
		}
		i := s.choose(options)
		a := live[i%len(live)]
		if i >= len(live) {
			stops = false
		}
		a.proceed <- i < len(live)
		a.over = !<-a.ready
	}
}

// TestAPersonAtAnyMoment: a person changes the taint, its mark or its record between any two calls of a leader that taints or lifts.
func TestAPersonAtAnyMoment(t *testing.T) {
	retry.DefaultBackoff = wait.Backoff{Steps: 5}
	edit := func(change func(*corev1.Node)) func(*store) {
		return func(s *store) {
			if n := s.nodes["a"].DeepCopy(); n != nil {
				change(n)
				_ = s.put(n)
			}
		}
	}
	persons := map[string]func(*store){
		"takes the taint away": edit(func(n *corev1.Node) {
			n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == unfit.Key })
		}),
		"gives it another value": edit(func(n *corev1.Node) {
			for i := range n.Spec.Taints {
				if n.Spec.Taints[i].Key == unfit.Key {
					n.Spec.Taints[i].Value = "theirs"
				}
			}
		}),
		"puts the same there": edit(func(n *corev1.Node) {
			if !slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == unfit.Key }) {
				n.Spec.Taints = append(n.Spec.Taints, unfit)
			}
		}),
		"takes the mark away":   edit(func(n *corev1.Node) { delete(n.Annotations, v1alpha1.AnnotationQuarantine) }),
		"writes nonsense there": edit(func(n *corev1.Node) { n.Annotations = map[string]string{v1alpha1.AnnotationQuarantine: "{}"} }),
		"deletes the record":    func(s *store) { delete(s.records, "a") },
		"deletes the history":   func(s *store) { delete(s.past, "a") },
		"deletes both":          func(s *store) { delete(s.records, "a"); delete(s.past, "a") },
		"makes the node anew":   edit(func(n *corev1.Node) { n.UID, n.Annotations, n.Spec.Taints = "another", nil, []corev1.Taint{theirs} }),
	}
	tried := 0
	for sentence, person := range persons {
		for what, c := range map[string]struct {
			convicted bool
			deed      deed
		}{
			"a leader taints it": {false, deedOf(v1alpha1.VerdictFail, "a", "f", begin)},
			"a leader lifts it":  {true, deedOf(v1alpha1.VerdictPass, "a", "p", begin)},
		} {
			t.Run(what+", a person "+sentence, func(t *testing.T) {
				for s, more := (&schedule{}), true; more; s, more = s.next() {
					tried++
					cluster := clusterOf(c.convicted)
					watch(t, cluster, s, 0)
					read := cluster.copy()
					policy := taint.Policy{MaxPercent: 100}
					race(s, true, func(turn func() error) { c.deed.do(t, cluster, read, policy, turn) }, func(turn func() error) {
						if turn() != nil {
							return
						}
						looked := cluster.wrote
						cluster.wrote = nil // a person may do anything
						person(cluster)
						cluster.wrote = looked
					})
					settle(t, cluster, policy, []deed{c.deed})
					taintedIn(t, cluster)
					if t.Failed() {
						t.Fatalf("schedule %v", s.choices)
					}
				}
			})
		}
	}
	t.Logf("%d interleavings", tried)
}

var theirs = corev1.Taint{Key: "site/theirs", Value: "x", Effect: corev1.TaintEffectNoSchedule}

func deedOf(v v1alpha1.Verdict, node, run string, at time.Time) deed {
	j := judgement(v, at)
	j.Run = v1alpha1.ObjectReference{Name: run, UID: types.UID(run)}
	j.Result.Node.Name, j.Result.Node.UID = node, types.UID("uid-"+node)
	return deed{node, j}
}

// clusterOf two nodes, the first of them convicted an hour ago or not.
func clusterOf(convicted bool) *store {
	s := &store{nodes: map[string]*corev1.Node{}, records: map[string]*v1alpha1.NodeValidation{}, past: map[string]*v1alpha1.NodeHistory{}}
	a, b := nodeOf("a", theirs), nodeOf("b", theirs)
	if convicted {
		v := quarantined(begin.Add(-time.Hour))
		a, _ = taint.Bind(a, v.Quarantine)
		_ = s.put(v)
	}
	_, _ = s.put(a), s.put(b)
	return s
}

// of GPUs: a deed of a run that asks for devices, about what these parts of four GPUs are.
func (d deed) of(parts ...string) deed {
	d.j.Scope = v1alpha1.TaintScopeDevice
	for i := range 4 {
		a := &d.j.Result.Benchmarks[0].Attempts[0]
		a.Devices = append(a.Devices, v1alpha1.Device{Index: int32(i), UUID: "GPU-" + strconv.Itoa(i)})
	}
	for i := range d.j.Benchmarks[0].Terms.Broken {
		d.j.Benchmarks[0].Terms.Broken[i].Ats = parts
	}
	return d
}

// withGPUs is a cluster whose first node has four GPUs by a DRA driver, of which one is out of service since an hour, or none.
func withGPUs(convicted bool) *store {
	s := clusterOf(false)
	slice := &resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.nvidia.com", NodeName: new("a"), Pool: resourcev1.ResourcePool{ResourceSliceCount: 1}}}
	for i := range 4 {
		uuid, kind := "GPU-"+strconv.Itoa(i), "gpu"
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: "gpu-" + strconv.Itoa(i), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"type": {StringValue: &kind}, "uuid": {StringValue: &uuid}}})
	}
	s.slices = []*resourcev1.ResourceSlice{slice}
	if convicted {
		d := deedOf(v1alpha1.VerdictFail, "a", "before", begin.Add(-time.Hour)).of("gpu0")
		next := d.j.Quarantine(taint.Current{Node: dra.ShowBy(s.nodes["a"], s.slices)}, func(corev1.Taint) bool { return true })
		v := taint.Labelled(d.j.Announced(next, "id-before"), "a")
		a, _ := taint.Bind(s.nodes["a"].DeepCopy(), v.Quarantine)
		_, _ = s.put(v), s.put(a)
	}
	return s
}

// watch holds each write to the promises.
func watch(t *testing.T, s *store, by *schedule, limit int) {
	announced := map[string]bool{}
	for _, v := range s.records {
		announced[taint.MarkOf(v.Quarantine)] = true
	}
	s.wrote = func(before, after *store) {
		for name, v := range after.records {
			announced[taint.MarkOf(v.Quarantine)] = true
			if v.Quarantine != nil && len(v.Convictions) == 0 {
				t.Errorf("node %s is on record as quarantined, and nothing convicts it", name)
			}
		}
		marked := 0
		for name, n := range after.nodes {
			was, mark := before.nodes[name], taint.MarkOn(n)
			if n.UID != "another" && !slices.Contains(n.Spec.Taints, theirs) {
				t.Errorf("node %s lost a taint of others (P4)", name)
			}
			if taint.Marked(n) {
				marked++
			}
			if taint.Marked(n) && !announced[mark] {
				t.Errorf("node %s carries a taint that no record has announced (P6): %s", name, mark)
			}
			record := taint.MarkOf(quarantineOf(after.records[name]))
			if taint.Marked(was) && !taint.Marked(n) && taint.MarkOn(was) == record {
				t.Errorf("node %s lost the taint that its record wants (P6)", name)
			}
			if has(was, unfit.Key) && !taint.Marked(was) && !has(n, unfit.Key) {
				t.Errorf("node %s lost a taint that a person put there (P4)", name)
			}
		}
		if limit > 0 && marked > limit {
			t.Errorf("%d nodes carry the taint, %d may (P5)", marked, limit)
		}
		if t.Failed() {
			t.Logf("schedule %v, after %v", by.choices, by.of)
		}
	}
}

func has(n *corev1.Node, key string) bool {
	return slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key })
}

func always() error { return nil }

// settle lets one leader make its passes, and mend what it sees, until there is nothing left to do.
func settle(t *testing.T, s *store, policy taint.Policy, deeds []deed) {
	for range 8 {
		before := s.writes
		for _, d := range deeds {
			if n := s.nodes[d.node]; n != nil && n.UID == d.j.Result.Node.UID {
				d.do(t, s, s.copy(), policy, always)
			}
		}
		p := &process{store: s, turn: always}
		r := p.keeper(taint.Policy{})
		for name := range s.nodes {
			if _, err := r.mend(t.Context(), name); err != nil {
				t.Error(err)
			}
		}
		if s.writes == before {
			return
		}
	}
	t.Error("the cluster does not come to rest (P8)")
}

// taintedIn counts the nodes that carry the taint, of which each record says just that: a taint that its record wants has its mark.
func taintedIn(t *testing.T, s *store) (n int) {
	for name, node := range s.nodes {
		q := quarantineOf(s.records[name])
		if node.UID == types.UID("uid-"+name) && taint.IsStray(node, q) {
			t.Errorf("node %s is left with a mark that its record does not explain: %s", name, taint.MarkOn(node))
		}
		if taint.Marked(node) {
			n++
		}
	}
	return n
}
