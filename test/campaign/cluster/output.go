package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
	"github.com/assay-dev/assay/test/campaign/cases"
)

// benchmarks of the simulated catalogue: of GPUs by a bound, of GPUs against the fleet, of the
// processors, which needs no device, and of nodes together.
func Benchmark(name string, of cases.Case) *v1alpha1.Benchmark {
	b := &v1alpha1.Benchmark{}
	b.Name = name
	b.Spec = v1alpha1.BenchmarkSpec{Description: name, Scope: v1alpha1.ScopeNode, Image: "bench:1", Command: []string{"/bin/" + name}, TimeoutSeconds: 90, CostSeconds: 40,
		Suites: []string{"quick"}, Output: v1alpha1.Output{Format: v1alpha1.FormatAssay}}
	m := v1alpha1.Metric{Name: "speed", Unit: "GB/s", Better: v1alpha1.Higher, Headline: true, Noise: v1alpha1.Noise{Run: "0.01", Part: "0.01", Node: "0.01"},
		Expectation: &v1alpha1.Expectation{Min: "90"}}
	switch name {
	case "fleet":
		m.Expectation = &v1alpha1.Expectation{MaxFleetDeviation: "0.10"}
		b.Spec.Needs = v1alpha1.Needs{DeviceResource: string(GPU), MinDevices: new(int32(1))}
	case "cpu":
		b.Spec.TimeoutSeconds = 300
	case "gemm":
		b.Spec.Needs = v1alpha1.Needs{DeviceResource: string(GPU), MinDevices: new(int32(1))}
	}
	if of.Profiled && (name == "gemm" || name == "cpu") {
		m.Peak, m.Expectation = peakName, &v1alpha1.Expectation{MinFractionOfPeak: "0.9"}
	}
	if cases.IsGroup(name) {
		groupBenchmark(name, b, &m)
	}
	b.Spec.Metrics = []v1alpha1.Metric{m}
	if of.Sized {
		b.Spec.Parameters = []v1alpha1.ParameterSpec{{Name: "size", Type: v1alpha1.ParameterInteger, Default: "8"}}
		b.Spec.Command = append(b.Spec.Command, sizeArgument+"$(size)")
	}
	return b
}

// asks is how many GPUs a pod asks for.
func asks(pod *corev1.Pod) resource.Quantity {
	var sum resource.Quantity
	for i := range pod.Spec.Containers {
		sum.Add(pod.Spec.Containers[i].Resources.Limits[GPU])
	}
	return sum
}

// output that a program is going to leave, which its machine begins to make now.
func (m *Machine) output(p *Program) (says string, exit int32) {
	if m.Garbled > 0 {
		m.Garbled--
		p.Unreadable = true
		return []string{"", "{", strings.Repeat("x", 5000), `{"version":1,"outcome":"Measured"}`, "\x00\ufffd"}[m.cluster.Draw("garbled")%5], int32(m.cluster.Draw("exit") % 2)
	}
	if p.Devices && m.GPUs == 0 { // its kubelet has lied
		return "", 1
	}
	e := result.Envelope{Version: result.EnvelopeVersion, Outcome: result.OutcomeMeasured, Reason: v1alpha1.ReasonMeasured,
		Start: m.cluster.Now().Add(m.clock), End: m.cluster.Now().Add(m.clock + 8*time.Second)}
	e.Document = &result.Document{Schema: result.Schema, Benchmark: p.Benchmark, Version: "1", Checks: []result.Check{{Name: "data", OK: true}}}
	speed := result.Measurement{Name: "speed", Unit: "GB/s", Better: result.BetterHigher}
	value := func(fit float64) float64 {
		return 100 * fit * (1 + float64(int(m.cluster.Draw("noise/"+m.Name)%9)-4)/1000)
	}
	fit := m.Fit(p.Benchmark)
	if p.Disturbed {
		fit = slowness
	}
	if IsSmall(p.Pod) {
		fit *= slowness
	}
	if !p.Devices {
		speed.Parts = []result.Part{{At: result.NodePart, Value: value(fit)}}
	}
	for i, at := range m.offered(p.Devices) {
		v := value(1)
		if at == m.Worst() || at == m.second { // one GPU is slow, or two, and not all
			v = value(fit)
		}
		p.Reached[m.UUID(at)] = v
		speed.Parts = append(speed.Parts, result.Part{At: fmt.Sprintf("gpu%d", i), Value: v})
		e.Document.Device = append(e.Document.Device, result.Device{Index: int32(i), UUID: m.UUID(at)})
	}
	for i, part := range speed.Parts {
		if i == 0 || part.Value < p.Least {
			p.Least = part.Value
		}
	}
	e.Document.Measurements = []result.Measurement{speed}
	return p.leave(e), 0
}

// leave what a program found, or what its machine makes of it.
func (p *Program) leave(e result.Envelope) string {
	if p.Machine.liesAbout(cases.LiesOutput) {
		return p.forge(e)
	}
	text, err := result.Encode(e)
	if err != nil {
		panic(err)
	}
	return text
}

// Fit is the share of what is expected that the machine reaches.
func (m *Machine) Fit(benchmark string) float64 {
	if f, ok := m.Slow[benchmark]; ok {
		return f
	}
	return 1
}

const sizeArgument = "--size="

// IsSmall: the program measures something else than the Benchmark does.
func IsSmall(pod *corev1.Pod) bool {
	for i := range pod.Spec.Containers {
		if slices.ContainsFunc(append(pod.Spec.Containers[i].Command, pod.Spec.Containers[i].Args...), func(a string) bool { return a == sizeArgument+"1" }) {
			return true
		}
	}
	return false
}
