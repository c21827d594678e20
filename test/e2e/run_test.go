//go:build e2e

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// newRun validates some nodes by some benchmarks, all at once.
func newRun(name string, on []string, benchmarks ...string) *v1alpha1.ValidationRun {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: name}}
	run.Spec.NodeNames = on
	for _, b := range benchmarks {
		run.Spec.Benchmarks = append(run.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: b})
	}
	return run
}

func withDeadline(run *v1alpha1.ValidationRun, seconds int64) *v1alpha1.ValidationRun {
	run.Spec.ActiveDeadlineSeconds = &seconds
	return run
}

// lasting sets for how long the slow-rate benchmark sleeps.
func lasting(run *v1alpha1.ValidationRun, seconds int) *v1alpha1.ValidationRun {
	run.Spec.Benchmarks[0].Parameters = []v1alpha1.ParameterValue{{Name: "seconds", Value: fmt.Sprint(seconds)}}
	return run
}

func tainting(run *v1alpha1.ValidationRun, limit int32) *v1alpha1.ValidationRun {
	run.Spec.OnFailure = &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{}, MaxTaintedNodes: new(intstr.FromInt32(limit))}
	return run
}

// create creates the run. A failed test shows how the run fared; a run that is not over at the test's end is deleted.
func create(t *testing.T, run *v1alpha1.ValidationRun) {
	t.Helper()
	if err := api.Create(t.Context(), run); err != nil {
		t.Fatalf("creating run %s: %v", run.Name, err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		last := &v1alpha1.ValidationRun{}
		err := api.Get(ctx, client.ObjectKeyFromObject(run), last)
		if t.Failed() {
			diagnose(t, last)
		}
		if err == nil && !meta.IsStatusConditionTrue(last.Status.Conditions, v1alpha1.ConditionFinished) {
			_ = api.Delete(ctx, last)
			_ = wait.PollUntilContextTimeout(ctx, pollInterval, patience, true, func(ctx context.Context) (bool, error) {
				return apierrors.IsNotFound(api.Get(ctx, client.ObjectKeyFromObject(run), last)), nil
			})
		}
	})
}

const (
	pollInterval = 100 * time.Millisecond
	// patience is how long nothing may change before a test fails. What is late on a slow machine is not wrong; what never comes is.
	patience = 10 * time.Minute
)

// eventually polls until check says that it is done; else the test fails with the last state that check described.
func eventually(t *testing.T, what string, check func(context.Context) (done bool, state string)) {
	t.Helper()
	if state, done := within(t, patience, check); !done {
		t.Fatalf("nothing changed for %s while waiting for %s: %s", patience, what, state)
	}
}

// endless is how many limits within waits for a state that keeps changing.
const endless = 4

// within polls until check says that it is done, or until the state that check describes has not changed for so long, and returns that state.
func within(t *testing.T, limit time.Duration, check func(context.Context) (done bool, state string)) (state string, done bool) {
	t.Helper()
	state, changed := "never looked", time.Now()
	err := wait.PollUntilContextTimeout(t.Context(), pollInterval, endless*limit, true, func(ctx context.Context) (bool, error) {
		before := state
		if done, state = check(ctx); state != before {
			changed = time.Now()
		}
		if !done && time.Since(changed) > limit {
			return false, errors.New("nothing changes")
		}
		return done, nil
	})
	return state, err == nil
}

// until waits for a run to come into a state.
func until(t *testing.T, run *v1alpha1.ValidationRun, what string, is func(*v1alpha1.ValidationRun) bool) {
	t.Helper()
	eventually(t, fmt.Sprintf("run %s %s", run.Name, what), func(ctx context.Context) (bool, string) {
		if err := api.Get(ctx, client.ObjectKeyFromObject(run), run); err != nil {
			return false, err.Error()
		}
		return is(run), fmt.Sprintf("%+v", summaryOf(run))
	})
}

