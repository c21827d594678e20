package assess

import (
	"slices"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/catalogue"
	"github.com/assay-dev/assay/internal/verdict"
	"github.com/assay-dev/assay/internal/workload"
)

// Task is one benchmark of the run, with the run's parameters.
type Task struct {
	Benchmark     *v1alpha1.Benchmark
	Argv          []string
	Metrics       []v1alpha1.Metric
	Configuration string
	// OwnParameters: the run sets some; Overridden: metrics of which it sets the expectation.
	OwnParameters bool
	Overridden    []string
	// fleet that its attempts are compared with.
	fleet *verdict.Fleet
}

// Tasks of a run, in the order of its catalogue.
func Tasks(run *v1alpha1.ValidationRun, catalogue catalogue.Snapshot) ([]Task, error) {
	var tasks []Task
	for _, b := range catalogue.Objects() {
		ref := v1alpha1.BenchmarkRef{Name: b.Name}
		if i := slices.IndexFunc(run.Spec.Benchmarks, func(r v1alpha1.BenchmarkRef) bool { return r.Name == b.Name }); i >= 0 {
			ref = run.Spec.Benchmarks[i]
		}
		t, err := newTask(&b, ref)
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
	metrics, err := verdict.EffectiveMetrics(b, ref.Expectations)
	if err != nil {
		return Task{}, err
	}
	t := Task{Benchmark: b, Argv: argv, Metrics: metrics, OwnParameters: len(ref.Parameters) > 0, Configuration: workload.Configuration(b, argv, b.Spec.Image)}
	for _, e := range ref.Expectations {
		t.Overridden = append(t.Overridden, e.Metric)
	}
	return t, nil
}

// Name of the benchmark.
func (t Task) Name() string { return t.Benchmark.Name }

// IsGroup: it measures several nodes at once.
func (t Task) IsGroup() bool { return t.Benchmark.Spec.Scope == v1alpha1.ScopeGroup }

func (t Task) timeout() time.Duration {
	return time.Duration(t.Benchmark.Spec.TimeoutSeconds) * time.Second
}

func (s *state) taskNamed(name string) int {
	return slices.IndexFunc(s.tasks, func(t Task) bool { return t.Name() == name })
}

// hasGroups: the run has a benchmark of scope Group.
func (s *state) hasGroups() bool {
	return slices.ContainsFunc(s.tasks, Task.IsGroup)
}
