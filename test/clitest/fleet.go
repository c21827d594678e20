package clitest

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Validation of a node that a run measured so long ago.
func Validation(name string, v v1alpha1.Verdict, ago time.Duration, triad, latency string) *v1alpha1.NodeValidation {
	at := metav1.NewTime(Noon.Add(-ago))
	nv := &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: name}, Verdict: v, LastRun: v1alpha1.ObjectReference{Name: "rack-7"},
		Message: "1 of 1 benchmarks passed", Fingerprint: v1alpha1.Fingerprint{Driver: "570.1"}}
	if v == v1alpha1.VerdictPass || v == v1alpha1.VerdictFail {
		nv.Proof = &v1alpha1.Proof{Verdict: v, MeasuredAt: at}
	}
	if triad != "" {
		nv.Benchmarks = []v1alpha1.BenchmarkState{{Name: "stream", Verdict: v, History: []v1alpha1.HistoryEntry{{Run: "rack-7", Time: at, Verdict: v,
			Values: []v1alpha1.HistoryValue{{Metric: "triad", Unit: "GB/s", Value: v1alpha1.Decimal(triad)}, {Metric: "latency", Unit: "us", Value: v1alpha1.Decimal(latency)}}}}}}
	}
	return nv
}

// Fleet is a cluster with a node in each state.
func Fleet() []client.Object {
	valid := int64(86400)
	policy := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: v1alpha1.ValidationPolicySpec{Suite: "quick",
		Selector: metav1.LabelSelector{MatchLabels: map[string]string{"pool": "gpu"}}, ValidForSeconds: &valid, Gate: &v1alpha1.Gate{}},
		Status: v1alpha1.ValidationPolicyStatus{Attention: []v1alpha1.NodeAttention{{Name: "node-9", Reason: "NeverValidated", Message: "never validated; it is measured by\x1b[31m run gpu-x"}}}}
	stream := &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "stream"}, Spec: v1alpha1.BenchmarkSpec{
		Metrics: []v1alpha1.Metric{{Name: "triad", Expectation: &v1alpha1.Expectation{MaxFleetDeviation: "0.1"}},
			{Name: "latency", Better: v1alpha1.Lower, Expectation: &v1alpha1.Expectation{Min: "0"}}}}}
	all := []client.Object{policy, stream}
	for i := range 10 {
		n := Node(fmt.Sprintf("node-%d", i+1), map[string]string{"pool": "gpu"})
		switch n.Name {
		case "node-6":
			n.Labels["pool"] = "cpu"
		case "node-8":
			n.Labels[v1alpha1.LabelOverdue] = "gpu"
		case "node-9":
			n.Spec.Taints = []corev1.Taint{{Key: v1alpha1.DefaultGateKey, Effect: corev1.TaintEffectNoSchedule}}
		}
		all = append(all, n)
	}
	unfit := Validation("node-4", v1alpha1.VerdictPass, time.Hour, "180", "2")
	unfit.Quarantine = &v1alpha1.Quarantine{Key: v1alpha1.DefaultTaintKey}
	unfit.Message = "stream: socket0 triad is 5.09 GB/s"
	unfit.Convictions = []v1alpha1.Conviction{
		{Benchmark: "stream", Metric: "triad", At: "node", RuleNumbers: v1alpha1.RuleNumbers{Unit: "GB/s", Value: "91", Bound: "100"}},
		{Benchmark: "stream", Metric: "triad", At: "socket0", RuleNumbers: v1alpha1.RuleNumbers{Unit: "GB/s", Value: "5.09", Typical: "20.32", Bound: "18.29"}}, {Benchmark: "inventory", Metric: "driver"}}
	missing := Validation("node-5", v1alpha1.VerdictError, 0, "", "")
	missing.Message = "stream: the image cannot be pulled"
	failed := Validation("node-7", v1alpha1.VerdictFail, 3*time.Hour, "181", "2")
	return append(all, unfit, missing, failed,
		Validation("node-1", v1alpha1.VerdictPass, 2*time.Hour, "182", "2"), Validation("node-2", v1alpha1.VerdictPass, 5*time.Hour, "182", "2.5"),
		Validation("node-3", v1alpha1.VerdictPass, 5*24*time.Hour, "170", "1.9"), Validation("node-gone", v1alpha1.VerdictPass, time.Hour, "182", "2"))
}

// Noon is when the fleet is looked at.
var Noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Node with labels.
func Node(name string, labels map[string]string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
}