// finish waits for the run's end and checks that nothing of it is left but what only waits for its node.
func finish(t *testing.T, run *v1alpha1.ValidationRun) {
	t.Helper()
	until(t, run, "to be Finished", func(r *v1alpha1.ValidationRun) bool {
		return meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionFinished)
	})
	for _, p := range podsOf(t, run) {
		if !cutOff(t, p) {
			t.Errorf("run %s is Finished and has pod %s", run.Name, p.Name)
		}
	}
	if run.Status.ObservedGeneration != run.Generation || run.Status.CompletionTime == nil {
		t.Errorf("run %s: observedGeneration %d of %d, completionTime %v", run.Name,
			run.Status.ObservedGeneration, run.Generation, run.Status.CompletionTime)
	}
}

// cutOff: the pod is deleted, and no kubelet hears of it.
func cutOff(t *testing.T, p corev1.Pod) bool {
	t.Helper()
	n := &corev1.Node{}
	err := api.Get(t.Context(), client.ObjectKey{Name: p.Spec.NodeName}, n)
	if client.IgnoreNotFound(err) != nil {
		t.Fatalf("getting node %s: %v", p.Spec.NodeName, err)
	}
	ready := slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
	return p.DeletionTimestamp != nil && !ready
}

// wake ends the sleeps of a run's programs, as many as there come, until it is over, and then checks it as finish does.
func wake(t *testing.T, run *v1alpha1.ValidationRun) {
	t.Helper()
	woken := map[types.UID]bool{}
	until(t, run, "to be Finished, its sleeps ended", func(r *v1alpha1.ValidationRun) bool {
		for _, p := range podsOf(t, r) {
			if p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil && !woken[p.UID] {
				_, err := try("kubectl", "-n", p.Namespace, "exec", p.Name, "--", "sh", "-c", "kill $(pidof sleep)") // it may be over by now, or not begun
				woken[p.UID] = err == nil
			}
		}
		return meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionFinished)
	})
	finish(t, run)
}

func podsOf(t *testing.T, run *v1alpha1.ValidationRun) []corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	if err := api.List(t.Context(), &pods, client.InNamespace(benchmarkNamespace),
		client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)}); err != nil {
		t.Fatalf("listing the pods of run %s: %v", run.Name, err)
	}
	return pods.Items
}

// running waits until a program of the run is running, and returns its pod.
func running(t *testing.T, run *v1alpha1.ValidationRun) corev1.Pod {
	t.Helper()
	var found corev1.Pod
	eventually(t, "a running pod of run "+run.Name, func(context.Context) (bool, string) {
		for _, p := range podsOf(t, run) {
			if p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil {
				found = p
				return true, ""
			}
		}
		return false, fmt.Sprintf("%d pods", len(podsOf(t, run)))
	})
	return found
}

// noPods waits until the run's pods are gone.
func noPods(t *testing.T, run *v1alpha1.ValidationRun) {
	t.Helper()
	eventually(t, "the pods of run "+run.Name+" to go", func(context.Context) (bool, string) {
		left := podsOf(t, run)
		return len(left) == 0, fmt.Sprintf("%d pods", len(left))
	})
}

// summary is what a user reads first of a run.
type summary struct {
	Verdict v1alpha1.Verdict
	// Conditions as "status/reason", by type.
	Conditions map[string]string
	// Rows as "verdict/reason", by node.
	Rows map[string]string
}

func summaryOf(run *v1alpha1.ValidationRun) summary {
	s := summary{Verdict: run.Status.Verdict, Conditions: map[string]string{}, Rows: map[string]string{}}
	for _, c := range run.Status.Conditions {
		s.Conditions[c.Type] = string(c.Status) + "/" + c.Reason
	}
	for _, row := range run.Status.Nodes {
		s.Rows[row.Name] = string(row.Verdict) + "/" + row.Reason
	}
	return s
}

