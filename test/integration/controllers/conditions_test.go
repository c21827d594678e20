package controllers_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// always lets every pod do the same.
func always(p program) func(string, string, int) program {
	return func(string, string, int) program { return p }
}

// on lets the pods of one node do something; the others measure 100 GB/s.
func on(node string, p program) func(string, string, int) program {
	return func(n, _ string, _ int) program {
		if n == node {
			return p
		}
		return program{}
	}
}

func waiting(container, reason string) *corev1.PodStatus {
	return &corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: []corev1.ContainerStatus{{Name: container, Image: "registry.example/x",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "no such image"}}}}}
}

// conditions of runs that are over, by DESIGN's table.
var (
	passed = map[string]string{"Finished": "True/Passed", "Succeeded": "True/Passed"}
	failed = map[string]string{"Finished": "True/NodesFailed", "Succeeded": "False/NodesFailed", "Stalled": "True/NodesFailed"}
)

func inconclusive(reason string) map[string]string {
	return map[string]string{"Finished": "True/" + reason, "Succeeded": "Unknown/" + reason, "Stalled": "True/" + reason}
}

// TestHowRunsEnd: a run that is over has its conditions, reason and message, and leaves no pod and no taint that nothing justifies. All
// other ways to end are stories of internal/operate/assess/tracetest.
func TestHowRunsEnd(t *testing.T) {
	t.Parallel()
	seconds := func(n int64) func(*v1alpha1.ValidationRun) {
		return func(r *v1alpha1.ValidationRun) { r.Spec.ActiveDeadlineSeconds = &n }
	}
	cases := map[string]struct {
		nodes   int
		plays   func(string, string, int) program
		prepare func(*lab)
		spec    func(*v1alpha1.ValidationRun)
		want    map[string]string
		verdict v1alpha1.Verdict
		// row of node a: "Verdict/Reason", and words of its message.
		row, message string
	}{
		"every node passes": {nodes: 2, want: passed, verdict: v1alpha1.VerdictPass, row: "Pass/Passed", message: "100 GB/s"},
		"a slow node fails": {nodes: 2, plays: on("a", program{rate: 50}), want: failed, verdict: v1alpha1.VerdictFail,
			row: "Fail/BelowExpectation", message: "confirmed: mean of 2 measurements"},
		"the image cannot be pulled": {nodes: 1, plays: always(program{status: waiting("benchmark", "ImagePullBackOff")}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/ImagePullFailed", message: "check the Benchmark's image"},
		"the output is huge": {nodes: 1, plays: always(program{message: strings.Repeat("9", 64<<10)}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/BadOutput", message: "at most 4096"},
		"no node matches": {nodes: 0, want: inconclusive("NoMatchingNodes"), verdict: v1alpha1.VerdictInconclusive},
		"the deadline passes while a pod hangs in a driver": {nodes: 1, plays: always(program{takes: time.Hour, hangs: true}), spec: seconds(20),
			want: inconclusive("DeadlineExceeded"), verdict: v1alpha1.VerdictInconclusive, row: "Missing/DeadlineExceeded"},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, c.nodes)
			l.plays = c.plays
			if c.prepare != nil {
				c.prepare(l)
			}
			spec := []func(*v1alpha1.ValidationRun){}
			if c.spec != nil {
				spec = append(spec, c.spec)
			}
			l.run(spec...)
			l.until("finished", l.finished)
			run := l.get()
			same(t, "the conditions", c.want, state(run))
			same(t, "the verdict", c.verdict, run.Status.Verdict)
			for _, row := range run.Status.Nodes {
				if row.Name != l.node("a") {
					continue
				}
				same(t, "the row of node a", c.row, string(row.Verdict)+"/"+row.Reason)
				if !strings.Contains(row.Message, c.message) || row.Message == "" {
					t.Errorf("the message of node a is %q, want %q in it", row.Message, c.message)
				}
			}
			checkFinished(t, run)
			l.checkNothingLeft(c.plays)
		})
	}
}

// checkFinished holds the status of a run that is over to what users rely on.
func checkFinished(t *testing.T, run *v1alpha1.ValidationRun) {
	t.Helper()
	s := run.Status
	if s.CompletionTime == nil || s.StartTime == nil || s.ObservedGeneration != run.Generation {
		t.Errorf("start %v, completion %v, observedGeneration %d of %d", s.StartTime, s.CompletionTime, s.ObservedGeneration, run.Generation)
	}
	sum := *s.Summary
	if got := sum.Passed + sum.Failed + sum.Errored + sum.Skipped; got != sum.Nodes || sum.Pending+sum.Running != 0 {
		t.Errorf("the summary does not add up: %+v", sum)
	}
	for _, c := range s.Conditions {
		if c.Message == "" || c.Reason == "" || c.ObservedGeneration != run.Generation {
			t.Errorf("condition %s lacks a message, a reason or its generation: %+v", c.Type, c)
		}
	}
}

// checkNothingLeft: no pod that can go is left, and no taint.
func (l *lab) checkNothingLeft(plays func(string, string, int) program) {
	l.t.Helper()
	hangs := plays != nil && plays("a", l.name, 1).hangs
	if pods := l.pods(); len(pods) > 0 && !hangs {
		l.t.Errorf("%d pods are left: %s", len(pods), l.describe())
	}
	var nodes corev1.NodeList
	l.must(api.List(l.t.Context(), &nodes, labelled(l.name)))
	for i := range nodes.Items {
		for _, taint := range taints(&nodes.Items[i]) {
			if strings.HasPrefix(taint, "assay.dev/") {
				l.t.Errorf("node %s carries taint %s", nodes.Items[i].Name, taint)
			}
		}
	}
}
