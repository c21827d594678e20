// Long, because it is the one laboratory of all tests in this folder.

package controllers_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	runs "github.com/assay-dev/assay/controllers/run"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// maxSteps ends a test whose run does not.
const maxSteps = 400

var labs atomic.Int32

// lab is a run, the nodes it validates, the operator at work on it, and a kubelet that plays its pods.
type lab struct {
	t *testing.T
	// name of the run; nodes carry the name of the lab.
	name, nodes string
	clock       *testclock.FakePassiveClock
	hand        *hand
	registry    *prometheus.Registry
	r           *runs.Reconciler
	// plays says what a pod does. Unset: it measures 100 GB/s in 10 seconds.
	plays func(node, benchmark string, attempt int) program
	// tolerate errors of passes: a test that makes writes fail expects them.
	tolerate func(error) bool
	events   *events
	// mpi plays the MPI Operator, in tests of group benchmarks.
	mpi *mpiOperator
	// lying: what pods say of themselves is not to be believed.
	lying bool
	// policy of the operator. Every lab has nodes of its own, but they are all in one cluster.
	policy taint.Policy
	steps  int
	// knownMaxAge of the operator; zero: a run's nodes are compared with each other only.
	knownMaxAge time.Duration
	// slices: the operator reads ResourceSlices.
	slices bool
	// requests of a manager; also sets up another controller in it.
	requests *requests
	also     func(ctrl.Manager) error
}

// events remembers what was told, as "Reason: note".
type events struct {
	mu   sync.Mutex
	told []string
}

func (e *events) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.told = append(e.told, reason+": "+fmt.Sprintf(note, args...))
}

func (e *events) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.told)
}

func (e *events) reasons() []string {
	var out []string
	for _, told := range e.all() {
		reason, _, _ := strings.Cut(told, ":")
		out = append(out, reason)
	}
	return out
}

// newLab has this many Ready nodes with 8 GPUs, NAME-a and so on, and a Benchmark NAME that expects 90 GB/s.
func newLab(t *testing.T, nodes int) *lab {
	t.Helper()
	name := fmt.Sprintf("lab%d", labs.Add(1))
	l := &lab{t: t, name: name, nodes: name, hand: &hand{}, events: &events{}, requests: &requests{}, policy: generous,
		clock: testclock.NewFakePassiveClock(time.Now().Truncate(time.Second))}
	l.restart()
	for i := range nodes {
		l.addNode(string(rune('a' + i)))
	}
	l.create(l.benchmark(l.name))
	return l
}

// restart puts a new operator in the place of the old one, which remembers nothing.
func (l *lab) restart() {
	l.registry = prometheus.NewRegistry()
	l.r = &runs.Reconciler{Client: l.hand.client(asCached(api)), Live: live, Recorder: l.events, Clock: l.clock,
		Settings: settings, Policy: l.policy, Metrics: metrics.New(l.registry), KnownFleet: controllers.NewKnownFleet(l.knownMaxAge), KnownMaxAge: l.knownMaxAge}
	if l.slices {
		l.r.Devices = &controllers.Devices{Reader: asCached(api), Live: live, Rules: true}
	}
}

// generous lets runs do whatever the API allows.
var generous = taint.Policy{MaxPercent: 100, AllowNoExecute: true, AllowedKeys: []string{"site/unfit"}}

var settings = workload.Settings{Namespace: namespace, RunnerImage: "registry.example/runner:1"}

func (l *lab) create(o client.Object) {
	l.t.Helper()
	if err := api.Create(l.t.Context(), o); err != nil {
		l.t.Fatalf("creating %s: %v", o.GetName(), err)
	}
	if b, ok := o.(*v1alpha1.Benchmark); ok { // every pass of every run lists them
		l.t.Cleanup(func() { _ = api.Delete(background, &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: b.Name}}) })
	}
}

// must stops the test where something that is not under test fails.
func (l *lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// node is the full name of a node.
func (l *lab) node(short string) string { return l.nodes + "-" + short }

// addNode adds a Ready node, older than every run that begins later.
func (l *lab) addNode(short string, change ...func(*corev1.Node)) *corev1.Node {
	l.t.Helper()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: l.node(short), Labels: map[string]string{"lab": l.name, corev1.LabelHostname: l.node(short)}}}
	for _, c := range change {
		c(n)
	}
	l.create(n)
	l.t.Cleanup(func() { // nobody collects here what a node owned
		_ = api.Delete(background, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name}})
		_ = api.Delete(background, &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: n.Name}})
	})
	l.clock.SetTime(later(l.clock.Now(), n.CreationTimestamp.Time)) // that is by the API server's clock, which does not wait for ours
	l.ready(short, corev1.ConditionTrue)
	return l.getNode(short)
}

