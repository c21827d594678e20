package tracetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/pack"
	"github.com/assay-dev/assay/internal/operate/taint"
)

// epoch is when every story begins.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// stepLimit ends a story that does not end by itself.
const stepLimit = 5000

var settings = workload.Settings{Namespace: "bench", RunnerImage: "registry.example/runner:1"}

// world is a cluster in which runs take place: the API server's objects, kubelets, scheduler and MPI Operator, people, and the writing
// part of the controller.
type world struct {
	t   testing.TB
	now time.Time
	// passes that were made, each with and without what is remembered.
	passes int

	nodes       map[string]*corev1.Node
	pods        []*pod
	jobs        []*job
	results     map[string]*v1alpha1.ValidationResult
	validations map[string]*v1alpha1.NodeValidation
	histories   map[string]*v1alpha1.NodeHistory
	benchmarks  []v1alpha1.Benchmark
	profiles    []v1alpha1.HardwareProfile
	runs        []*run
	policy      taint.Policy

	// scripted is what programs do; later lines go before earlier ones.
	scripted []scripted
	fabric   fabric
	mpi      mpiOperator
	// foreign work holds the devices of these nodes.
	foreign map[string]string
	// refuses are node names whose results the API server refuses: those with a measurement, or all.
	refuses   map[string]refusal
	incidents []incident
	// leaves: pods may be left at the end, as they hang.
	leaves bool
	// theirs are the nodes that somebody else tainted.
	theirs map[string]bool
	// otherDevices: a node came to offer more or fewer than before, maybe while it was measured.
	otherDevices bool
	// watched nodes are those whose rows are told while they wait; empty: all.
	watched []string
	// steps: what each attempt goes through is told, too, and each count of nodes in a run's message.
	steps bool

	trace
	uids int
	// versions of NodeValidations that were written.
	versions int
	// packs are the results as the controller holds them.
	packs  map[string]*packed
	packer *pack.Packer
}

// packed is a result, and what it was packed into.
type packed struct {
	of     *v1alpha1.ValidationResult
	packed *pack.Result
}

// incident is something that happens to the cluster or to a run.
type incident struct {
	at   time.Time
	what string
	do   func()
}

func newWorld(t testing.TB) *world {
	return &world{t: t, now: epoch, nodes: map[string]*corev1.Node{}, packs: map[string]*packed{}, packer: pack.New(), results: map[string]*v1alpha1.ValidationResult{},
		validations: map[string]*v1alpha1.NodeValidation{}, histories: map[string]*v1alpha1.NodeHistory{}, foreign: map[string]string{}, refuses: map[string]refusal{},
		policy: taint.Policy{MaxPercent: 100, AllowNoExecute: true, AllowedKeys: []string{"site/unfit"}}, theirs: map[string]bool{}, mpi: mpiOperator{installed: true}}
}

// play lets everything take place until all runs are over and nothing is left to happen. A run is looked at when something has
// changed, and when it asked for it, never else: a recheck that is forgotten shows as a story that does not end.
func (w *world) play() string {
	w.t.Helper()
	for range stepLimit {
		changed := w.happen()
		for _, r := range w.runs {
			changed = r.pass() || changed
		}
		changed = w.kubelets() || changed
		changed = w.mpi.work(w) || changed
		w.check()
		if changed {
			continue
		}
		next := w.next()
		if next.IsZero() {
			w.checkEnd()
			return w.text()
		}
		w.now = next
	}
	w.t.Fatalf("the story does not end:\n%s", w.text())
	return ""
}

// happen lets the incidents take place that are due.
func (w *world) happen() (changed bool) {
	for len(w.incidents) > 0 && !w.incidents[0].at.After(w.now) {
		if what := w.incidents[0].what; !starts.MatchString(what) { // a run itself says what it was asked
			w.say("--", "", "%s", what)
		}
		w.incidents[0].do()
		w.incidents, changed = w.incidents[1:], true
	}
	return changed
}

// at plans an incident.
func (w *world) at(after time.Duration, what string, do func()) {
	w.incidents = append(w.incidents, incident{epoch.Add(after), what, do})
	slices.SortStableFunc(w.incidents, func(a, b incident) int { return a.at.Compare(b.at) })
}

// next is when something happens, or a run asked to be looked at; zero: never.
func (w *world) next() time.Time {
	var next time.Time
	consider := func(at time.Time) {
		if at.After(w.now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	if len(w.incidents) > 0 {
		consider(w.incidents[0].at)
	}
	for _, r := range w.runs {
		if !w.leaves || !r.object.Finished() { // else it is looked at for ever
			consider(r.recheck)
		}
	}
	for _, p := range w.pods {
		consider(p.changes)
	}
	return next
}

// uid is a new one.
func (w *world) uid() types.UID {
	w.uids++
	return types.UID(fmt.Sprintf("00000000-0000-0000-0000-%012d", w.uids))
}

// created is the metadata that the API server adds.
func (w *world) created(m *metav1.ObjectMeta) {
	m.UID, m.CreationTimestamp = w.uid(), metav1.NewTime(w.now.Truncate(time.Second))
}

func (w *world) sortedNodes() []*corev1.Node {
	var out []*corev1.Node
	for _, n := range w.nodes {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// stored is an object as it comes back from the API server: times have whole seconds.
func stored[T any](t testing.TB, object *T) *T {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	out := new(T)
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// live pods measure, or are about to: they have not ended, and hold their node.
func (w *world) live(node string) (out []*pod) {
	for _, p := range w.pods {
		if p.node() == node && !p.over() && !p.isLauncher() {
			out = append(out, p)
		}
	}
	return out
}

// attempts that are stored of a run's node or group by a benchmark.
func (w *world) attempts(result, benchmark string) []v1alpha1.Attempt {
	v := w.results[result]
	if v == nil {
		return nil
	}
	for _, b := range v.Benchmarks {
		if b.Name == benchmark {
			return b.Attempts
		}
	}
	return nil
}
