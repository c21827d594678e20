package controllers_test

import (
	"strings"
	"testing"

	mpi "github.com/kubeflow/mpi-operator/pkg/apis/kubeflow/v2beta1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

const leaf = "lab/leaf"

// newGroupLab is a lab with MPI Operator and these benchmarks of scope Group: NAME-pairs, compared with the fleet; NAME-hpl,
// whose rate adds up, and NAME-bus, a collective, over all nodes.
func newGroupLab(t *testing.T, nodes int) *lab {
	t.Helper()
	installMPIJobs(t)
	l := newLab(t, nodes)
	l.mpi = &mpiOperator{}
	l.groupBenchmarks()
	l.t.Cleanup(func() {
		mine := []client.DeleteAllOfOption{client.InNamespace(namespace), client.MatchingLabels{"test/lab": l.name}, client.GracePeriodSeconds(0)}
		for _, o := range []client.Object{&mpi.MPIJob{}, &batchv1.Job{}, &corev1.Pod{}} {
			_ = api.DeleteAllOf(background, o, append(mine, client.PropagationPolicy(metav1.DeletePropagationBackground))...)
		}
	})
	return l
}

func (l *lab) groupBenchmarks() {
	l.t.Helper()
	// The minimum judges two nodes, which are too few to be compared.
	pairs := l.groupBenchmark("-pairs", intstr.FromInt32(2),
		v1alpha1.Metric{Name: "bandwidth", Unit: "GB/s", Headline: true, Noise: v1alpha1.Noise{Run: "0.02", Part: "0.02", Node: "0.02"}, Expectation: &v1alpha1.Expectation{MaxFleetDeviation: "0.10", Min: "0.1"}},
		v1alpha1.Metric{Name: "latency", Unit: "us", Better: v1alpha1.Lower, Headline: true, Noise: v1alpha1.Noise{Run: "0.05", Part: "0.05", Node: "0.05"}})
	l.create(pairs)
	l.create(l.groupBenchmark("-hpl", intstr.FromString(v1alpha1.GroupSizeAll),
		v1alpha1.Metric{Name: "hpl", Unit: "GFLOP/s", Headline: true, Expectation: &v1alpha1.Expectation{Min: "100"}}))
	l.create(l.groupBenchmark("-bus", intstr.FromString(v1alpha1.GroupSizeAll),
		v1alpha1.Metric{Name: "busBandwidth", Unit: "GB/s", Headline: true, Expectation: &v1alpha1.Expectation{Min: "15"}}))
}

func (l *lab) groupBenchmark(suffix string, size intstr.IntOrString, metrics ...v1alpha1.Metric) *v1alpha1.Benchmark {
	b := l.benchmark(l.name + suffix)
	b.Spec.Scope, b.Spec.Group = v1alpha1.ScopeGroup, &v1alpha1.Group{Size: size, Topology: leaf, SlotsPerWorker: intstr.FromInt32(1)}
	b.Spec.Command = []string{"mpirun", "/bin/rate"}
	b.Spec.CostSeconds = 120 // after those of scope Node
	b.Spec.Metrics = metrics
	return b
}

// by lets a run measure by these of the lab's benchmarks, "" for the one of scope Node.
func by(suffixes ...string) func(*v1alpha1.ValidationRun) {
	return func(r *v1alpha1.ValidationRun) {
		name := r.Name
		r.Spec.Benchmarks = nil
		for _, s := range suffixes {
			r.Spec.Benchmarks = append(r.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: name + s})
		}
	}
}

// taintingUpTo lets the run taint so many nodes.
func taintingUpTo(n int32) func(*v1alpha1.ValidationRun) {
	return func(r *v1alpha1.ValidationRun) {
		tainting(r)
		r.Spec.OnFailure.MaxTaintedNodes = new(intstr.FromInt32(n))
	}
}

// rowsOf a run by the nodes' short names, as "Verdict/Reason".
func (l *lab) rowsOf(run *v1alpha1.ValidationRun) map[string]string {
	out := map[string]string{}
	for _, r := range run.Status.Nodes {
		out[strings.TrimPrefix(r.Name, l.nodes+"-")] = string(r.Verdict) + "/" + r.Reason
	}
	return out
}

func (l *lab) message(run *v1alpha1.ValidationRun, short string) string {
	return l.row(run, short).Message
}

func (l *lab) note(run *v1alpha1.ValidationRun, short string) string { return l.row(run, short).Note }

func (l *lab) row(run *v1alpha1.ValidationRun, short string) v1alpha1.NodeRow {
	for _, r := range run.Status.Nodes {
		if r.Name == l.node(short) {
			return r
		}
	}
	return v1alpha1.NodeRow{}
}

// all nodes of some short names with one row.
func all(nodes, row string) map[string]string {
	out := map[string]string{}
	for _, n := range nodes {
		out[string(n)] = row
	}
	return out
}

// but changes one row.
func but(rows map[string]string, node, row string) map[string]string {
	rows[node] = row
	return rows
}

// contains fails the test where a text lacks one of some words.
func contains(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q: %s", what, w, text)
		}
	}
}

// groupResults of the run, by the short names of their nodes, as "ab".
func (l *lab) groupResults() map[string]v1alpha1.ValidationResult {
	l.t.Helper()
	var results v1alpha1.ValidationResultList
	l.must(api.List(l.t.Context(), &results, client.MatchingLabels{v1alpha1.LabelRunName: l.name}))
	out := map[string]v1alpha1.ValidationResult{}
	for _, r := range results.Items {
		if r.Group == nil {
			continue
		}
		name := ""
		for _, n := range r.Group.Nodes {
			name += strings.TrimPrefix(n.Name, l.nodes+"-")
		}
		if _, twice := out[name]; twice {
			l.t.Errorf("there are two results of group %s", name)
		}
		out[name] = r
	}
	return out
}

// findings of a run, as "Kind a,b".
func (l *lab) findings(run *v1alpha1.ValidationRun) []string {
	out := []string{}
	for _, f := range run.Status.Findings {
		out = append(out, f.Kind+" "+strings.ReplaceAll(strings.Join(f.Members, ","), l.nodes+"-", ""))
	}
	return out
}

// tainted nodes of the lab, by their short names.
func (l *lab) tainted() []string {
	l.t.Helper()
	var nodes corev1.NodeList
	l.must(api.List(l.t.Context(), &nodes, labelled(l.nodes)))
	out := []string{}
	for i := range nodes.Items {
		if strings.Contains(strings.Join(taints(&nodes.Items[i]), " "), "assay.dev/") {
			out = append(out, strings.TrimPrefix(nodes.Items[i].Name, l.nodes+"-"))
		}
	}
	return out
}

// checkNoJobLeft: neither an MPIJob nor a pod nor a NetworkPolicy of the run is there.
func (l *lab) checkNoJobLeft() {
	l.t.Helper()
	if jobs, pods, policies := l.jobs(), l.pods(), l.policies(); len(jobs)+len(pods)+len(policies) > 0 {
		l.t.Errorf("%d MPIJobs, %d pods and %d NetworkPolicies are left: %s", len(jobs), len(pods), len(policies), l.describe())
	}
}

// policies of the run.
func (l *lab) policies() []networkingv1.NetworkPolicy {
	l.t.Helper()
	var list networkingv1.NetworkPolicyList
	l.must(api.List(l.t.Context(), &list, client.InNamespace(namespace), client.MatchingLabels{v1alpha1.LabelRunName: l.name}))
	return list.Items
}
