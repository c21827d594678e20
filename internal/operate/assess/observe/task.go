package observe

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/expect"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/operate/nodevalidation"
)

// Task is one benchmark of the run, with the run's parameters.
type Task struct {
	Benchmark     *v1alpha1.Benchmark
	Argv          []string
	Metrics       []v1alpha1.Metric
	Configuration string
	// Asked: hash of what the run asks for; see workload.Asked.
	Asked string
	// OwnParameters: the run sets some; Overridden: metrics of which it sets the expectation, as the Benchmark has them.
	OwnParameters bool
	Overridden    []v1alpha1.Metric
	// Remembered are the metrics whose values a node's history keeps; none of a group of more than two, which says little of one node.
	Remembered []v1alpha1.Metric
}

// Tasks of a run, in the order of its catalogue.
func Tasks(run *v1alpha1.ValidationRun, catalogue catalogue.Snapshot) ([]Task, error) {
	var tasks []Task
	for _, b := range catalogue.Objects() {
		t, err := newTask(&b, run.Spec.Ref(b.Name))
		if err != nil {
			return nil, Invalid(err.Error())
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

func newTask(b *v1alpha1.Benchmark, ref v1alpha1.BenchmarkRef) (Task, error) {
	argv, err := workload.Arguments(b, ref.Parameters)
	if err != nil {
		return Task{}, err
	}
	asked, err := workload.Asked(b, ref)
	if err != nil {
		return Task{}, err
	}
	metrics, err := expect.Effective(b, ref.Expectations)
	if err != nil {
		return Task{}, err
	}
	t := Task{Benchmark: b, Argv: argv, Metrics: metrics, OwnParameters: len(ref.Parameters) > 0, Configuration: workload.Configuration(b, argv, b.Spec.Image), Asked: asked}
	t.Remembered = remembered(b, metrics)
	for i := range b.Spec.Metrics {
		if slices.ContainsFunc(ref.Expectations, func(o v1alpha1.ExpectationOverride) bool { return o.Metric == b.Spec.Metrics[i].Name }) {
			t.Overridden = append(t.Overridden, b.Spec.Metrics[i])
		}
	}
	return t, nil
}

// remembered are the metrics that the Benchmark or the run asks to compare: one that a run does not judge leaves no gap in a history.
func remembered(b *v1alpha1.Benchmark, metrics []v1alpha1.Metric) []v1alpha1.Metric {
	var out []v1alpha1.Metric
	if g := b.Spec.Group; g != nil && (g.Size.Type != intstr.Int || g.Size.IntVal != 2) {
		return nil
	}
	for i := range metrics {
		if nodevalidation.Remembered(&metrics[i]) || nodevalidation.Remembered(&b.Spec.Metrics[i]) {
			out = append(out, metrics[i])
		}
	}
	return out
}

// Name of the benchmark.
func (t Task) Name() string { return t.Benchmark.Name }

// IsGroup: it measures several nodes at once.
func (t Task) IsGroup() bool { return t.Benchmark.Spec.Scope == v1alpha1.ScopeGroup }

// Timeout after which the program is stopped.
func (t Task) Timeout() time.Duration {
	return time.Duration(t.Benchmark.Spec.TimeoutSeconds) * time.Second
}

// TaskNamed is the index of a task; below zero: there is none of this name.
func (s *Observed) TaskNamed(name string) int {
	return slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Name() == name })
}
