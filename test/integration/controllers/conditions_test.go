package controllers_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

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

func unschedulable(message string) *corev1.PodStatus {
	return &corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
		Reason: "Unschedulable", Message: message, LastTransitionTime: metav1.Now()}}}
}

// conditions of runs that are over, by DESIGN's table.
var (
	passed = map[string]string{"Finished": "True/Passed", "Succeeded": "True/Passed"}
	failed = map[string]string{"Finished": "True/NodesFailed", "Succeeded": "False/NodesFailed", "Stalled": "True/NodesFailed"}
)

func inconclusive(reason string) map[string]string {
	return map[string]string{"Finished": "True/" + reason, "Succeeded": "Unknown/" + reason, "Stalled": "True/" + reason}
}

// TestHowRunsEnd: every way a run can end has its conditions, reason and message, and leaves no pod and no taint that
// nothing justifies.
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
			row: "Fail/BelowExpectation", message: "confirmed by 1 re-run"},
		"wrong data fails at any speed": {nodes: 2, plays: on("a", program{rate: 200, wrongData: true}), want: failed, verdict: v1alpha1.VerdictFail,
			row: "Fail/WrongData", message: "data was wrong in 2 of 2 attempts"},
		"a fail that is not confirmed passes": {nodes: 1, plays: func(_, _ string, attempt int) program { return program{rate: 40 + 30*float64(attempt)} },
			want: passed, verdict: v1alpha1.VerdictPass, row: "Pass/NotConfirmed", message: "a re-run did not confirm it"},
		"the image cannot be pulled": {nodes: 1, plays: always(program{status: waiting("benchmark", "ImagePullBackOff")}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/ImagePullFailed", message: "check the Benchmark's image"},
		"the container does not start": {nodes: 1, plays: always(program{status: waiting("benchmark", "CreateContainerConfigError")}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/PodStartFailed"},
		"the scheduler cannot place the pod": {nodes: 1, plays: always(program{status: unschedulable("0/1 nodes are available: 1 Insufficient cpu.")}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/Unschedulable", message: "Insufficient cpu"},
		"the program runs out of memory": {nodes: 1, plays: always(program{exit: 137, reason: "OOMKilled"}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/OOMKilled", message: "ran out of memory"},
		"the program fails": {nodes: 1, plays: always(program{exit: 3, reason: "Error", message: "no device"}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/ProgramFailed", message: "exited with code 3: no device"},
		"the program says nothing": {nodes: 1, plays: always(program{reason: "Completed"}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/NoOutput"},
		"the output is garbled": {nodes: 1, plays: always(program{message: "assay1:\x7f!!!"}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/BadOutput", message: "cannot be read"},
		"the output is huge": {nodes: 1, plays: always(program{message: strings.Repeat("9", 64<<10)}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/BadOutput", message: "at most 4096"},
		"the pod is evicted": {nodes: 1, plays: always(program{status: &corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "low on memory"}}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/Evicted", message: "low on memory"},
		"the program hangs": {nodes: 1, plays: always(program{forever: true}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Error/TimedOut", message: "after its time limit of 1m0s"},
		"the program cannot run on any node": {nodes: 1, plays: always(program{skips: "no such device here"}),
			want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Skipped/CannotRunHere", message: "no such device here"},
		"a node that is cordoned is skipped, the rest passes": {nodes: 2, prepare: func(l *lab) {
			l.editNode("a", func(n *corev1.Node) { n.Spec.Unschedulable = true })
		}, want: passed, verdict: v1alpha1.VerdictPass, row: "Skipped/NodeCordoned"},
		"a node kept for the control plane is skipped": {nodes: 2, prepare: func(l *lab) {
			l.editNode("a", func(n *corev1.Node) {
				n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule})
			})
		}, want: passed, verdict: v1alpha1.VerdictPass, row: "Skipped/NodeReserved"},
		"a node that is not Ready is waited for, then skipped": {nodes: 2, prepare: func(l *lab) { l.ready("a", corev1.ConditionFalse) },
			want: passed, verdict: v1alpha1.VerdictPass, row: "Skipped/NodeNotReady"},
		"no node matches": {nodes: 0, want: inconclusive("NoMatchingNodes"), verdict: v1alpha1.VerdictInconclusive},
		"a node that is named does not exist": {nodes: 1, spec: func(r *v1alpha1.ValidationRun) {
			r.Spec.NodeSelector, r.Spec.NodeNames = nil, []string{r.Name + "-a", r.Name + "-b"}
		}, want: inconclusive("Inconclusive"), verdict: v1alpha1.VerdictInconclusive, row: "Pass/Passed"},
		"the deadline passes": {nodes: 1, plays: always(program{takes: time.Hour}), spec: seconds(20),
			want: inconclusive("DeadlineExceeded"), verdict: v1alpha1.VerdictInconclusive, row: "Missing/DeadlineExceeded", message: "activeDeadlineSeconds (20)"},
		"the deadline passes while a pod hangs in a driver": {nodes: 1, plays: always(program{takes: time.Hour, hangs: true}), spec: seconds(20),
			want: inconclusive("DeadlineExceeded"), verdict: v1alpha1.VerdictInconclusive, row: "Missing/DeadlineExceeded"},
		"the deadline passes before a fail is confirmed": {nodes: 1, plays: always(program{rate: 50, takes: 15 * time.Second}), spec: seconds(20),
			want: inconclusive("DeadlineExceeded"), verdict: v1alpha1.VerdictInconclusive, row: "Error/DeadlineExceeded", message: "failed once and could not be confirmed"},
		"more nodes fail than may be tainted": {nodes: 4, plays: func(n, _ string, _ int) program {
			if n == "a" || n == "b" {
				return program{rate: 50}
			}
			return program{}
		}, spec: tainting, want: inconclusive("BreakerOpen"), verdict: v1alpha1.VerdictInconclusive, row: "Fail/BelowExpectation"},
		"most nodes fail alike": {nodes: 5, plays: always(program{rate: 50}), spec: func(r *v1alpha1.ValidationRun) {
			tainting(r)
			r.Spec.OnFailure.MaxTaintedNodes = &intstr.IntOrString{Type: intstr.String, StrVal: "100%"}
		}, want: inconclusive("BreakerOpen"), verdict: v1alpha1.VerdictInconclusive, row: "Fail/BelowExpectation"},
		"a node lacks the devices": {nodes: 2, prepare: func(l *lab) {
			b := &v1alpha1.Benchmark{}
			l.must(api.Get(l.t.Context(), keyOf(l.name), b))
			b.Spec.Needs.DeviceResource, b.Spec.Needs.MinDevices = "nvidia.com/gpu", new(int32(8))
			l.must(api.Update(l.t.Context(), b))
			n := l.getNode("a")
			n.Status.Allocatable["nvidia.com/gpu"] = resource.MustParse("4")
			l.must(api.Status().Update(l.t.Context(), n))
		}, want: passed, verdict: v1alpha1.VerdictPass, row: "Skipped/NeedsNotMet", message: "needs 8 nvidia.com/gpu, the node offers 4"},
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
