package verdict

import (
	"math"
	"slices"
	"testing"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/part"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/test/testdata"
)

var recordedMachines = []string{"node1", "node2", "node3", "node4", "node5", "node6", "node7", "two", "two2", "two3", "two4", "two5", "two6", "two7", "two8", "two9", "two10", "one", "one2", "one3"}

// profiled are the peaks of the catalogue's profile of an H200.
func profiled() rule.Given { return rule.Given{Peaks: peak.Of(testdata.Profile("h200"))} }

// shortOfReachedBy says by which metrics an attempt falls short of what healthy hardware reaches, judged alone.
func shortOfReachedBy(b *v1alpha1.Benchmark, a *v1alpha1.Attempt, facts rule.Given) []string {
	var short []string
	for _, f := range judgeIn(fleetOf(b.Name, b.Spec.Metrics, []*v1alpha1.Attempt{a}, true), a, facts).Findings {
		if f.Rule == term.FractionOfReached && f.Verdict == v1alpha1.VerdictFail && !slices.Contains(short, f.Metric) {
			short = append(short, f.Metric)
		}
	}
	return short
}

// A link of a busy host fell short once, and held when it was measured again: so no machine is convicted.
func TestEveryRecordedMachineReachesWhatHealthyOnesDo(t *testing.T) {
	facts := profiled()
	for name, b := range ofGPUs() {
		judged := slices.ContainsFunc(b.Spec.Metrics, func(m v1alpha1.Metric) bool { return m.Expectation != nil && m.Expectation.MinFractionOfReached != "" })
		for _, machine := range recordedMachines {
			file := testdata.Recorded("h200/" + machine)
			before := []string(nil)
			for i, a := range attempts(t, file, seriesOf(name), b.Spec.Metrics) {
				short := shortOfReachedBy(b, a, facts)
				for _, metric := range short {
					if !judged || slices.Contains(before, metric) {
						t.Errorf("%s, %s: repetition %d falls short by %s, and so did the one before", machine, name, i+1, metric)
					}
				}
				before = short
			}
		}
	}
}

func TestALoneNodeThatIsSlowAsAWholeIsFound(t *testing.T) {
	facts := profiled()
	tests := map[string]struct {
		benchmark, metric string
		share             float64
	}{
		"memory 2% slower":        {"gpustream", "hbmTriad", 0.98},
		"links 2% slower":         {"p2p", "writeBandwidth", 0.98},
		"host links 6% slower":    {"hostlink", "hostToDeviceBandwidth", 0.94},
		"FP32 products 4% slower": {"gemm", "fp32", 0.96},
		"FP64 products 8% slower": {"gemm", "fp64", 0.92},
		"FP16 products 8% slower": {"gemm", "fp16", 0.92},
		"nbody's FP64 5% slower":  {"nbody", "nbodyPerGpu", 0.95},
		"long FP64, 8% slower":    {"gemm-fp64", "fp64", 0.92},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b := testdata.Benchmark(tt.benchmark)
			file := testdata.Recorded("h200/node4")
			for i, a := range attempts(t, file, tt.benchmark, b.Spec.Metrics) {
				for gpu := range gpusOfMachine {
					a = slowedOnce(a, gpu, tt.share)
				}
				if !slices.Contains(shortOfReachedBy(b, a, facts), tt.metric) {
					t.Errorf("repetition %d passes", i+1)
				}
			}
		})
	}
}

// slowedOnce slows a GPU down, in pairs only where it comes first: so each part is slowed once when all GPUs are.
func slowedOnce(a *v1alpha1.Attempt, gpu int, share float64) *v1alpha1.Attempt {
	slow, once := slowed(a, gpu, share), a.DeepCopy()
	for i := range once.Measurements {
		for j := range once.Measurements[i].Parts {
			if p := &once.Measurements[i].Parts[j]; part.Read(p.At).GPUs != nil && part.Read(p.At).GPUs[0] == int32(gpu) {
				p.Value = slow.Measurements[i].Parts[j].Value
			}
		}
	}
	return once
}

// What is slow at the same place in most nodes need not reach what healthy hardware does elsewhere; in one node alone, it must.
func TestAPlaceThatIsSlowByDesignNeedNotReachTheProfile(t *testing.T) {
	b, facts := testdata.Benchmark("gemm"), profiled()
	failedWith := func(slow int) (failed int, message string) {
		fleet := attempts(t, testdata.Recorded("h200/node4"), b.Name, b.Spec.Metrics) // each repetition as a node
		for i := range min(slow, len(fleet)) {
			fleet[i] = slowed(fleet[i], 3, 0.92)
		}
		for _, a := range fleet {
			for _, f := range judgeIn(fleetOf(b.Name, b.Spec.Metrics, fleet, true), a, facts).Findings {
				if f.Verdict == v1alpha1.VerdictFail && f.Metric == "fp64" && f.At == "gpu3" {
					failed, message = failed+1, f.Message
				}
			}
		}
		return failed, message
	}
	if failed, message := failedWith(math.MaxInt); failed != 0 {
		t.Errorf("%d nodes failed although gpu3 is slow in all: %s", failed, message)
	}
	if failed, _ := failedWith(1); failed != 1 {
		t.Errorf("%d nodes failed where gpu3 of one is slow", failed)
	}
}
