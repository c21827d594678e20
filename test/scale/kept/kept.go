// Package kept makes what a finished run leaves behind, in the size that a run of the whole GPU suite leaves it: 14 benchmarks
// on a node of eight GPUs, with telemetry, and what is known of the node, whose rings are full.
package kept

import (
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const (
	benchmarks = 14
	gpus       = 8
	// history is how many entries a full ring has.
	history = 10
	// rows is how many nodes a run's status names, rowsWithMetrics for how many of them it has room for all figures: 180 KiB.
	rows, rowsWithMetrics = 100, 60
)

var at = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// value is a number that no other part has.
func value(seed ...int) v1alpha1.Decimal {
	n := 0
	for _, s := range seed {
		n = n*131 + s
	}
	return v1alpha1.Decimal(strconv.FormatFloat(300+float64(n%100000)/1000, 'f', -1, 64))
}

// Result is what one run keeps of one node.
func Result(run *v1alpha1.ValidationRun, node *corev1.Node, seed int) *v1alpha1.ValidationResult {
	r := &v1alpha1.ValidationResult{
		ObjectMeta: metav1.ObjectMeta{
			Name: run.Name + "." + node.Name,
			Labels: map[string]string{v1alpha1.LabelRunName: run.Name, v1alpha1.LabelRunUID: string(run.UID),
				"app.kubernetes.io/managed-by": "assay"},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(run, v1alpha1.GroupVersion.WithKind("ValidationRun"))},
		},
		Run:     v1alpha1.ObjectReference{Name: run.Name, UID: run.UID},
		Node:    v1alpha1.ObjectReference{Name: node.Name, UID: node.UID},
		Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonPassed, Message: "everything passed",
	}
	for b := range benchmarks {
		r.Benchmarks = append(r.Benchmarks, benchmark(b, seed))
	}
	return r
}

func name(b int) string { return fmt.Sprintf("benchmark-%d", b) }

func benchmark(b, seed int) v1alpha1.BenchmarkResult {
	start, end := metav1.NewTime(at), metav1.NewTime(at.Add(time.Minute))
	a := v1alpha1.Attempt{Number: 1, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonMeasured, Pod: fmt.Sprintf("run.node.%s.1.%08x", name(b), seed),
		PodUID: uid(b, seed), ImageID: "registry.example.com/assay/bench-cuda@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		StartTime: &start, EndTime: &end, Version: "1.4.0",
		Checks: []v1alpha1.Check{{Name: "dataIntegrity", OK: true}}, Notes: []string{"parameters: bytes=8589934592 iterations=200 warmup=20"}}
	for g := range gpus {
		a.Devices = append(a.Devices, v1alpha1.Device{Index: int32(g), UUID: "GPU-" + string(uid(g, seed)), Product: "NVIDIA H200"})
	}
	a.Measurements = append(a.Measurements, perGPU("readBandwidth", "GB/s", b, seed), perGPU("copyBandwidth", "GB/s", b, seed+1))
	if b%3 == 0 {
		a.Measurements = append(a.Measurements, links(b, seed))
	}
	for i, t := range []struct{ name, unit string }{{"gpuTemperatureMax", "C"}, {"gpuPowerMean", "W"}, {"gpuPowerMax", "W"},
		{"gpuClockMean", "MHz"}, {"gpuClockMin", "MHz"}} {
		a.Telemetry = append(a.Telemetry, perGPU(t.name, t.unit, b, seed+10+i))
	}
	h := v1alpha1.HeadlineValue{Benchmark: name(b), Metric: "readBandwidth", Unit: "GB/s", Value: value(b, seed), Expected: "290",
		PercentOfPeak: "91.2", FleetDeviationPercent: "-0.3", At: "gpu3", Verdict: v1alpha1.VerdictPass}
	return v1alpha1.BenchmarkResult{Name: name(b), Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonPassed,
		Message:  "readBandwidth 301.2 GB/s at gpu3, 91.2% of the peak, 0.3% below the fleet's median",
		Headline: []v1alpha1.HeadlineValue{h}, Attempts: []v1alpha1.Attempt{a}}
}

func uid(seed ...int) types.UID {
	n := 0
	for _, s := range seed {
		n = n*131 + s
	}
	return types.UID(fmt.Sprintf("%08x-0123-4567-89ab-0123456789ab", n))
}

