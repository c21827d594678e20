package export

import (
	"cmp"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

// Kinds of values.
const (
	kindMeasurement = "measurement"
	kindTelemetry   = "telemetry"
	kindFact        = "fact"
	kindCheck       = "check"
	// kindEfficiency is that of a metric at one size, by all attempts together.
	kindEfficiency = "efficiency"
)

// value is one thing that one attempt found, with everything that tells it from others.
type value struct {
	Cluster   string
	Run       *v1alpha1.ValidationRun
	Result    *v1alpha1.ValidationResult
	Benchmark *v1alpha1.BenchmarkResult
	Attempt   *v1alpha1.Attempt

	Kind   string
	Metric string
	// At is the part. Empty: the node as a whole.
	At string
	// Value is a decimal; of a fact it is any text, of a check true or false.
	Value string
	Unit  string
	// Part has the samples behind it; nil of facts and checks.
	Part *v1alpha1.PartValue
}

// each value of the result, in the order they were measured.
func (v value) each(visit func(*value)) {
	for v.Benchmark = range list.Each(v.Result.Benchmarks) {
		for v.Attempt = range list.Each(v.Benchmark.Attempts) {
			v.ofAttempt(visit)
		}
		if len(v.Benchmark.Attempts) > 0 {
			v.ofCurves(visit)
		}
	}
}

// ofCurves are the efficiencies of a benchmark. They stand beside its last attempt, which completed them.
func (v value) ofCurves(visit func(*value)) {
	v.Kind, v.Unit = kindEfficiency, "1"
	for c := range list.Each(v.Benchmark.Curves) {
		for _, p := range c.Points {
			if p.Efficiency != "" {
				v.Metric, v.At, v.Value = c.Metric, strconv.Itoa(int(p.Size))+c.Of, string(p.Efficiency)
				visit(&v)
			}
		}
	}
}

func (v value) ofAttempt(visit func(*value)) {
	one := func(kind, metric, at, text string) {
		v.Kind, v.Metric, v.At, v.Value = kind, metric, at, text
		visit(&v)
	}
	for _, of := range []struct {
		kind string
		all  []v1alpha1.Measurement
	}{{kindMeasurement, v.Attempt.Measurements}, {kindTelemetry, v.Attempt.Telemetry}} {
		for m, p := range Parts(of.all) {
			v.Unit, v.Part = m.Unit, p
			one(of.kind, m.Name, p.At, string(p.Value))
		}
	}
	v.Unit, v.Part = "", nil
	for _, f := range v.Attempt.Facts {
		one(kindFact, f.Name, f.At, f.Value)
	}
	for _, c := range v.Attempt.Checks {
		one(kindCheck, c.Name, "", strconv.FormatBool(c.OK))
	}
}

// values is a Writer of every value by itself. They cannot be read back.
type values struct {
	of    value // the run that was begun last
	write func(*value) error
	end   func() error
}

// Begin remembers whose values follow.
func (w *values) Begin(cluster string, run *v1alpha1.ValidationRun, _ *catalogue.Snapshot) error {
	w.of = value{Cluster: cluster, Run: run}
	return nil
}

// Add writes the values of a result. What else is known of a run has none that its results do not have.
func (w *values) Add(p Piece) (err error) {
	if w.of.Result = p.Result; p.Result != nil {
		w.of.each(func(v *value) { err = cmp.Or(err, w.write(v)) })
	}
	return err
}

// Close writes what is left.
func (w *values) Close() error { return w.end() }

// group is the names of the nodes that were measured together; empty of a node's own result.
func (v *value) group() string {
	if v.Result.Group == nil {
		return ""
	}
	names := list.Map(v.Result.Group.Nodes, func(n v1alpha1.ObjectReference) string { return n.Name })
	return strings.Join(names, " ")
}

// uuiDs of the GPUs of the part.
func (v *value) uuiDs() string { return strings.Join(part.UUIDs(v.At, v.Attempt.Devices), " ") }

// rules that the part broke, each with what that means: "FractionOfPeak=Fail".
func (v *value) rules() string {
	var all []string
	for f := range list.Each(v.Benchmark.Findings) {
		if f.Metric == v.Metric && f.At == v.At && f.Verdict != v1alpha1.VerdictSkipped {
			all = append(all, f.Rule+"="+string(f.Verdict))
		}
	}
	return strings.Join(all, " ")
}

// time of the measurement: when the program ended, or else when its pod was created; nil: not known.
func (v *value) time() *metav1.Time { return cmp.Or(v.Attempt.EndTime, v.Attempt.LaunchTime) }

// machine that was measured; empty where it is not known.
func (v *value) machine() v1alpha1.Machine {
	return ptr.Deref(v.Attempt.Machine, v1alpha1.Machine{})
}