// ended is the summary of a run that is over, as the table of conditions in the API has it.
func ended(v v1alpha1.Verdict, reason string, rows map[string]string) summary {
	succeeded := map[v1alpha1.Verdict]string{v1alpha1.VerdictPass: "True/", v1alpha1.VerdictFail: "False/",
		v1alpha1.VerdictError: "False/", v1alpha1.VerdictInconclusive: "Unknown/"}[v]
	s := summary{Verdict: v, Rows: rows, Conditions: map[string]string{"Finished": "True/" + reason, "Succeeded": succeeded + reason}}
	if v != v1alpha1.VerdictPass {
		s.Conditions["Stalled"] = "True/" + reason
	}
	if s.Rows == nil {
		s.Rows = map[string]string{}
	}
	return s
}

func passed(on ...string) summary {
	return ended(v1alpha1.VerdictPass, v1alpha1.ReasonPassed, each(on, "Pass/Passed"))
}

func inconclusive(rows map[string]string) summary {
	return ended(v1alpha1.VerdictInconclusive, v1alpha1.ReasonInconclusive, rows)
}

func each(on []string, row string) map[string]string {
	rows := map[string]string{}
	for _, n := range on {
		rows[n] = row
	}
	return rows
}

func checkSummary(t *testing.T, run *v1alpha1.ValidationRun, want summary) {
	t.Helper()
	if diff := cmp.Diff(want, summaryOf(run)); diff != "" {
		t.Errorf("run %s (-want +got):\n%s", run.Name, diff)
	}
}

// checkMessage looks for words in the row of a node.
func checkMessage(t *testing.T, run *v1alpha1.ValidationRun, node string, words ...string) {
	t.Helper()
	for _, row := range run.Status.Nodes {
		for _, w := range words {
			if row.Name == node && !strings.Contains(row.Message, w) {
				t.Errorf("run %s, row of %s: %q is not in %q", run.Name, node, w, row.Message)
			}
		}
	}
}

// resultsOf returns the run's ValidationResults by node.
func resultsOf(t *testing.T, run *v1alpha1.ValidationRun) map[string]v1alpha1.ValidationResult {
	t.Helper()
	var list v1alpha1.ValidationResultList
	if err := api.List(t.Context(), &list, client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)}); err != nil {
		t.Fatalf("listing the results of run %s: %v", run.Name, err)
	}
	out := map[string]v1alpha1.ValidationResult{}
	for _, r := range list.Items {
		if r.Group == nil {
			out[r.Node.Name] = r
		}
	}
	return out
}

// attemptsOf returns "verdict/reason" of each stored attempt of a node, by benchmark.
func attemptsOf(r v1alpha1.ValidationResult) map[string][]string {
	out := map[string][]string{}
	for _, b := range r.Benchmarks {
		for _, a := range b.Attempts {
			out[b.Name] = append(out[b.Name], string(a.Verdict)+"/"+a.Reason)
		}
	}
	return out
}

// diagnose prints what one wants to know of a run that did not do what it should.
func diagnose(t *testing.T, run *v1alpha1.ValidationRun) {
	t.Helper()
	for _, args := range [][]string{
		{"get", "validationrun", run.Name, "-o", "yaml"},
		{"get", "validationresults", "-l", v1alpha1.LabelRunName + "=" + run.Name, "-o", "wide"},
		{"get", "nodes,pods", "-A", "-o", "wide"},
		{"-n", benchmarkNamespace, "get", "events", "--sort-by=.metadata.creationTimestamp"},
		{"-n", "default", "get", "events", "--sort-by=.metadata.creationTimestamp"},
		{"-n", "assay-system", "logs", "deployment/assay-manager", "--tail=60"},
	} {
		out, _ := try("kubectl", args...)
		if lines := strings.Split(out, "\n"); len(lines) > 200 {
			out = strings.Join(lines[len(lines)-200:], "\n")
		}
		t.Logf("kubectl %s\n%s", strings.Join(args, " "), out)
	}
}
