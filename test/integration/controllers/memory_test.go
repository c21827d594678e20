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
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
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

// held says of how many runs the operator holds results.
func (l *lab) held() string {
	recent := reflect.ValueOf(l.r).Elem().FieldByName("recent").Elem()
	return fmt.Sprintf("results of %d runs", recent.FieldByName("Results").FieldByName("runs").Len())
}

const nothing = "results of 0 runs"

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
	same(t, "runs in node a's history", 2, len(l.entries("a")))
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
	reads := l.requests.of("nodehistories")
	if len(reads) > 0 {
		t.Errorf("the histories of %d nodes are read by %d requests: %v", nodes, len(reads), reads)
	}
	same(t, "held", "results of 1 runs", l.held())
	l.must(api.Delete(t.Context(), l.get()))
	l.see("gone", l.gone)
	l.see("nothing held", func() bool { return l.held() == nothing })
}

func known(n *corev1.Node) *v1alpha1.NodeValidation {
	ref := v1alpha1.ObjectReference{Name: "past", UID: "past"}
	return &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: n.Name}, Fingerprint: v1alpha1.Fingerprint{NodeUID: n.UID},
		Verdict: v1alpha1.VerdictPass, LastRun: ref, ValidatedAt: metav1.Now(), NodeHistory: &v1alpha1.HistoryReference{UID: "h"}, Benchmarks: []v1alpha1.BenchmarkState{{
			Name: "rate", Verdict: v1alpha1.VerdictPass, History: []v1alpha1.HistoryEntry{{Run: ref.Name, RunUID: ref.UID, Time: metav1.Now(), Verdict: v1alpha1.VerdictPass}}}}}
}

// TestAnEarlierVersionsHistoryIsMoved: what a version before NodeHistory kept in the NodeValidation is read, moved once, and goes on from there.
func TestAnEarlierVersionsHistoryIsMoved(t *testing.T) {
	l := newLab(t, 1)
	v := known(l.getNode("a"))
	v.NodeHistory, v.OffenceCount = nil, 3
	v.Convictions = []v1alpha1.Conviction{{Benchmark: l.name, Rule: "Min", Metric: "speed", Run: v.LastRun, MeasuredAt: v.ValidatedAt}}
	old, err := runtime.DefaultUnstructuredConverter.ToUnstructured(v)
	l.must(err)
	u := &unstructured.Unstructured{Object: old}
	u.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("NodeValidation"))
	b := old["benchmarks"].([]any)[0].(map[string]any)
	entry := b["history"].([]any)[0].(map[string]any)
	older := map[string]any{"run": "older", "runUID": "older", "time": "2026-01-01T00:00:00Z", "verdict": "Pass", "values": []any{map[string]any{"metric": "speed", "unit": "GB/s", "value": "99"}}}
	entry["held"] = []any{map[string]any{"metric": "speed", "rule": "Max", "limit": "10"}}
	b["history"] = []any{older, entry}
	b["passes"] = []any{map[string]any{"configuration": "c", "runs": []any{map[string]any{"runUID": "older", "time": "2026-01-01T00:00:00Z"}, map[string]any{"runUID": "past", "time": "2026-01-02T00:00:00Z"}},
		"metrics": []any{map[string]any{"metric": "speed", "unit": "GB/s", "parts": []any{map[string]any{"at": "node", "baseline": "99", "passes": int64(2), "recent": "99 100"}}}}}}
	l.must(api.Create(t.Context(), u))
	t.Cleanup(func() { _ = api.Delete(background, v) })
	stop := l.manage()
	l.see("moved", func() bool { return l.validation("a").NodeHistory != nil })
	now, h := l.validation("a"), &v1alpha1.NodeHistory{}
	l.must(api.Get(t.Context(), client.ObjectKeyFromObject(v), h))
	same(t, "what is named", v1alpha1.HistoryReference{UID: h.UID, Generation: h.Generation}, *now.NodeHistory)
	same(t, "convictions", 1, len(now.Convictions))
	same(t, "proofs in the state", 1, len(now.Benchmarks[0].History))
	same(t, "entries of the history", 2, len(h.Benchmarks[0].Entries))
	same(t, "values of the part", []v1alpha1.PassingValue{"99", "100"}, h.Benchmarks[0].Passes[0].Metrics[0].Parts[0].Recent)
	same(t, "rules that were held", "Max", h.Benchmarks[0].Held[0].Rules[0].Rule)
	same(t, "offences", int32(3), h.OffenceCount)
	stop()
	raw := &unstructured.Unstructured{}
	raw.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("NodeValidation"))
	l.must(api.Get(t.Context(), client.ObjectKeyFromObject(v), raw))
	if text := fmt.Sprint(raw.Object["benchmarks"]); strings.Contains(text, "passes") || strings.Contains(text, "held") {
		t.Errorf("the history is still in the NodeValidation: %s", text)
	}
	l.manage()
	l.see("at rest", func() bool { return l.validation("a").ResourceVersion == now.ResourceVersion })
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
