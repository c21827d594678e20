package controllers_test

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/assess"
)

// requests remembers what a manager read of a kind, as "path?query".
type requests struct {
	mu   sync.Mutex
	seen []string
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (q *requests) wrap(inner http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet {
			q.mu.Lock()
			q.seen = append(q.seen, r.URL.Path+"?"+r.URL.Query().Encode())
			q.mu.Unlock()
		}
		return inner.RoundTrip(r)
	})
}

// of a resource.
func (q *requests) of(resource string) []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(q.seen), func(r string) bool { return !strings.Contains(r, "/"+resource) })
}

// held says of how many runs the operator holds results, and how many nodes' histories.
func (l *lab) held() string {
	recent := reflect.ValueOf(l.r).Elem().FieldByName("recent").Elem()
	return fmt.Sprintf("results of %d runs, histories of %d nodes", recent.FieldByName("Results").FieldByName("runs").Len(),
		recent.FieldByName("Validations").FieldByName("byName").Len())
}

const nothing = "results of 0 runs, histories of 0 nodes"

// TestFinishedRunsAreNotRead: whatever finished runs have left, the operator reads no result of them, holds nothing, and loses none of
// their nodes' history.
func TestFinishedRunsAreNotRead(t *testing.T) {
	l := newLab(t, 2)
	l.plays = always(quick(program{}))
	stop := l.manage()
	l.run()
	l.see("finished", l.finished)
	stop()
	l.requests.seen = nil
	l.manage()
	again := l.next("-again")
	again.plays = l.plays
	again.see("finished", again.finished)
	uid := string(again.get().UID)
	for _, r := range l.requests.of("validationresults") {
		if !strings.Contains(r, uid) && !strings.Contains(r, again.name+".") {
			t.Errorf("the operator asks for results of finished runs: %s", r)
		}
	}
	same(t, "runs in node a's history", 2, len(l.validation("a").Benchmarks[0].History))
	l.see("nothing held", func() bool { return l.held() == nothing })
}

// TestHistoriesAreNotReadAhead: of nodes that are not to be judged yet no history is read, nor held.
func TestHistoriesAreNotReadAhead(t *testing.T) {
	l := newLab(t, 0)
	const nodes = 60
	for i := range nodes {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", l.name, i), Labels: map[string]string{"lab": l.name}}}
		l.create(n)
		t.Cleanup(func() { _ = api.Delete(background, n) })
		v := known(n)
		l.create(v)
		t.Cleanup(func() { _ = api.Delete(background, v) })
	}
	l.manage()
	l.run(func(r *v1alpha1.ValidationRun) { r.Spec.Suspend = true })
	l.see("suspended", func() bool { return state(l.get())["Suspended"] == "True/Suspended" })
	reads := slices.DeleteFunc(l.requests.of("nodevalidations"), func(r string) bool { return strings.Contains(r, "watch=") })
	if len(reads) > 1 || strings.Contains(strings.Join(reads, " "), l.name) { // the cache lists them once
		t.Errorf("the histories of %d nodes are read by %d requests: %v", nodes, len(reads), reads)
	}
	same(t, "held", "results of 1 runs, histories of 0 nodes", l.held())
	l.must(api.Delete(t.Context(), l.get()))
	l.see("gone", l.gone)
	l.see("nothing held", func() bool { return l.held() == nothing })
}

func known(n *corev1.Node) *v1alpha1.NodeValidation {
	ref := v1alpha1.ObjectReference{Name: "past", UID: "past"}
	return &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: n.Name}, Fingerprint: v1alpha1.Fingerprint{NodeUID: n.UID},
		Verdict: v1alpha1.VerdictPass, LastRun: ref, ValidatedAt: metav1.Now(), Benchmarks: []v1alpha1.BenchmarkHistory{{
			Name: "rate", Verdict: v1alpha1.VerdictPass, History: []v1alpha1.HistoryEntry{{Run: ref.Name, RunUID: ref.UID, Time: metav1.Now(), Verdict: v1alpha1.VerdictPass}}}}}
}

// TestTrimmedCopyIsNeverStored: what the cache holds of a node's past lacks its history, and the API server refuses it.
func TestTrimmedCopyIsNeverStored(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	v := known(l.getNode("a"))
	l.create(v)
	t.Cleanup(func() { _ = api.Delete(background, v) })
	trimmed := l.validation("a")
	for kind, options := range controllers.CacheOptions(namespace, nil, controllers.NewKnownFleet(time.Hour)).ByObject {
		if _, ok := kind.(*v1alpha1.NodeValidation); ok {
			_, err := options.Transform(trimmed)
			l.must(err)
		}
	}
	if !assess.Trimmed(trimmed) || trimmed.Verdict != v1alpha1.VerdictPass {
		t.Errorf("the cache holds %+v", trimmed)
	}
	if err := api.Update(t.Context(), trimmed); !apierrors.IsConflict(err) {
		t.Errorf("writing it: %v", err)
	}
	same(t, "entries in the history", 1, len(l.validation("a").Benchmarks[0].History))
}