func perGPU(name, unit string, seed ...int) v1alpha1.Measurement {
	m := v1alpha1.Measurement{Name: name, Unit: unit, Better: v1alpha1.Higher}
	for g := range gpus {
		m.Parts = append(m.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d", g), Value: value(append(seed, g)...), Samples: 12, Spread: "0.004"})
	}
	return m
}

func links(seed ...int) v1alpha1.Measurement {
	m := v1alpha1.Measurement{Name: "linkBandwidth", Unit: "GB/s", Better: v1alpha1.Higher}
	for i := range gpus {
		for j := range gpus {
			if i != j {
				m.Parts = append(m.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d->gpu%d", i, j), Value: value(append(seed, i, j)...), Samples: 12, Spread: "0.004"})
			}
		}
	}
	return m
}

// Validation is what holds of a node after ten runs of everything.
func Validation(node *corev1.Node, seed int) *v1alpha1.NodeValidation {
	v := &v1alpha1.NodeValidation{
		ObjectMeta:  metav1.ObjectMeta{Name: node.Name, OwnerReferences: []metav1.OwnerReference{ownedBy(node)}},
		Fingerprint: v1alpha1.Fingerprint{NodeUID: node.UID, BootID: string(uid(seed)), Kernel: "6.8.0-60-generic", Driver: "580.95.05"},
		Verdict:     v1alpha1.VerdictPass, Message: "everything passed", ValidatedAt: metav1.NewTime(at),
		LastRun: v1alpha1.ObjectReference{Name: "kept-9", UID: uid(9)}, NodeHistory: &v1alpha1.HistoryReference{},
	}
	for g := range gpus {
		v.Fingerprint.DeviceUUIDs = append(v.Fingerprint.DeviceUUIDs, "GPU-"+string(uid(g, seed)))
	}
	for b := range benchmarks {
		newest := entry(b, history-1, seed)
		newest.Asked, newest.Machine = "fedcba9876543210", &v1alpha1.Machine{BootID: v.Fingerprint.BootID, Kernel: v.Fingerprint.Kernel,
			Driver: v.Fingerprint.Driver, Devices: "8 x NVIDIA-H200"}
		v.Benchmarks = append(v.Benchmarks, v1alpha1.BenchmarkState{Name: name(b), Verdict: v1alpha1.VerdictPass,
			Message: "readBandwidth 301.2 GB/s at gpu3, 91.2% of the peak, 0.3% below the fleet's median", History: []v1alpha1.HistoryEntry{newest}})
	}
	return v
}

// History is what was measured on the node in these runs.
func History(node *corev1.Node, seed int) *v1alpha1.NodeHistory {
	h := &v1alpha1.NodeHistory{ObjectMeta: metav1.ObjectMeta{Name: node.Name, OwnerReferences: []metav1.OwnerReference{ownedBy(node)}}, NodeUID: node.UID}
	for b := range benchmarks {
		of := v1alpha1.BenchmarkHistory{Name: name(b)}
		for run := range history {
			of.Entries = append(of.Entries, entry(b, run, seed))
		}
		h.Benchmarks = append(h.Benchmarks, of)
	}
	return h
}

func ownedBy(node *corev1.Node) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}
}

func entry(b, run, seed int) v1alpha1.HistoryEntry {
	return v1alpha1.HistoryEntry{Run: fmt.Sprintf("kept-%d", run), RunUID: uid(run), Time: metav1.NewTime(at), Verdict: v1alpha1.VerdictPass,
		Configuration: "0123456789abcdef", Values: []v1alpha1.HistoryValue{{Metric: "readBandwidth", Unit: "GB/s", Value: value(b, seed, run)}}}
}

// Status is that of a run of this many nodes which all passed.
func Status(nodes []corev1.Node) v1alpha1.ValidationRunStatus {
	start, end := metav1.NewTime(at), metav1.NewTime(at.Add(time.Hour))
	n := int32(len(nodes))
	s := v1alpha1.ValidationRunStatus{ObservedGeneration: 1, Verdict: v1alpha1.VerdictPass, Progress: fmt.Sprintf("%d/%d", n, n),
		StartTime: &start, CompletionTime: &end, Summary: &v1alpha1.RunSummary{Nodes: n, Passed: n}}
	for _, kind := range []string{v1alpha1.ConditionFinished, v1alpha1.ConditionSucceeded} {
		s.Conditions = append(s.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonPassed,
			Message: "all nodes passed", LastTransitionTime: end, ObservedGeneration: 1})
	}
	for b := range benchmarks {
		s.Benchmarks = append(s.Benchmarks, v1alpha1.BenchmarkSummary{Name: name(b), Metric: "readBandwidth", Unit: "GB/s", Nodes: n,
			Median: "350", Min: "300", Max: "400", P5: "310", P95: "390", PercentOfPeak: "91.2"})
	}
	for i := range nodes[:min(len(nodes), rows)] {
		row := v1alpha1.NodeRow{Name: nodes[i].Name, Verdict: v1alpha1.VerdictPass, Reason: v1alpha1.ReasonPassed, Message: "everything passed"}
		for b := range benchmarks {
			if i < rowsWithMetrics {
				row.Metrics = append(row.Metrics, benchmark(b, i).Headline...)
			}
		}
		s.Nodes = append(s.Nodes, row)
	}
	return s
}
