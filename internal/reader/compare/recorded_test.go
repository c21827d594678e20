package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/formats"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/quantity"
	"github.com/assay-dev/assay/test/testdata"
)

// quick is the suite that was recorded again and again on real machines with four H200s each.
var quick = []string{"p2p", "hostlink", "gpustream", "gemm", "collectives"}

// recorded are attempts by machine, benchmark and repetition.
type recorded map[string]map[string][]v1alpha1.Attempt

func shipped() *catalogue.Snapshot {
	all := &catalogue.Snapshot{}
	for _, name := range quick {
		all.Benchmarks = append(all.Benchmarks, catalogue.Benchmark{Name: name, Spec: testdata.Benchmark(name).Spec})
	}
	return all
}

func read(t *testing.T, known *catalogue.Snapshot, machines ...string) recorded {
	t.Helper()
	all := recorded{}
	for _, machine := range machines {
		r := testdata.Recorded("h200/" + machine)
		all[machine] = map[string][]v1alpha1.Attempt{}
		for _, b := range known.Benchmarks {
			for _, run := range r.Series[b.Name].Runs {
				document, err := formats.Parse(v1alpha1.FormatAssay, nil, b.Spec.Metrics, run.Document)
				if err != nil {
					t.Fatalf("%s on %s: %v", b.Name, machine, err)
				}
				a := result.Envelope{Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured, Document: &document}.Attempt(1)
				dropOtherSizes(&a)
				all[machine][b.Name] = append(all[machine][b.Name], a)
			}
		}
	}
	return all
}

// dropOtherSizes leaves the message sizes of collectives that the catalogue's command measures: its noise is that of these.
func dropOtherSizes(a *v1alpha1.Attempt) {
	for i := range a.Measurements {
		m := &a.Measurements[i]
		m.Parts = slices.DeleteFunc(m.Parts, func(p v1alpha1.PartValue) bool { return strings.HasSuffix(p.At, "iB") && p.At != "8GiB" })
	}
}

// repetition of the suite on some machines, as a side. Its name is its number.
func (r recorded) repetition(n int, known *catalogue.Snapshot, machines ...string) *Side {
	run := &v1alpha1.ValidationRun{}
	run.Name, run.UID = fmt.Sprint(n), types.UID(fmt.Sprint(n))
	s := NewSide(run.Name)
	s.Begin("", run, known)
	for _, machine := range machines {
		of := &v1alpha1.ValidationResult{Run: v1alpha1.ObjectReference{UID: run.UID}, Node: v1alpha1.ObjectReference{Name: machine, UID: types.UID(machine)}}
		for _, name := range quick {
			of.Benchmarks = append(of.Benchmarks, v1alpha1.BenchmarkResult{Name: name, Attempts: r[machine][name][n : n+1]})
		}
		s.AddResult(of, Keep{})
	}
	return s
}

// Real machines that were measured again did not change.
func TestRealRepetitionsHardlyDiffer(t *testing.T) {
	known := shipped()
	fleet := []string{"node1", "node2", "node3", "node4", "node5"}
	all := read(t, known, fleet...)
	comparisons, found := 0, 0
	for _, machines := range [][]string{fleet, fleet[:4], fleet[1:], fleet[:2], fleet[3:], fleet[:1], fleet[1:2], fleet[2:3], fleet[3:4], fleet[4:]} {
		for a := range 6 {
			for b := range a {
				c := New(all.repetition(b, known, machines...), all.repetition(a, known, machines...), Options{})
				if c.Tested < 22 {
					t.Fatalf("%d rows were tested", c.Tested)
				}
				comparisons++
				if differs := different(c); len(differs) > 0 {
					found++
					t.Logf("%d machines, repetitions %d and %d: %v", len(machines), b, a, differs)
				}
			}
		}
	}
	if found > comparisons/20 {
		t.Errorf("%d of %d comparisons found a difference, expected at most %d", found, comparisons, comparisons/20)
	}
}

func different(c Comparison) (out []string) {
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Outcome == Better || r.Outcome == Worse {
			out = append(out, fmt.Sprintf("%s %s %s %+.2f%%", r.Benchmark, r.Metric, r.Kind, r.Estimate.Percent))
		}
	}
	return out
}

// One metric that two real machines reach 3% less of is found, and named.
func TestARealMachineMadeSlowerIsFound(t *testing.T) {
	known := shipped()
	all := read(t, known, "node1", "node2")
	before := all.repetition(0, known, "node1", "node2")
	for _, machine := range []string{"node1", "node2"} {
		for _, m := range all[machine]["gpustream"][1].Measurements {
			for i := range m.Parts {
				if v, ok := quantity.ParseDecimal(m.Parts[i].Value); ok && m.Name == "hbmTriad" {
					m.Parts[i].Value = quantity.Decimal(0.97*v, 7)
				}
			}
		}
	}
	got := different(New(before, all.repetition(1, known, "node1", "node2"), Options{}))
	if len(got) != 1 || !strings.HasPrefix(got[0], "gpustream hbmTriad gpu -3.0") && !strings.HasPrefix(got[0], "gpustream hbmTriad gpu -2.9") {
		t.Errorf("found %q", got)
	}
}
