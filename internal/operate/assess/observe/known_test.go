package observe

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// knownNode is what is known of a node.
type knownNode struct {
	*v1alpha1.NodeValidation
	history *v1alpha1.NodeHistory
}

// reached is what it reached that tells of healthy hardware.
func (n knownNode) reached() []Known {
	return slices.DeleteFunc(KnownOf(n.history), func(k Known) bool { return !Healthy(n.NodeValidation, k.Benchmark) })
}

// streamOn some nodes is what a run measures.
func streamOn(nodes ...string) Input {
	in := Input{Now: knownAt, Tasks: []Task{{Benchmark: &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "stream"}}}}}
	for _, name := range nodes {
		in.Nodes = append(in.Nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("uid-" + name)}})
	}
	return in
}

// knownAt is when what is known is looked at.
var knownAt = time.Unix(1_700_000_000, 0)

// passed is a node that passed a benchmark this long ago.
func passed(node string, now time.Time, ago time.Duration, changes ...func(knownNode)) knownNode {
	at, uid := metav1.NewTime(now.Add(-ago)), types.UID("uid-"+node)
	n := knownNode{&v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: node}, Fingerprint: v1alpha1.Fingerprint{NodeUID: uid},
		Benchmarks: []v1alpha1.BenchmarkState{{Name: "stream", History: []v1alpha1.HistoryEntry{{Verdict: v1alpha1.VerdictPass, Time: at}}}}},
		&v1alpha1.NodeHistory{ObjectMeta: metav1.ObjectMeta{Name: node}, NodeUID: uid, Benchmarks: []v1alpha1.BenchmarkHistory{{Name: "stream",
			Passes: []v1alpha1.PassHistory{{Configuration: "c", Runs: []v1alpha1.PassingRun{{Time: at}}, Metrics: []v1alpha1.MetricHistory{{Metric: "bandwidth", Unit: "GB/s",
				Parts: []v1alpha1.PartHistory{{At: "node", Recent: []v1alpha1.PassingValue{"90", "100"}}}}}}}}}}}
	for _, change := range changes {
		change(n)
	}
	return n
}

// TestKnownFleet: a run is compared with what healthy nodes of the cluster reached lately, and with nothing else.
func TestKnownFleet(t *testing.T) {
	now := knownAt
	const day = 24 * time.Hour
	failed := func(v knownNode) {
		v.Benchmarks[0].History = append(v.Benchmarks[0].History, v1alpha1.HistoryEntry{Verdict: v1alpha1.VerdictFail})
	}
	for sentence, c := range map[string]struct {
		known  knownNode
		task   string
		node   func(*corev1.Node)
		counts bool
	}{
		"a node that passed":                              {known: passed("a", now, day), counts: true},
		"one that passed so long ago that it may be worn": {known: passed("a", now, 31*day)},
		"one that failed since":                           {known: passed("a", now, day, failed)},
		"one that failed, and passed since": {known: passed("a", now, day, failed, func(v knownNode) {
			v.Benchmarks[0].History = append(v.Benchmarks[0].History, v1alpha1.HistoryEntry{Verdict: v1alpha1.VerdictPass})
		}), counts: true},
		"one that a weaker run passed while a conviction stands": {known: passed("a", now, day, func(v knownNode) {
			v.Convictions = []v1alpha1.Conviction{{Benchmark: "stream"}}
		})},
		"one that is convicted by another benchmark": {known: passed("a", now, day, func(v knownNode) {
			v.Convictions = []v1alpha1.Conviction{{Benchmark: "other"}}
		}), counts: true},
		"one that was never judged":          {known: passed("a", now, day, func(v knownNode) { v.Benchmarks[0].History = nil })},
		"one that another machine took over": {known: passed("a", now, day), node: func(n *corev1.Node) { n.UID = "another" }},
		"one that is gone":                   {known: passed("gone", now, day)},
		"one that is being deleted": {known: passed("a", now, day), node: func(n *corev1.Node) {
			n.DeletionTimestamp = &metav1.Time{Time: now}
		}},
		"one measured by a benchmark that the run does not have": {known: passed("a", now, day), task: "another"},
	} {
		t.Run(sentence, func(t *testing.T) {
			in := streamOn("a")
			if c.task != "" {
				in.Tasks[0].Benchmark.Name = c.task
			}
			if c.node != nil {
				c.node(in.Nodes[0])
			}
			fleet := in.KnownFleet(c.known.reached(), 30*day)
			if (len(fleet) == 1) != c.counts {
				t.Errorf("the fleet has %d nodes, it is to count: %v", len(fleet), c.counts)
			}
		})
	}
}

// TestKnownFleetIsBounded: of very many nodes those count that passed last, of each kind of hardware and configuration as many.
func TestKnownFleetIsBounded(t *testing.T) {
	now := knownAt
	in := streamOn()
	var known []Known
	for i := range 2 * (maxKnown + 10) {
		n := streamOn(fmt.Sprintf("node-%05d", i)).Nodes[0]
		in.Nodes = append(in.Nodes, n)
		known = append(known, passed(n.Name, now, time.Duration(i)*time.Minute, func(v knownNode) {
			v.history.Benchmarks[0].Passes[0].Devices = []v1alpha1.Device{{Product: []string{"H100", "H200"}[i%2]}}
		}).reached()...)
	}
	fleet := in.KnownFleet(known, time.Hour*24)
	got := map[string]int{}
	for _, k := range fleet {
		got[k.kind.Value()]++
		if k.Time.Before(now.Add(-2 * maxKnown * time.Minute)) {
			t.Errorf("%s passed %s ago, and others later", k.Node, now.Sub(k.Time))
		}
	}
	if diff := cmp.Diff(map[string]int{"stream\nc\nH100": maxKnown, "stream\nc\nH200": maxKnown}, got); diff != "" {
		t.Errorf("nodes of each kind (-want +got):\n%s", diff)
	}
	slices.Reverse(known)
	again := in.KnownFleet(known, time.Hour*24)
	if !slices.EqualFunc(fleet, again, func(a, b Known) bool { return a.Node == b.Node }) {
		t.Error("another order of the same nodes makes another fleet")
	}
}

// TestKnownHosts: CPUs are compared with those of machines of one type and size only, however much of a core their kubelets reserve.
func TestKnownHosts(t *testing.T) {
	now := knownAt
	in := streamOn("a", "b", "c", "d")
	for i, host := range [][2]string{{"large", "63900m"}, {"large", "64"}, {"large", "32"}, {"metal", "64"}} {
		in.Nodes[i].Labels = map[string]string{corev1.LabelInstanceTypeStable: host[0]}
		in.Nodes[i].Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(host[1])}
	}
	var known []Known
	for _, n := range in.Nodes {
		known = append(known, passed(n.Name, now, time.Hour).reached()...)
	}
	got := map[string]string{}
	for _, k := range in.KnownFleet(known, 24*time.Hour) {
		got[k.Node] = k.Host
	}
	want := map[string]string{"a": "large 64 CPUs", "b": "large 64 CPUs", "c": "large 32 CPUs", "d": "metal 64 CPUs"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hosts (-want +got):\n%s", diff)
	}
}
