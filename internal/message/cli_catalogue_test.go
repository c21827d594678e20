package message

import (
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

func init() {
	grouped := func(g v1alpha1.Group) *v1alpha1.Benchmark {
		return &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Group: &g}}
	}
	devices := func(least *int32) *v1alpha1.Benchmark {
		return &v1alpha1.Benchmark{Spec: v1alpha1.BenchmarkSpec{Needs: v1alpha1.Needs{DeviceResource: "nvidia.com/gpu", MinDevices: least}}}
	}
	two := int32(2)
	triad := &v1alpha1.Metric{Unit: "GB/s", Expectation: &v1alpha1.Expectation{MinFractionOfPeak: "0.75", MaxFleetDeviation: "0.025", MaxRegression: "0.015"}}
	latency := &v1alpha1.Metric{Unit: "us", Better: v1alpha1.Lower, Expectation: &v1alpha1.Expectation{Min: "0", Max: "3.5",
		MinFractionOfReached: "0.9", MaxFleetDeviation: "0.1"}}
	samples = append(samples,
		sample{"Duration", Duration(94 * time.Second)},
		sample{"CommandReadingAll", CommandReadingAll("Benchmarks")},
		sample{"CommandNoSuites", CommandNoSuites()},
		sample{"CommandNoSuite", CommandNoSuite("quikc", []string{"acceptance", "quick"})},
		sample{"CommandNoSuite", CommandNoSuite("quick", nil)},
		sample{"CommandNoBenchmark", CommandNoBenchmark("steam", []string{"hpl", "stream"})},
		sample{"CommandNoBenchmark", CommandNoBenchmark("stream", nil)},
		sample{"CommandTooMany", CommandTooMany("kubectl assay benchmarks", "NAME", 2)},
		sample{"BenchmarkNodes", BenchmarkNodes(&v1alpha1.Benchmark{})},
		sample{"BenchmarkNodes", BenchmarkNodes(grouped(v1alpha1.Group{Size: intstr.FromInt32(2), Within: "rack", Across: "leaf"}))},
		sample{"BenchmarkNodes", BenchmarkNodes(grouped(v1alpha1.Group{Size: intstr.FromInt32(8)}))},
		sample{"BenchmarkNodes", BenchmarkNodes(grouped(v1alpha1.Group{Size: intstr.FromString("All")}))},
		sample{"BenchmarkTime", BenchmarkTime(15*time.Second, 10*time.Minute, 1)},
		sample{"BenchmarkTime", BenchmarkTime(4*time.Minute, 10*time.Minute, 4)},
		sample{"BenchmarkDevices", BenchmarkDevices(devices(nil))},
		sample{"BenchmarkDevices", BenchmarkDevices(devices(&two))},
		sample{"ExpectationTold", ExpectationTold(triad)},
		sample{"ExpectationTold", ExpectationTold(latency)},
		sample{"ExpectationTold", ExpectationTold(&v1alpha1.Metric{Unit: "GB/s", Expectation: &v1alpha1.Expectation{Min: "0"}})},
		sample{"FactExpected", FactExpected(&v1alpha1.FactExpectation{Equal: "Enabled"})},
		sample{"FactExpected", FactExpected(&v1alpha1.FactExpectation{AtLeast: "8", Uniform: true})},
		sample{"ParameterAllowed", ParameterAllowed(&v1alpha1.ParameterSpec{Minimum: "0.1", Maximum: "600"})},
		sample{"ParameterAllowed", ParameterAllowed(&v1alpha1.ParameterSpec{Minimum: "1"})},
		sample{"ParameterAllowed", ParameterAllowed(&v1alpha1.ParameterSpec{Maximum: "8"})},
		sample{"ParameterAllowed", ParameterAllowed(&v1alpha1.ParameterSpec{Values: []string{"fp32", "fp64"}})},
		sample{"ParameterAllowed", ParameterAllowed(&v1alpha1.ParameterSpec{Type: v1alpha1.ParameterBoolean})},
	)
}
