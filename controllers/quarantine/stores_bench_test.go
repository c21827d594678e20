package quarantine

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
)

// Each of so many nodes has passed a benchmark with so many measured parts, as in make bench-operator.
const storedNodes, storedParts = 1_000, 56

// BenchmarkStores writes what a run leaves of each node, and nothing else: ValidationResult, NodeHistory, NodeValidation, and condition and label. What
// that costs the API server a run adds to what its pods cost, whatever operator makes it; what it costs this process is the least that an operator needs.
func BenchmarkStores(b *testing.B) {
	api, err := client.NewWithWatch(benchServer(b), client.Options{Scheme: sharedScheme})
	if err != nil {
		b.Fatal(err)
	}
	round, wall, own, all := 0, 0.0, 0.0, 0.0
	for b.Loop() {
		b.StopTimer()
		round++
		nodes := passedNodes(b, api, fmt.Sprintf("round-%d-", round))
		b.StartTimer()
		begun, ownBefore, allBefore := time.Now(), ownSeconds(b), cpuSeconds()
		err := controllers.Each(nodes, func(n *nodeWriter) error {
			if err := controllers.Put(b.Context(), n, false, n.judgement.Result.DeepCopy()); err != nil {
				return err
			}
			return n.carryOut(b.Context(), n.judgement.Next(n.current))
		})
		if err != nil {
			b.Fatal(err)
		}
		wall, own, all = wall+time.Since(begun).Seconds(), own+ownSeconds(b)-ownBefore, all+cpuSeconds()-allBefore
	}
	nodes := float64(b.N * storedNodes)
	b.ReportMetric(1000*wall/nodes, "ms/node")
	b.ReportMetric(1000*own/nodes, "operator-cpu-ms/node")
	b.ReportMetric(1000*(all-own)/nodes, "apiserver-cpu-ms/node")
}

// passedNodes are about to be written. Those of the round before are gone.
func passedNodes(b *testing.B, api client.WithWatch, prefix string) []*nodeWriter {
	b.Helper()
	for _, kind := range []client.Object{&v1alpha1.ValidationResult{}, &v1alpha1.NodeHistory{}, &v1alpha1.NodeValidation{}, &corev1.Node{}} {
		if err := api.DeleteAllOf(b.Context(), kind); err != nil {
			b.Fatal(err)
		}
	}
	k := benchKeeper(api)
	nodes := make([]*corev1.Node, storedNodes)
	for i := range nodes {
		nodes[i] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s%04d", prefix, i)}}
	}
	if err := controllers.Each(nodes, func(n *corev1.Node) error { return api.Create(b.Context(), n) }); err != nil {
		b.Fatal(err)
	}
	w := passOf(b, k, startedRun(), nodes...)
	out := make([]*nodeWriter, storedNodes)
	for i, node := range nodes {
		j := judgement(v1alpha1.VerdictPass, begin)
		j.Result.Name, j.Result.Node.Name, j.Result.Node.UID = node.Name, node.Name, node.UID
		measured := v1alpha1.Measurement{Name: "triad", Unit: "GB/s"}
		for p := range storedParts {
			measured.Parts = append(measured.Parts, v1alpha1.PartValue{At: fmt.Sprintf("gpu%d-gpu%d", p/7, p%7), Value: v1alpha1.Decimal(fmt.Sprintf("%d.%d", 100+p, i))})
		}
		j.Result.Benchmarks[0].Attempts[0].Measurements = []v1alpha1.Measurement{measured}
		out[i] = &nodeWriter{pass: w.pass, judgement: j}
		out[i].current.Node = node
	}
	return out
}

// ownSeconds of processor that this process has used.
func ownSeconds(b *testing.B) float64 {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}
