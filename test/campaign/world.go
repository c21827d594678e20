package campaign

import (
	"container/heap"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/fnv"
	"time"

	"github.com/google/uuid"
	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/test/campaign/kube"
)

// epoch is when every case begins.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// namespace of the benchmark pods.
const namespace = "assay-benchmarks"

var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme, mpi.AddToScheme} {
		if err := add(s); err != nil {
			panic(err)
		}
	}
	return s
}

// world is a cluster, all that happens to it, and all that is known of it beside what the API server says.
type world struct {
	c   Case
	now time.Time
	// queue of what is to happen, in order of time.
	queue agenda
	count uint64
	draws map[string]uint64

	api       *kube.Server
	machines  map[string]*machine
	processes []*process
	// current is the pass that makes a call at this moment.
	current  *actor
	ropes    ropes
	programs map[string]*program
	// strangers are pods that somebody else made, and that look like those of an operator.
	strangers map[types.UID]bool
	// faults that wait for a call that they fit.
	faults []*fault
	healed bool
	// slicesStay until then, although their nodes are gone.
	slicesStay time.Time
	// absent since when nobody leads there is a new leader at this time; away: not before this time.
	absent, away time.Time
	// trouble was last when the operator stopped, or a call of it came to grief.
	trouble time.Time

	truth      *truth
	violations []Violation
	ended      bool

	history hash.Hash
	lines   []string
	texts   []string
	keep    bool
	figures Figures
}

// Figures of a case, or of a campaign.
type Figures struct {
	Cases, Writes, OperatorWrites, Passes int
	Faults                                map[string]int
}

// Violation of a promise.
type Violation struct {
	Promise, Text string
	At            time.Duration
}

func newWorld(c Case, keep bool) *world {
	w := &world{c: c, now: epoch, draws: map[string]uint64{}, machines: map[string]*machine{}, programs: map[string]*program{}, strangers: map[types.UID]bool{}, history: sha256.New(), keep: keep,
		figures: Figures{Cases: 1, Faults: map[string]int{}}}
	w.api = kube.NewServer(scheme, func() time.Time { return w.now })
	w.api.Wrote = w.wrote
	w.truth = newTruth(w)
	uuid.SetRand(&stream{w: w})
	return w
}

// stream of bytes that follow from the seed: quarantines get their ids from it.
type stream struct{ w *world }

func (s *stream) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.w.draw("uuid") >> 16)
	}
	return len(p), nil
}

// draw a number that follows from the seed, and from how often it was asked for: what happens elsewhere does not change it.
func (w *world) draw(what string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d/%s/%d", w.c.Seed, what, w.draws[what])
	w.draws[what]++
	x := h.Sum64() // FNV mixes the last bytes badly
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// between two durations.
func (w *world) between(what string, least, most time.Duration) time.Duration {
	return least + time.Duration(w.draw(what)%uint64(most-least+1))
}

// due is what is to happen at a time; those of one time happen in the order in which they were asked for.
type due struct {
	at    time.Time
	order uint64
	do    func()
}

type agenda []due

func (e agenda) Len() int { return len(e) }
func (e agenda) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].order < e[j].order
}
func (e agenda) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *agenda) Push(x any)   { *e = append(*e, x.(due)) }
func (e *agenda) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (w *world) after(d time.Duration, do func()) { w.at(w.now.Add(d), do) }

func (w *world) at(t time.Time, do func()) {
	if t.Before(w.now) {
		t = w.now
	}
	w.count++
	heap.Push(&w.queue, due{t, w.count, do})
}

// run the world until a time, or until a promise is broken.
func (w *world) run(until time.Time) {
	for len(w.queue) > 0 && !w.queue[0].at.After(until) && len(w.violations) == 0 {
		e := heap.Pop(&w.queue).(due)
		w.now = e.at
		e.do()
	}
	if w.now.Before(until) && len(w.violations) == 0 {
		w.now = until
	}
}

// say what happens.
func (w *world) say(format string, args ...any) {
	line := fmt.Sprintf("%9.3fs  %s", w.now.Sub(epoch).Seconds(), fmt.Sprintf(format, args...))
	_, _ = fmt.Fprintln(w.history, line)
	if w.keep {
		w.lines = append(w.lines, line)
	}
}

// broken is a promise that does not hold.
func (w *world) broken(promise, format string, args ...any) {
	v := Violation{promise, fmt.Sprintf(format, args...), w.now.Sub(epoch)}
	w.violations = append(w.violations, v)
	w.say("*** %s: %s", promise, v.Text)
}

func (w *world) digest() string { return hex.EncodeToString(w.history.Sum(nil))[:16] }

// wrote is told of everything that is written.
func (w *world) wrote(c kube.Change) {
	w.figures.Writes++
	if isOperator(c.By) {
		w.figures.OperatorWrites++
		w.truth.lastWrite = w.now
	}
	w.say("%-11s %s %s %s %s", c.By, c.Verb, c.Kind, c.Object().GetName(), told(c))
	_, _ = w.history.Write(c.Text)
	if w.keep {
		w.texts = append(w.texts, string(c.Text))
	}
	w.truth.check(c)
	w.truth.follow(c)
	for _, p := range w.processes {
		p.expect(c.Kind)
	}
	w.follow(c)
}
