package observe

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

// TestAPodIsTheAttemptThatItsNameProves: whatever a kubelet makes of its labels and annotations.
func TestAPodIsTheAttemptThatItsNameProves(t *testing.T) {
	one, two, pairs := v1alpha1.Benchmark{}, v1alpha1.Benchmark{}, v1alpha1.Benchmark{}
	one.Name, two.Name, pairs.Name, pairs.Spec.Scope = "one", "two", "pairs", v1alpha1.ScopeGroup
	run := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Benchmarks: []v1alpha1.BenchmarkRef{{Name: "one"}, {Name: "two"}, {Name: "pairs"}}}}
	run.UID = "run"
	tasks, err := Tasks(run, catalogue.Take([]v1alpha1.Benchmark{one, two, pairs}, nil))
	if err != nil {
		t.Fatal(err)
	}
	s := &Observed{Input: Input{Run: run, Tasks: tasks}}
	node := &corev1.Node{}
	node.UID = "now"
	there := ObservedNode{Node: node, Stored: &v1alpha1.ValidationResult{Node: v1alpha1.ObjectReference{UID: "before"}}}
	for sentence, c := range map[string]struct {
		name   string
		change func(*corev1.Pod)
		node   ObservedNode
		want   string // task, attempt and UID of the node
	}{
		"it says so itself":             {workload.PodName("run", "now", "two", 3), nil, there, "1 3 now"},
		"also of a machine long gone":   {workload.PodName("run", "now", "two", 3), nil, ObservedNode{}, "1 3 now"},
		"it says nothing":               {workload.PodName("run", "now", "two", 3), func(p *corev1.Pod) { p.Labels, p.Annotations = nil, nil }, there, "1 3 now"},
		"it says another attempt":       {workload.PodName("run", "now", "two", 3), func(p *corev1.Pod) { p.Annotations[v1alpha1.AnnotationAttempt] = "1" }, there, "1 3 now"},
		"it says another benchmark":     {workload.PodName("run", "now", "two", 3), func(p *corev1.Pod) { p.Labels[v1alpha1.LabelBenchmark] = "one" }, there, "1 3 now"},
		"it says another node":          {workload.PodName("run", "now", "two", 3), func(p *corev1.Pod) { p.Annotations[v1alpha1.AnnotationNodeUID] = "other" }, there, "1 3 now"},
		"of the machine that was there": {workload.PodName("run", "before", "one", 1), func(p *corev1.Pod) { p.Annotations = nil }, there, "0 1 before"},
		"of the last attempt":           {workload.PodName("run", "now", "one", 8), func(p *corev1.Pod) { p.Annotations = nil }, there, "0 8 now"},
		"of more attempts than any has": {workload.PodName("run", "now", "one", 9), func(p *corev1.Pod) { p.Annotations = nil }, there, "-1 0 now"},
		"of another run":                {workload.PodName("other", "now", "two", 3), nil, there, "-1 0 now"},
		"of a benchmark of groups":      {workload.PodName("run", "now", "pairs", 3), nil, there, "-1 0 now"},
		"of a node that is not there":   {workload.PodName("other", "now", "two", 3), nil, ObservedNode{}, "-1 0 "},
	} {
		pod := &corev1.Pod{}
		pod.Name, pod.Labels = c.name, map[string]string{v1alpha1.LabelBenchmark: "two"}
		pod.Annotations = map[string]string{v1alpha1.AnnotationAttempt: "3", v1alpha1.AnnotationNodeUID: "now"}
		if c.change != nil {
			c.change(pod)
		}
		if p := s.identify(&c.node, pod); fmt.Sprint(p.Task, " ", p.Attempt, " ", p.NodeUID) != c.want {
			t.Errorf("%s: task %d, attempt %d, node %q; want %s", sentence, p.Task, p.Attempt, p.NodeUID, c.want)
		}
	}
}

// TestAnUnplacedPodWithoutItsMarks: a webhook has taken labels and annotations away. By its affinity the pod is an attempt on the node that it was made
// for, and holds that for other runs.
func TestAnUnplacedPodWithoutItsMarks(t *testing.T) {
	run, node, b := &v1alpha1.ValidationRun{}, &corev1.Node{}, &v1alpha1.Benchmark{}
	run.Name, run.UID, node.Name, node.UID, b.Name = "run", "run", "n", "now", "one"
	pod := workload.Pod(workload.Launch{Run: run, Node: node, Benchmark: b, Attempt: 2}, workload.Settings{})
	pod.Labels, pod.Annotations = nil, nil
	for uid, want := range map[string]string{"run": "2 ", "other": "0 " + WaitsForRun("run")} {
		of := &v1alpha1.ValidationRun{Spec: v1alpha1.ValidationRunSpec{Benchmarks: []v1alpha1.BenchmarkRef{{Name: "one"}}}}
		of.UID = types.UID(uid)
		tasks, err := Tasks(of, catalogue.Take([]v1alpha1.Benchmark{*b}, nil))
		if err != nil {
			t.Fatal(err)
		}
		n := &ObservedNode{Name: "n", Node: node}
		o := &observation{Observed: &Observed{Input: Input{Run: of, Tasks: tasks}}, byName: map[string]*ObservedNode{"n": n}}
		o.placePod(pod)
		attempt := int32(0)
		for _, p := range n.Pods {
			attempt = p.Attempt
		}
		if got := fmt.Sprint(attempt, " ", n.Busy); got != want {
			t.Errorf("to run %s: attempt and why it waits %q, want %q", uid, got, want)
		}
	}
}