// twoBenchmarks runs this lab's benchmark and a second one, NAME-second, on its nodes.
func (l *lab) twoBenchmarks() {
	l.t.Helper()
	second := l.benchmark(l.name + "-second")
	second.Spec.CostSeconds = 1000
	l.create(second)
	l.run(by("", "-second"))
}

// launches counts the pods that were created.
func (l *lab) launches() int {
	return len(slices.DeleteFunc(slices.Clone(l.hand.writes), func(w write) bool { return w != "create Pod" }))
}

// attempts of a node's result, by benchmark.
func (l *lab) attempts(short string) map[string]int {
	l.t.Helper()
	out := map[string]int{}
	for _, b := range l.result(short).Benchmarks {
		out[strings.TrimPrefix(b.Name, l.name)] = len(b.Attempts)
	}
	return out
}

// TestResultsInMidRun: whatever happens to the results of a run that goes on, each measurement is in them at its end, and none was
// made twice but those that somebody deleted.
func TestResultsInMidRun(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		meddle   func(*lab)
		launches int
	}{
		"nobody touches them":         {func(*lab) {}, 4},
		"another operator takes over": {func(l *lab) { l.restart() }, 4},
		"a person deletes one":        {func(l *lab) { l.must(api.Delete(background, l.result("a"))) }, 5},
		"a person changes one": {func(l *lab) {
			r := l.result("a")
			r.Labels["seen-by"] = "me"
			l.must(api.Update(background, r))
		}, 4},
	}
	for sentence, c := range cases {
		for _, second := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, the second measurement begun: %v", sentence, second), func(t *testing.T) {
				t.Parallel()
				l := newLab(t, 2)
				l.tolerate = func(err error) bool { return apierrors.IsConflict(err) || apierrors.IsNotFound(err) }
				l.twoBenchmarks()
				l.until("measured once", func() bool { return l.result("a") != nil && l.result("b") != nil })
				l.until("at that point", func() bool { return !second || l.launches() == 4 })
				c.meddle(l)
				same(t, "conditions", passed, state(l.finish()))
				for _, n := range []string{"a", "b"} {
					same(t, "attempts on node "+n, map[string]int{"": 1, "-second": 1}, l.attempts(n))
				}
				same(t, "pods", c.launches, l.launches())
				same(t, "held", nothing, l.held())
			})
		}
	}
}

// TestJudgedResultDeleted: a node whose result somebody deletes is measured again, also where nothing was to be written any more.
func TestJudgedResultDeleted(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.plays = on("b", program{takes: 30 * time.Minute})
	b := &v1alpha1.Benchmark{}
	l.must(api.Get(t.Context(), keyOf(l.name), b))
	b.Spec.TimeoutSeconds = 3600
	l.must(api.Update(t.Context(), b))
	l.run()
	l.until("judged", func() bool { return l.result("a") != nil && l.result("a").Verdict == v1alpha1.VerdictPass })
	l.must(api.Delete(t.Context(), l.result("a")))
	l.clock.SetTime(l.clock.Now().Add(11 * time.Minute))
	same(t, "conditions", passed, state(l.finish()))
	same(t, "attempts on node a", map[string]int{"": 1}, l.attempts("a"))
}

// TestTwoOperators: one that has lost its leadership and does not know it starts no measurement again that the other one has stored.
func TestTwoOperators(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.tolerate = func(err error) bool { return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) }
	l.twoBenchmarks()
	l.until("begun", func() bool { return len(l.pods()) == 2 })
	l.step()
	l.pass() // it sees the pods that it has made
	old := l.r
	l.restart()
	l.until("measured once, and between two pods", func() bool { return l.result("a") != nil && l.result("b") != nil && len(l.pods()) == 0 })
	l.r = old // it has seen no result
	l.pass()
	same(t, "pods of the old one", 0, len(l.pods()))
	l.finish()
	same(t, "conditions", passed, state(l.get()))
	for _, n := range []string{"a", "b"} {
		same(t, "attempts on node "+n, map[string]int{"": 1, "-second": 1}, l.attempts(n))
	}
	same(t, "pods", 4, l.launches())
}
