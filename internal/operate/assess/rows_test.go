package assess

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/pack"
)

// soloRun is a run that has started and measures nodes one by one; each is Ready and has nothing measured.
func soloRun(nodes ...string) observe.Input {
	now := time.Unix(1_700_000_000, 0)
	run := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{NodeNames: nodes, Confirmations: new(int32(1)), ActiveDeadlineSeconds: new(int64(600))}}
	run.Name, run.UID = "run", "run-uid"
	run.CreationTimestamp = metav1.NewTime(now.Add(-time.Minute))
	run.Status.StartTime = &metav1.Time{Time: now.Add(-time.Minute)}
	b := &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Scope: v1alpha1.ScopeNode, TimeoutSeconds: 300}}
	b.Name = "stream"
	in := observe.Input{Run: run, Now: now, Tasks: []observe.Task{{Benchmark: b, Configuration: "c", Metrics: []v1alpha1.Metric{bandwidth(v1alpha1.Expectation{MaxFleetDeviation: "0.05"})}}}}
	for _, name := range nodes {
		in.Nodes = append(in.Nodes, readyNode(name))
	}
	return in
}

func readyNode(name string) *corev1.Node {
	n := &corev1.Node{}
	n.Name, n.UID = name, types.UID("uid-"+name)
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	return n
}

// addPod of an attempt, changed as asked.
func addPod(in *observe.Input, node string, attempt int32, change func(*corev1.Pod)) *corev1.Pod {
	i := 0
	for in.Nodes[i].Name != node {
		i++
	}
	p := workload.Pod(workload.Launch{Run: in.Run, Benchmark: in.Tasks[0].Benchmark, Node: in.Nodes[i], Attempt: attempt}, workload.Settings{})
	p.UID, p.CreationTimestamp = "pod-of-"+in.Nodes[i].UID, metav1.NewTime(in.Now.Add(-30*time.Second))
	p.Spec.NodeName = node
	change(p)
	in.Pods = append(in.Pods, p)
	return p
}

func ended(message string, code int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodSucceeded
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: workload.ProgramContainer,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Message: message}}}}
	}
}

