package export

import (
	"cmp"
	"iter"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/list"
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

// valuesOf a result, in the order they were measured; nil has none.
func valuesOf(r *v1alpha1.ValidationResult) iter.Seq[*value] {
	return func(yield func(*value) bool) {
		if r == nil {
			return
		}
		for b := range list.Each(r.Benchmarks) {
			for a := range list.Each(b.Attempts) {
				if !(value{Result: r, Benchmark: b, Attempt: a}).ofAttempt(yield) {
					return
				}
			}
			if n := len(b.Attempts); n > 0 && !(value{Result: r, Benchmark: b, Attempt: &b.Attempts[n-1]}).ofCurves(yield) {
				return
			}
		}
	}
}

// ofCurves yields the efficiencies of a benchmark. They stand beside its last attempt, which completed them.
func (v value) ofCurves(yield func(*value) bool) bool {
	v.Kind, v.Unit = kindEfficiency, "1"
	for c := range list.Each(v.Benchmark.Curves) {
		v.Metric = c.Metric
		for _, p := range c.Points {
			v.At, v.Value = strconv.Itoa(int(p.Size))+c.Of, string(p.Efficiency)
			if p.Efficiency != "" && !yield(&v) {
				return false
			}
		}
	}
	return true
}

func (v value) ofAttempt(yield func(*value) bool) bool {
	for _, of := range []struct {
		kind string
		all  []v1alpha1.Measurement
	}{{kindMeasurement, v.Attempt.Measurements}, {kindTelemetry, v.Attempt.Telemetry}} {
		v.Kind = of.kind
		for m, p := range Parts(of.all) {
			v.Metric, v.Unit, v.Part, v.At, v.Value = m.Name, m.Unit, p, p.At, string(p.Value)
			if !yield(&v) {
				return false
			}
		}
	}
	v.Unit, v.Part = "", nil
	for _, f := range v.Attempt.Facts {
		v.Kind, v.Metric, v.At, v.Value = kindFact, f.Name, f.At, f.Value
		if !yield(&v) {
			return false
		}
	}
	for _, c := range v.Attempt.Checks {
		v.Kind, v.Metric, v.At, v.Value = kindCheck, c.Name, "", strconv.FormatBool(c.OK)
		if !yield(&v) {
			return false
		}
	}
	return true
}

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