// ready sets a node's Ready condition, as its kubelet and the node controller do.
func (l *lab) ready(short string, status corev1.ConditionStatus) {
	l.t.Helper()
	n := l.getNode(short)
	before := n.DeepCopy()
	devices := corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("8"), "cpu": resource.MustParse("64")}
	n.Status.Allocatable, n.Status.Capacity = devices, maps.Clone(devices)
	n.Status.Capacity[corev1.ResourceMemory] = resource.MustParse("2Ti") // kubelets keep some of it for themselves
	n.Status.Conditions = slices.DeleteFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeReady, Status: status,
		LastTransitionTime: metav1.NewTime(l.clock.Now()), Reason: "Test", Message: "set by the test"})
	l.must(api.Status().Patch(l.t.Context(), n, client.StrategicMergeFrom(before)))
	if status == corev1.ConditionTrue { // every node is created with it
		l.editNode(short, func(n *corev1.Node) {
			n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == corev1.TaintNodeNotReady })
		})
	}
}

func (l *lab) getNode(short string) *corev1.Node {
	l.t.Helper()
	n := &corev1.Node{}
	l.must(api.Get(l.t.Context(), client.ObjectKey{Name: l.node(short)}, n))
	return n
}

// editNode changes a node as a person would.
func (l *lab) editNode(short string, change func(*corev1.Node)) {
	l.t.Helper()
	n := l.getNode(short)
	before := n.DeepCopy()
	change(n)
	l.must(api.Patch(l.t.Context(), n, client.MergeFrom(before)))
}

func (l *lab) deleteNode(short string) {
	l.t.Helper()
	l.must(api.Delete(l.t.Context(), l.getNode(short)))
}

func (l *lab) benchmark(name string) *v1alpha1.Benchmark {
	b := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: name}}
	b.Spec.Description, b.Spec.Image, b.Spec.Command = "rate of the test", "registry.example/rate:1", []string{"/bin/rate"}
	b.Spec.TimeoutSeconds = 60
	b.Spec.Output.Format = v1alpha1.FormatAssay
	b.Spec.Metrics = []v1alpha1.Metric{{Name: "rate", Unit: "GB/s", Headline: true, Expectation: &v1alpha1.Expectation{Min: "90"}}}
	return b
}

// run creates a ValidationRun of all nodes of the lab by its benchmark.
func (l *lab) run(change ...func(*v1alpha1.ValidationRun)) *v1alpha1.ValidationRun {
	l.t.Helper()
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: l.name}}
	run.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"lab": l.name}}
	run.Spec.Benchmarks = []v1alpha1.BenchmarkRef{{Name: l.name}}
	for _, c := range change {
		c(run)
	}
	l.create(run)
	l.t.Cleanup(func() { discard(run.Name) })
	return run
}

// discard removes a run and what is left of it, whatever state it is in.
func discard(name string) {
	_ = api.DeleteAllOf(background, &corev1.Pod{}, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunName: name}, client.GracePeriodSeconds(0))
	_ = api.DeleteAllOf(background, &networkingv1.NetworkPolicy{}, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunName: name})
	_ = api.DeleteAllOf(background, &resourcev1.ResourceClaimTemplate{}, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunName: name})
	_ = api.DeleteAllOf(background, &v1alpha1.ValidationResult{}, client.MatchingLabels{v1alpha1.LabelRunName: name})
	_ = api.DeleteAllOf(background, &appsv1.ControllerRevision{}, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunName: name})
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_ = api.Delete(background, run)
	_ = api.Patch(background, run, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))
}

// tainting lets the run taint its failed nodes.
func tainting(run *v1alpha1.ValidationRun) {
	run.Spec.OnFailure = &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{Key: v1alpha1.DefaultTaintKey, Value: "failed", Effect: corev1.TaintEffectNoSchedule}}
}

func (l *lab) get() *v1alpha1.ValidationRun {
	l.t.Helper()
	run := &v1alpha1.ValidationRun{}
	l.must(api.Get(l.t.Context(), client.ObjectKey{Name: l.name}, run))
	checkTools(l.t, run)
	return run
}

func (l *lab) gone() bool {
	err := api.Get(l.t.Context(), client.ObjectKey{Name: l.name}, &v1alpha1.ValidationRun{})
	return apierrors.IsNotFound(err)
}

// pass lets the operator look once.
func (l *lab) pass() reconcile.Result {
	l.t.Helper()
	result, err := l.r.Reconcile(l.t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: l.name}})
	if err != nil && (l.tolerate == nil || !l.tolerate(err)) {
		l.t.Fatalf("pass %d: %v", l.steps, err)
	}
	if err != nil {
		result.RequeueAfter = time.Millisecond
	}
	return result
}