// measuredAt is what the runner leaves of a program that measured a bandwidth.
func measuredAt(t *testing.T, value float64) string {
	t.Helper()
	text, err := result.Encode(result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured,
		Start: time.Unix(1_699_999_980, 0), End: time.Unix(1_699_999_990, 0),
		Document: &result.Document{Schema: "assay.dev/result/v1", Benchmark: "stream", Measurements: []result.Measurement{{Name: "bandwidth", Unit: "GB/s", Better: result.BetterHigher, Parts: []result.Part{{At: "node", Value: value}}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func running(p *corev1.Pod) {
	p.Status.Phase = corev1.PodRunning
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: workload.ProgramContainer,
		State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(p.CreationTimestamp.Add(2 * time.Second))}}}}
}

// TestRowsOfNodesWithoutAVerdict: a row says what is the case, and nothing that is not yet, or no longer.
func TestRowsOfNodesWithoutAVerdict(t *testing.T) {
	for sentence, c := range map[string]struct {
		change func(*observe.Input)
		want   string
	}{
		"the run has not started":     {func(in *observe.Input) { in.Run.Status.StartTime = nil }, "Waiting: not measured yet"},
		"its pod is made in the pass": {func(*observe.Input) {}, "Running: attempt 1 of stream is starting"},
		"its pod runs":                {func(in *observe.Input) { addPod(in, "a", 1, running) }, "Running: pod POD is running"},
		"its pod ended well, and is collected in this pass": {func(in *observe.Input) { addPod(in, "a", 1, ended(measuredAt(t, 10), 0)) },
			"Running: attempt 1 is stored; pod POD is being removed"},
		"it was measured, and its pod is gone": {func(in *observe.Input) {
			addPod(in, "a", 1, ended(measuredAt(t, 10), 0))
			out, err := assessed(*in)
			if err != nil {
				t.Fatal(err)
			}
			in.Pods, in.Results = nil, []*pack.Result{pack.Plain(out.Nodes[0].Result)}
		}, "Running: node bandwidth 10 GB/s; to be compared with the fleet once all nodes are measured"},
		"somebody deleted its pod": {func(in *observe.Input) {
			addPod(in, "a", 1, func(p *corev1.Pod) {
				ended("", 143)(p)
				p.DeletionTimestamp = &metav1.Time{Time: in.Now}
			})
		}, "Running: somebody deleted pod POD while it was running: attempt 1 starts again once it is gone"},
		"the run is suspended": {func(in *observe.Input) { in.Run.Spec.Suspend = true }, "Waiting: the run is suspended"},
		"another run holds it": {func(in *observe.Input) {
			in.Busy = map[string]string{"a": "waiting for run nightly, which is measuring this node"}
		},
			"Waiting: waiting for run nightly, which is measuring this node"},
	} {
		t.Run(sentence, func(t *testing.T) {
			in := soloRun("a", "b")
			c.change(&in)
			out, err := assessed(in)
			if err != nil {
				t.Fatal(err)
			}
			row := out.Report(Written{}).Status.Nodes[0] // of node a
			got := row.Reason + ": " + row.Message
			want := c.want
			if len(in.Pods) > 0 {
				want = strings.ReplaceAll(want, "POD", in.Pods[0].Name)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("another row (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSinceWhenANodeIsMeasured: pulling an image is no measuring, and a clock that cannot be right is not asked.
func TestSinceWhenANodeIsMeasured(t *testing.T) {
	for sentence, c := range map[string]struct{ started, since time.Duration }{ // before now; the pod was created 30 seconds before
		"the image took 20 seconds":   {10 * time.Second, 10 * time.Second},
		"its clock is an hour behind": {time.Hour, 30 * time.Second},
		"its clock is a second ahead": {-time.Second, -time.Second},
		"its clock is an hour ahead":  {-time.Hour, 30 * time.Second},
	} {
		t.Run(sentence, func(t *testing.T) {
			in := soloRun("a")
			addPod(&in, "a", 1, func(p *corev1.Pod) {
				running(p)
				p.Status.ContainerStatuses[0].State.Running.StartedAt = metav1.NewTime(in.Now.Add(-c.started))
			})
			out, err := assessed(in)
			if err != nil {
				t.Fatal(err)
			}
			m := out.Report(Written{}).Status.Nodes[0].Measuring
			if m == nil || in.Now.Sub(m.Since.Time) != c.since {
				t.Errorf("measured by %+v, want for %v", m, c.since)
			}
		})
	}
}

// TestOlderTaintsDoNotOpenTheBreaker: a taint from before is no failure of this run, even where none may carry one.
func TestOlderTaintsDoNotOpenTheBreaker(t *testing.T) {
	for sentence, c := range map[string]struct {
		verdict v1alpha1.Verdict
		open    bool
	}{
		"the node with the taint cannot be measured": {v1alpha1.VerdictError, false},
		"the node with the taint was skipped":        {v1alpha1.VerdictSkipped, false},
		"the node with the taint failed again":       {v1alpha1.VerdictFail, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := pairScope(2, 1)
			s.Run.Spec.OnFailure = &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{Key: "assay.dev/failed", Effect: "NoSchedule"}, MaxTaintedNodes: new(intstr.FromInt32(0))}
			tainted := s.Nodes[0]
			tainted.Node.Spec.Taints = []corev1.Taint{{Key: "assay.dev/failed", Effect: "NoSchedule"}}
			tainted.Validation = &v1alpha1.NodeValidation{Quarantine: &v1alpha1.Quarantine{Key: "assay.dev/failed", Effect: "NoSchedule"}}
			j := judge.Judge(collect.Collect(s))
			j.Nodes[0].Verdict, j.Nodes[1].Verdict = c.verdict, v1alpha1.VerdictPass
			if b := breakerOf(j); b.Open != c.open {
				t.Errorf("the breaker is open: %v (%s)", b.Open, b.Message)
			}
		})
	}
}
