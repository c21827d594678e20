package controllers_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// words is how the API server passes on an error that it has no status for.
func words(text string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: text}}
}

// refusals are the answers of an API server to what it will never store.
var refusals = map[string]error{
	"it is invalid":                         apierrors.NewInvalid(schema.GroupKind{Group: "assay.dev", Kind: "ValidationResult"}, "r", nil),
	"it is too large for a request":         apierrors.NewRequestEntityTooLargeError("limit is 3145728"),
	"it is too large for etcd":              words("etcdserver: request is too large"),
	"it is too large for the way to etcd":   words("rpc error: code = ResourceExhausted desc = trying to send message larger than max (2400000 vs. 2097152)"),
	"it is too large, says a proxy between": &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusRequestEntityTooLarge, Message: "413"}},
}

// refuseResults keeps the measurements of a node, or of a group, out of the API server.
func (l *lab) refuseResults(err error, short string) {
	l.hand.before = func(_ int, _ write, o runtime.Object) error {
		r, ok := o.(*v1alpha1.ValidationResult)
		if !ok || r.Group == nil && r.Node.Name != l.node(short) {
			return nil
		}
		for _, b := range r.Benchmarks {
			for _, a := range b.Attempts {
				if len(a.Measurements) > 0 {
					return err
				}
			}
		}
		return nil
	}
}

// TestRefusedResult: a node's output that the API server will not store becomes an attempt that says so. The run ends, and
// taints nobody for what nobody can read.
func TestRefusedResult(t *testing.T) {
	t.Parallel()
	for sentence, refusal := range refusals {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := reference(t)
			l.refuseResults(refusal, "a")
			l.hand.after = func(_ int, w write, o runtime.Object) error {
				l.checkPromises(w, o)
				return nil
			}
			run := l.finish()
			same(t, "the summary", &v1alpha1.RunSummary{Nodes: 2, Passed: 1, Errored: 1}, run.Status.Summary)
			same(t, "the taints", []string{}, taints(l.getNode("a")))
			r := l.result("a")
			same(t, "the attempts", 1, len(r.Benchmarks[0].Attempts))
			a := r.Benchmarks[0].Attempts[0]
			same(t, "the attempt", "Error/BadOutput", fmt.Sprintf("%s/%s", a.Verdict, a.Reason))
			contains(t, "the attempt", a.Message, "the API server refused to store what was measured: "+refusal.Error())
			contains(t, "the row", l.message(run, "a"), "the API server refused to store")
			same(t, "the verdict of the node", v1alpha1.VerdictError, r.Verdict)
			same(t, "the pods", 0, len(l.pods()))
		})
	}
}

// TestRefusedConclusion: all attempts are stored, and only the details of what is concluded from them are refused. The verdict
// counts, and is not written again and again.
func TestRefusedConclusion(t *testing.T) {
	t.Parallel()
	l := newLab(t, 6)
	b := l.benchmark(l.name + "-fleet")
	b.Spec.Metrics[0].Expectation = &v1alpha1.Expectation{MaxFleetDeviation: "0.10"}
	l.create(b)
	l.plays = func(node, _ string, _ int) program {
		return map[string]program{"a": {rate: 50}, "b": {takes: time.Minute}}[node] // b keeps a waiting for its verdict
	}
	l.run(tainting, by("-fleet"), func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) })
	refused := 0
	l.hand.before = func(_ int, w write, o runtime.Object) error {
		if r, ok := o.(*v1alpha1.ValidationResult); ok && w == "update ValidationResult" && len(r.Benchmarks[0].Findings) > 0 {
			refused++
			return refusals["it is too large for etcd"]
		}
		return nil
	}
	run := l.finish()
	same(t, "how many results were refused", 1, refused)
	same(t, "the summary", &v1alpha1.RunSummary{Nodes: 6, Passed: 5, Failed: 1, Tainted: 1}, run.Status.Summary)
	r := l.result("a")
	same(t, "the result", "Fail, 1 attempt, 0 findings, 1 measurement", fmt.Sprintf("%s, %d attempt, %d findings, %d measurement", r.Verdict,
		len(r.Benchmarks[0].Attempts), len(r.Benchmarks[0].Findings), len(r.Benchmarks[0].Attempts[0].Measurements)))
}

// TestNoResultIsLetIn: a policy that lets no result in keeps the measurement in its pod, until it is changed.
func TestNoResultIsLetIn(t *testing.T) {
	t.Parallel()
	l := reference(t)
	denied := apierrors.NewInvalid(schema.GroupKind{Group: "assay.dev", Kind: "ValidationResult"}, "r", nil)
	l.hand.before = func(_ int, w write, _ runtime.Object) error {
		if strings.HasSuffix(string(w), " ValidationResult") {
			return denied
		}
		return nil
	}
	failures := 0
	l.tolerate = func(err error) bool {
		if failures++; failures == 5 {
			same(t, "the pods while nothing can be stored", 2, len(l.pods()))
			l.hand.before = nil
		}
		contains(t, "the error", err.Error(), "storing the result of node "+l.nodes)
		return errors.Is(err, denied)
	}
	l.finish()
	same(t, "the end", wantEnd, l.endState())
	if failures < 5 {
		t.Errorf("there were %d failing passes, want 5", failures)
	}
}

// TestRefusedGroupResult: no node is judged by a group's measurement that could not be stored.
func TestRefusedGroupResult(t *testing.T) {
	t.Parallel()
	l := groupReference(t)
	l.refuseResults(refusals["it is too large for etcd"], "none")
	run := l.finish()
	same(t, "tainted", "[]", fmt.Sprint(l.tainted()))
	for pair, r := range l.groupResults() {
		for _, a := range r.Benchmarks[0].Attempts {
			if a.Reason != v1alpha1.ReasonBadOutput {
				t.Errorf("pair %s: attempt %d is %s/%s, want Error/BadOutput", pair, a.Number, a.Verdict, a.Reason)
			}
		}
	}
	same(t, "the nodes that passed or failed", int32(0), run.Status.Summary.Passed+run.Status.Summary.Failed)
	same(t, "MPIJobs and pods left", 0, len(l.jobs())+len(l.pods()))
}