// step is one pass and what the kubelet makes of it. Where neither changed anything, the clock goes on to when the
// operator wanted to look again or a program ends, so that a wake-up that was forgotten shows. It is false where nothing
// will ever happen again.
func (l *lab) step() bool {
	l.t.Helper()
	if l.steps++; l.steps > maxSteps {
		l.t.Fatalf("the run does not come to rest: %s", l.describe())
	}
	before := l.hand.count()
	result := l.pass()
	changed, next := l.kubelet()
	if changed || l.hand.count() != before {
		return true
	}
	at := next
	if after := l.clock.Now().Add(result.RequeueAfter); result.RequeueAfter > 0 && (at.IsZero() || after.Before(at)) {
		at = after
	}
	if at.IsZero() {
		return false
	}
	l.clock.SetTime(at)
	return true
}

// rest goes on until nothing will ever happen again.
func (l *lab) rest() {
	l.t.Helper()
	for l.step() {
		if l.finished() && len(l.pods()) == 0 {
			before := l.hand.count()
			l.pass()
			if l.hand.count() == before {
				return
			}
		}
	}
}

// until goes on until something is so.
func (l *lab) until(what string, is func() bool) {
	l.t.Helper()
	for !is() {
		if !l.step() {
			l.t.Fatalf("nothing will ever happen again, but not %s: %s", what, l.describe())
		}
	}
}

// finish goes on until the run is over, and no more is to be done for it.
func (l *lab) finish() *v1alpha1.ValidationRun {
	l.t.Helper()
	l.until("finished", l.finished)
	l.rest()
	return l.get()
}

func (l *lab) finished() bool {
	run := &v1alpha1.ValidationRun{}
	if err := api.Get(l.t.Context(), client.ObjectKey{Name: l.name}, run); err != nil {
		return false
	}
	return state(run)[v1alpha1.ConditionFinished] != "" && strings.HasPrefix(state(run)[v1alpha1.ConditionFinished], "True")
}

func (l *lab) describe() string {
	if l.gone() {
		return "the run is gone"
	}
	run := l.get()
	var pods []string
	for _, p := range l.pods() {
		pods = append(pods, fmt.Sprintf("%s %s deleted=%v", p.Name, p.Status.Phase, p.DeletionTimestamp != nil))
	}
	return fmt.Sprintf("%v %+v pods %v", state(run), run.Status.Nodes, pods)
}

// pods of the run.
func (l *lab) pods() []corev1.Pod {
	l.t.Helper()
	var pods corev1.PodList
	l.must(api.List(l.t.Context(), &pods, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunName: l.name}))
	return pods.Items
}

// result of one node; nil where there is none.
func (l *lab) result(short string) *v1alpha1.ValidationResult {
	l.t.Helper()
	var results v1alpha1.ValidationResultList
	l.must(api.List(l.t.Context(), &results, client.MatchingLabels{v1alpha1.LabelRunName: l.name}))
	for i := range results.Items {
		if results.Items[i].Node.Name == l.node(short) {
			return &results.Items[i]
		}
	}
	return nil
}

// validation is what is remembered of a node; nil where nothing is.
func (l *lab) validation(short string) *v1alpha1.NodeValidation {
	l.t.Helper()
	v := &v1alpha1.NodeValidation{}
	err := api.Get(l.t.Context(), client.ObjectKey{Name: l.node(short)}, v)
	if apierrors.IsNotFound(err) {
		return nil
	}
	l.must(err)
	return v
}

// entries of a node's first benchmark in its history.
func (l *lab) entries(short string) []v1alpha1.HistoryEntry {
	l.t.Helper()
	h := &v1alpha1.NodeHistory{}
	l.must(api.Get(l.t.Context(), client.ObjectKey{Name: l.node(short)}, h))
	return h.Benchmarks[0].Entries
}

// state is a run's conditions, as "True/Passed".
func state(run *v1alpha1.ValidationRun) map[string]string {
	out := map[string]string{}
	for _, c := range run.Status.Conditions {
		out[c.Type] = string(c.Status) + "/" + c.Reason
	}
	return out
}

// taints of a node, as "key=value:effect", without those of Kubernetes, which nobody lifts here.
func taints(n *corev1.Node) []string {
	out := []string{}
	for _, t := range n.Spec.Taints {
		if !strings.HasPrefix(t.Key, "node.kubernetes.io/") {
			out = append(out, fmt.Sprintf("%s=%s:%s", t.Key, t.Value, t.Effect))
		}
	}
	return out
}

// same fails the test where two things differ.
func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func keyOf(name string) client.ObjectKey { return client.ObjectKey{Name: name} }

func labelled(lab string) client.MatchingLabels { return client.MatchingLabels{"lab": lab} }

func eachObject(list client.ObjectList, do func(client.Object)) error {
	return meta.EachListItem(list, func(o runtime.Object) error {
		do(o.(client.Object))
		return nil
	})
}
