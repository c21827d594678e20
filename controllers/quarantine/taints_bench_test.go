package quarantine

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
	"github.com/assay-dev/assay/internal/operate/taint"
	"github.com/assay-dev/assay/test/integration/apiserver"
)

// Of a fleet of this size, so many nodes are tainted in one pass.
const benchFleet, benchUnfit = 10_000, 1_000

// BenchmarkTaints taints a tenth of a large fleet on a real API server: make bench-taints. Nodes that are not tainted are in memory only, as in
// the cache. The writes alone, made by nobody who counts or looks, are what it cannot be faster than.
func BenchmarkTaints(b *testing.B) {
	config := benchServer(b)
	var calls atomic.Int64
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper { return counted{rt, &calls} })
	api, err := client.NewWithWatch(config, client.Options{Scheme: sharedScheme})
	if err != nil {
		b.Fatal(err)
	}
	passes, single := 0, &alone{}
	for _, way := range []struct {
		name  string
		taint func(context.Context, *acts, []*nodeWriter) error
	}{{"writes alone", single.write}, {"Assay", func(ctx context.Context, w *acts, some []*nodeWriter) error { return w.condemn(ctx, some) }}} {
		b.Run(way.name, func(b *testing.B) {
			wall, used, called := 0.0, 0.0, 0.0
			for b.Loop() {
				b.StopTimer()
				passes++
				w, unfit := benchPass(b, api, fmt.Sprintf("pass-%d-", passes))
				b.StartTimer()
				begun, cpu, before := time.Now(), cpuSeconds(), calls.Load()
				for some := range slices.Chunk(unfit, batchOfNodes) {
					if err := way.taint(b.Context(), w, some); err != nil {
						b.Fatal(err)
					}
				}
				b.StopTimer()
				wall, used, called = wall+time.Since(begun).Seconds(), used+cpuSeconds()-cpu, called+float64(calls.Load()-before)
				allTainted(b, unfit)
				b.StartTimer()
			}
			b.ReportMetric(wall/float64(b.N), "s/1000-taints")
			b.ReportMetric(used/float64(b.N), "cpu-s/1000-taints")
			b.ReportMetric(called/float64(b.N*benchUnfit), "calls/taint")
			if single.record == 0 {
				return
			}
			b.Logf("of the writes alone, 1,000 records took %.1f s of CPU, taints %.1f s, conditions %.1f s",
				single.record/float64(b.N), single.taint/float64(b.N), single.condition/float64(b.N))
			*single = alone{}
		})
	}
}

// benchServer is a real API server with Assay's kinds, for as long as the benchmark takes.
func benchServer(b *testing.B) *rest.Config {
	b.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		b.Skip("KUBEBUILDER_ASSETS names no etcd and kube-apiserver; use make bench-taints or bench-stores")
	}
	ctrl.SetLogger(logr.Discard())
	config, stop, err := apiserver.Start(filepath.Join("..", "..", "config", "crd", "bases"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(stop)
	config.QPS = -1
	return config
}

func allTainted(b *testing.B, unfit []*nodeWriter) {
	b.Helper()
	for _, n := range unfit {
		if !n.current.Tainted() {
			b.Fatalf("node %s does not carry the taint: %s", n.name(), n.note)
		}
	}
}

// alone are the three writes that a taint takes, and what each kind of them costs.
type alone struct{ record, taint, condition float64 }

func (a *alone) write(ctx context.Context, _ *acts, some []*nodeWriter) error {
	for _, step := range []struct {
		cost *float64
		do   func(*nodeWriter) error
	}{
		{&a.record, func(n *nodeWriter) error {
			n.next = n.judgement.Quarantine(n.current, func(corev1.Taint) bool { return true })
			return n.announce(ctx)
		}},
		{&a.taint, func(n *nodeWriter) error {
			_, err := n.addTaint(ctx)
			return err
		}},
		{&a.condition, func(n *nodeWriter) error { return n.show(ctx, n.judgement.Word()) }},
	} {
		before := cpuSeconds()
		if err := controllers.Each(some, step.do); err != nil {
			return err
		}
		*step.cost += cpuSeconds() - before
	}
	return nil
}

// counted calls of the API server.
type counted struct {
	http.RoundTripper
	calls *atomic.Int64
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	c.calls.Add(1)
	return c.RoundTripper.RoundTrip(r)
}

// cpuSeconds of this process and its children, etcd and kube-apiserver: on a machine that others use, wall time says little.
func cpuSeconds() (seconds float64) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, _ := os.ReadFile(path)
		pid, rest, _ := strings.Cut(string(text), " (")
		_, rest, ok := strings.Cut(rest, ") ")
		fields := strings.Fields(rest)
		if self := strconv.Itoa(os.Getpid()); !ok || len(fields) < 13 || pid != self && fields[1] != self {
			continue
		}
		user, _ := strconv.ParseFloat(fields[11], 64)
		system, _ := strconv.ParseFloat(fields[12], 64)
		seconds += (user + system) / 100 // clock ticks
	}
	return seconds
}

// benchPass is a pass over the fleet that is about to taint, with the nodes that it is about.
func benchPass(b *testing.B, api client.WithWatch, prefix string) (*acts, []*nodeWriter) {
	b.Helper()
	for _, kind := range []client.Object{&v1alpha1.NodeValidation{}, &corev1.Node{}} { // those of the pass before
		if err := api.DeleteAllOf(context.Background(), kind); err != nil {
			b.Fatal(err)
		}
	}
	run := startedRun()
	nodes := make([]*corev1.Node, benchFleet)
	for i := range nodes {
		nodes[i] = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s%05d", prefix, i), UID: types.UID(fmt.Sprint(i))}}
	}
	err := controllers.Each(nodes[:benchUnfit], func(n *corev1.Node) error {
		n.UID = ""
		return api.Create(context.Background(), n)
	})
	if err != nil {
		b.Fatal(err)
	}
	k := benchKeeper(api)
	k.Policy = taint.Policy{MaxPercent: 50}
	w := passOf(b, k, run, nodes...)
	w.Out.Breaker.Input = taint.BreakerInput{Nodes: benchFleet, Limit: benchUnfit}
	for i := range 4 {
		w.Out.Breaker.Input.Judged = append(w.Out.Breaker.Input.Judged, taint.JudgedNode{Name: fmt.Sprint(i), Verdict: v1alpha1.VerdictPass})
	}
	unfit := make([]*nodeWriter, benchUnfit)
	for i, node := range nodes[:benchUnfit] {
		j := judgement(v1alpha1.VerdictFail, begin)
		j.Result.Node.Name, j.Result.Node.UID = node.Name, node.UID
		unfit[i] = &nodeWriter{pass: w.pass, judgement: j}
		unfit[i].current.Node = node
		unfit[i].next = j.Next(unfit[i].current)
	}
	return w, unfit
}

func benchKeeper(api client.WithWatch) *Keeper {
	clock := testclock.NewFakePassiveClock(begin)
	return &Keeper{Client: api, Live: api, Recorder: &events.FakeRecorder{}, Clock: clock, Metrics: sharedMetrics, Recent: recentwrites.New(clock),
		Taints: &sync.Mutex{}}
}
